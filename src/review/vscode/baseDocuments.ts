// The texts before an agent's changes, as read-only documents for peeks and for the left side of diffs.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { Review } from "../review.ts";
import { textBefore } from "../reviewPresentation.ts";

const emptyQuery = "none";
const peekQuery = "peek";
const turnPrefix = "turn=";

export class BaseDocuments implements vscode.TextDocumentContentProvider, Disposable {
  readonly #review: Review;
  readonly #log: Log;
  readonly #scheme: string;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  /** The contents of open documents, by URI. */
  readonly #contents = new Map<string, string>();
  readonly #store = new DisposableStore();

  constructor(review: Review, log: Log, scheme = "parley-base") {
    this.#review = review;
    this.#log = log;
    this.#scheme = scheme;
    this.#store.add(this.#changed);
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#contents.delete(uri.toString())));
    this.#store.add(review.onDidChange(() => void this.#refresh()));
  }

  /** The text before all changes to review in a file, or before those of one turn. */
  baseUri(path: string, turn?: string): vscode.Uri {
    return this.#uri(path, turn === undefined ? "" : `${turnPrefix}${turn}`);
  }

  /**
   * Like {@link baseUri}, for a peek. It is a document of its own, because VS Code can fail to show the one of an inline diff:
   * when source controls come and go while it loads that text, it never loads it again ("model already exists").
   */
  peekUri(path: string): vscode.Uri {
    return this.#uri(path, peekQuery);
  }

  /** An empty document in place of a file that does not exist. */
  emptyDocument(path: string): vscode.Uri {
    return this.#uri(path, emptyQuery);
  }

  /** Whether a document is one of these, with the base of the file at its path. */
  isBaseDocument({ scheme }: vscode.Uri): boolean {
    return scheme === this.#scheme;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const text = await this.#textOf(uri);
    this.#contents.set(uri.toString(), text);
    return text;
  }

  #uri(path: string, query: string): vscode.Uri {
    return vscode.Uri.file(path).with({ scheme: this.#scheme, query });
  }

  async #textOf(uri: vscode.Uri): Promise<string> {
    const { fsPath, query } = uri;
    if (query === emptyQuery) return "";
    const file = this.#review.file(fsPath);
    // A reviewed file does not differ from its base.
    if (!file || file.unknown !== undefined) return currentText(vscode.Uri.file(fsPath));
    const turn = query.startsWith(turnPrefix) ? query.slice(turnPrefix.length) : undefined;
    const isMeant = turn === undefined ? () => true : (hunk: { turns: readonly string[] }) => hunk.turns.includes(turn);
    return textBefore(file.changes, isMeant) ?? "";
  }

  async #refresh(): Promise<void> {
    try {
      for (const { uri } of vscode.workspace.textDocuments.filter(document => this.isBaseDocument(document.uri))) {
        if ((await this.#textOf(uri)) !== this.#contents.get(uri.toString())) this.#changed.fire(uri);
      }
    } catch (error) {
      this.#log.error("The text before a change could not be shown.", asError(error).stack);
    }
  }

  dispose(): void {
    this.#store.dispose();
    this.#contents.clear();
  }
}

async function currentText(uri: vscode.Uri): Promise<string> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText();
  } catch {
    return ""; // The file is gone or is not a text, so there is nothing to compare.
  }
}
