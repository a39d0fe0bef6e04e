// "Explain Changes of This File": what Parley knows about the changes of a file, as a read-only document.
import { basename, relative, sep } from "node:path";
import * as vscode from "vscode";
import { inertText } from "../../base/inertText.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import { explainFile, type ExplainedFact } from "../explainFile.ts";
import type { FactLog } from "../factLog.ts";

const scheme = "parley-history";
const refreshDelay = 300;

export class ExplainedFiles implements vscode.TextDocumentContentProvider, Disposable {
  readonly #facts: FactLog;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;
  readonly #store = new DisposableStore();
  #timer: NodeJS.Timeout | undefined;

  constructor(facts: FactLog) {
    this.#facts = facts;
    this.#store.add(this.#changed);
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this.#store.add(facts.onDidChange(() => this.#refreshLater()));
  }

  /** The explanation of the file at the path in the query. */
  provideTextDocumentContent({ query }: vscode.Uri): string {
    return this.textOf(query);
  }

  /** What happened to a file, one line for each fact. */
  textOf(path: string): string {
    const explained = explainFile(this.#facts, path, folder => isInside(path, folder));
    const began = timeOf(this.#facts.began);
    const lines =
      explained.length > 0
        ? explained.map(lineOf)
        : [t("Parley has seen no change of this file since {0}, when this window opened.", began)];
    return [inertText(vscode.workspace.asRelativePath(path)), "", ...lines, ""].join("\n");
  }

  /** What happened to all files that Parley knows about. For a bug report. */
  get allTexts(): readonly string[] {
    return this.#facts.paths.map(path => this.textOf(path));
  }

  /** Opens the explanation of the file of a row, of a resource, or of the active editor. */
  async show(file: unknown): Promise<void> {
    const path = pathOf(file) ?? vscode.window.activeTextEditor?.document.uri.fsPath;
    if (path === undefined) {
      void showInformationMessage(t("Open a file in the editor, and run the command again."));
      return;
    }
    const uri = vscode.Uri.from({ scheme, path: t("Changes of {0}", basename(path)), query: path });
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#store.dispose();
  }

  /** Updates open explanations. An agent can change many files at once. */
  #refreshLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === scheme) this.#changed.fire(uri);
    }, refreshDelay);
  }
}

/** The path of a resource, or of a file in the Changes view. */
function pathOf(file: unknown): string | undefined {
  if (file instanceof vscode.Uri) return file.fsPath;
  if (typeof file !== "object" || file === null) return undefined;
  const { file: reviewed, resourceUri } = file as { readonly file?: unknown; readonly resourceUri?: unknown };
  if (resourceUri instanceof vscode.Uri) return resourceUri.fsPath;
  const path = (reviewed as { readonly path?: unknown } | undefined)?.path;
  return typeof path === "string" ? path : undefined;
}

const isInside = (path: string, folder: string): boolean => {
  const below = relative(folder, path);
  return below !== ".." && !below.startsWith(`..${sep}`);
};

const lineOf = ({ from, to, sentence }: ExplainedFact): string => {
  const [first, last] = [timeOf(from), timeOf(to)];
  return `${first === last ? first : `${first}–${last}`}  ${sentence}`;
};

/** The time of day, such as `10:32:05`. */
const timeOf = (at: number): string => new Date(at).toTimeString().slice(0, 8);
