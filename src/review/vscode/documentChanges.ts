// Changes of open documents as VS Code reports them, with the state of the document at that moment.
import * as vscode from "vscode";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { withLineFeeds, withoutByteOrderMark } from "../../base/text.ts";
import { diskText } from "../../editor/diskText.ts";
import { looksTyped } from "../../files/typedEdits.ts";
import { agentTextOf } from "../../files/vscode/agentEdits.ts";
import type { FileFact } from "../../history/facts.ts";
import type { RangeEdit } from "../fileChanges.ts";

/** A change of an open document, as it is when VS Code reports it. */
export interface DocumentChange {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly text: string;
  readonly clean: boolean;
  readonly reason: vscode.TextDocumentChangeReason | undefined;
  readonly edits: readonly RangeEdit[];
  /** A write of the agent has just put this text into the document. */
  readonly isAgents: boolean;
  /** The user typed, although a write of the agent may be in progress. */
  readonly isTyped: boolean;
  /** The encoding of the document before this change, if it has another one now. */
  readonly reopenedFrom?: string;
}

/** The change as a fact of the history of files. */
export const documentFact = (path: string, { text, edits, clean, reason, isAgents }: DocumentChange): FileFact => ({
  type: "documentChanged",
  path,
  text,
  edits,
  isDirty: !clean,
  ...(isAgents && { isAgents: true as const }),
  ...(reason !== undefined && { reason: reason === vscode.TextDocumentChangeReason.Undo ? "undo" : "redo" }),
});

export interface DocumentChangesOptions {
  /** Called immediately for each change, so that unwanted changes cost nothing. */
  readonly isWanted: (path: string) => boolean;
  readonly onChange: (path: string, change: DocumentChange) => void;
  /** A document has unsaved changes since its last change. */
  readonly onDirtied: (path: string) => void;
}

/** VS Code reports within this time after the user's first change that the document is dirty. Milliseconds. */
const maxDirtyDelay = 1000;
const dirtyCheckInterval = 10;

export class DocumentChanges implements Disposable {
  readonly #options: DocumentChangesOptions;
  readonly #store = new DisposableStore();
  /** The versions at which VS Code reported that a document became dirty. */
  readonly #dirtied = new WeakMap<vscode.TextDocument, Set<number>>();
  /** The encodings in which VS Code has loaded the documents. */
  readonly #encodings = new WeakMap<vscode.TextDocument, string>();

  constructor(options: DocumentChangesOptions) {
    this.#options = options;
    this.#store.add(vscode.workspace.onDidChangeTextDocument(event => this.#changed(event)));
    this.#store.add(vscode.workspace.onDidOpenTextDocument(one => void this.#encodings.set(one, one.encoding)));
    for (const one of vscode.workspace.textDocuments) this.#encodings.set(one, one.encoding);
  }

  /**
   * Whether VS Code reloaded the document. The file can have changed again since. VS Code reports the user's first change
   * as one of a saved document, too, and just after it that the document is dirty.
   */
  async isReload(path: string, { document, version, text, clean, reason }: DocumentChange): Promise<boolean> {
    if (!clean) return false;
    const disk = await diskText(path);
    for (const end = Date.now() + maxDirtyDelay; ;) {
      if (this.#dirtied.get(document)?.has(version)) return false;
      if (disk === text) return true;
      if (reason !== undefined) return false;
      // A busy editor reports late that the document is dirty, but before its next change.
      if (document.version > version || document.isClosed || Date.now() > end) return true;
      await new Promise(resolve => setTimeout(resolve, dirtyCheckInterval));
    }
  }

  /** Whether the text has the same bytes as the last text seen, and only the encoding of the document is another one. */
  async isSameInOtherEncoding(
    { document, text, reopenedFrom }: DocumentChange,
    known: string | null | undefined,
  ): Promise<boolean> {
    if (reopenedFrom === undefined || typeof known !== "string") return false;
    const bytes = await vscode.workspace.encode(text, { encoding: document.encoding });
    const before = await vscode.workspace.decode(bytes, { encoding: reopenedFrom });
    return withLineFeeds(withoutByteOrderMark(before)) === known;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #changed({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.scheme !== "file") return;
    if (contentChanges.length === 0) {
      if (document.isDirty) this.#addDirtied(document);
      return;
    }
    const encoding = this.#encodings.get(document) ?? document.encoding;
    this.#encodings.set(document, document.encoding);
    const path = document.uri.fsPath;
    if (!this.#options.isWanted(path)) return;
    const text = withLineFeeds(document.getText());
    const isAgents = agentTextOf(path) === text;
    this.#options.onChange(path, {
      document,
      version: document.version,
      text,
      clean: !document.isDirty,
      reason,
      edits: contentChanges.map(({ range: { start, end }, text }) => ({ start, end, text: withLineFeeds(text) })),
      isAgents,
      isTyped: !isAgents && looksTyped(contentChanges),
      ...(encoding !== document.encoding && { reopenedFrom: encoding }),
    });
  }

  #addDirtied(document: vscode.TextDocument): void {
    const { fsPath } = document.uri;
    if (this.#options.isWanted(fsPath)) this.#options.onDirtied(fsPath);
    const versions = this.#dirtied.get(document) ?? new Set();
    this.#dirtied.set(document, versions.add(document.version));
  }
}
