// Brings single changes back from the editor of a worktree's file: a lens above each change, the command for the change at the
// cursor, and the context keys of its menus. Git compares a worktree only while an editor shows one of its files.
import { join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { withLineFeeds } from "../../base/text.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import { codeLens } from "../../editor/editorItems.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { Session } from "../../session/session.ts";
import type { BringBackEntry } from "../bringBack.ts";
import { hunksAt, openHunks, type OpenHunk } from "../openHunks.ts";
import type { WorktreeRecord, WorktreeRecords } from "../worktreeRecords.ts";
import type { BringBackChanges } from "./bringBackChanges.ts";
import { isAtOrBelow } from "../../files/nodePaths.ts";

export interface WorktreeHunksOptions {
  readonly records: WorktreeRecords;
  readonly changes: BringBackChanges;
  /** Fires when a worktree or its main checkout may have changed. */
  readonly onDidChangeWorktrees: Event<void>;
  /** An open session that works in the worktree. */
  readonly sessionIn: (record: WorktreeRecord) => Session | undefined;
  readonly log: Log;
}

/** A worktree's file in an editor, with its open changes. */
interface OpenFile {
  readonly record: WorktreeRecord;
  readonly entry: BringBackEntry;
  readonly hunks: readonly OpenHunk[];
}

/** Lines of a file, 0-based and inclusive. */
interface FileLines {
  readonly document: vscode.TextDocument;
  readonly first: number;
  readonly last: number;
}

/** More lines of an editor are not offered in the menu of its line numbers. */
const maxMenuLines = 5000;

export class WorktreeHunks implements vscode.CodeLensProvider, Disposable {
  readonly #options: WorktreeHunksOptions;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #store = new DisposableStore();
  /** What can be brought back, by worktree, since the last change. */
  readonly #entries = new Map<string, Promise<readonly BringBackEntry[]>>();

  constructor(options: WorktreeHunksOptions) {
    this.#options = options;
    const { records, changes, onDidChangeWorktrees } = options;
    const update = (): void => void this.#updateContext();
    const forget = (): void => {
      this.#entries.clear();
      this.#changed.fire();
      update();
    };
    const isKnown = ({ uri }: vscode.TextDocument): boolean =>
      uri.scheme === "file" &&
      records.known.some(({ path, origin }) => [path, origin].some(top => isAtOrBelow(uri.fsPath, top)));
    this.#store.add(this.#changed);
    this.#store.add(changes.onDidChange(forget));
    this.#store.add(onDidChangeWorktrees(forget));
    this.#store.add(vscode.workspace.onDidSaveTextDocument(document => isKnown(document) && forget()));
    this.#store.add(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        // VS Code has read it again. What the user types is compared when it is saved.
        if (!document.isDirty && isKnown(document)) forget();
      }),
    );
    this.#store.add(vscode.window.onDidChangeVisibleTextEditors(update));
    this.#store.add(vscode.window.onDidChangeActiveTextEditor(update));
    this.#store.add(
      vscode.window.onDidChangeTextEditorSelection(
        ({ textEditor }) => textEditor === vscode.window.activeTextEditor && update(),
      ),
    );
    this.#store.add(vscode.languages.registerCodeLensProvider({ scheme: "file" }, this));
    update();
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const file = await this.#openFile(document);
    return (file?.hunks ?? []).map(({ number, from, conflicts }) => {
      const title =
        number === undefined
          ? t("Bring Back This File")
          : conflicts
            ? t("Bring Back This Change (conflict)")
            : t("Bring Back This Change");
      const arg = { uri: document.uri, lineNumber: from + 1 };
      const range = new vscode.Range(from, 0, from, 0);
      return codeLens(range, { title, command: "parley.bringBackThisChange", arguments: [arg] });
    });
  }

  /**
   * Brings back the change of a lens or of the line-number menu, otherwise the changes at the cursor or in the selection. Rejects
   * with a sentence.
   */
  async bringBack(arg?: unknown): Promise<void> {
    const { records, changes, sessionIn } = this.#options;
    await records.read();
    const lines = linesOf(arg) ?? linesAtCursor();
    const record = lines && lines.document.uri.scheme === "file" && records.of(lines.document.uri.fsPath);
    if (!lines || !record)
      return void showInformationMessage(t("Open a file of a worktree and put the cursor in the change first."));
    const name = vscode.workspace.asRelativePath(lines.document.uri);
    if (lines.document.isDirty)
      return void showInformationMessage(t("Save {0} first. Changes come back as they are saved.", name));
    if (!(await changes.canBringBack(record)))
      return void showInformationMessage(
        t("Open the folder “{0}” in this window to bring changes back into it.", record.origin),
      );
    this.#entries.delete(record.path);
    const file = await this.#openFile(lines.document);
    const hunks = file && hunksAt(file.hunks, lines.first, lines.last);
    if (!hunks || hunks.length === 0)
      return void showInformationMessage(t("There is no change to bring back at the cursor."));
    const numbers = new Set(hunks.map(({ number }) => number));
    const isChosen = numbers.has(undefined) ? undefined : (hunk: number): boolean => numbers.has(hunk);
    await changes.bringBackFrom(record, sessionIn(record), file.entry, isChosen);
  }

  /** The open changes of a document. Undefined: it is no saved file of a worktree, or has none. */
  async #openFile(document: vscode.TextDocument): Promise<OpenFile | undefined> {
    const { uri, isDirty } = document;
    const record = uri.scheme === "file" && !isDirty ? this.#options.records.of(uri.fsPath) : undefined;
    if (!record) return undefined;
    const entry = (await this.#entriesOf(record)).find(({ path }) => join(record.path, path) === uri.fsPath);
    // VS Code reads a changed file again soon.
    if (!entry || document.isDirty || withLineFeeds(document.getText()) !== entry.theirs.text) return undefined;
    return { record, entry, hunks: openHunks(entry) };
  }

  #entriesOf(record: WorktreeRecord): Promise<readonly BringBackEntry[]> {
    const known = this.#entries.get(record.path);
    if (known) return known;
    const { changes, log } = this.#options;
    const read = changes.entries(record).catch((thrown: unknown) => {
      log.warn("The changes of a worktree are not offered in its editors.", asError(thrown).message);
      return [];
    });
    this.#entries.set(record.path, read);
    return read;
  }

  async #updateContext(): Promise<void> {
    const editors = new Set(vscode.window.visibleTextEditors);
    const active = vscode.window.activeTextEditor;
    if (active) editors.add(active);
    const found = await Promise.all(
      [...editors].map(async editor => ({ editor, file: await this.#openFile(editor.document) })),
    );
    // A later update has the state of now.
    if (this.#store.isDisposed || active !== vscode.window.activeTextEditor) return;
    const shown = found.filter(({ file }) => file !== undefined && file.hunks.length > 0);
    // In VS Code's spelling, for `resourcePath`.
    setContextKey(
      "parley.worktreeChangePaths",
      shown.map(({ editor }) => editor.document.uri.fsPath),
    );
    const hunks = shown.find(({ editor }) => editor === active)?.file?.hunks ?? [];
    const at = active && linesAtCursor();
    setContextKey("parley.worktreeChangeAtCursor", at !== undefined && hunksAt(hunks, at.first, at.last).length > 0);
    const lines = hunks.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index + 1));
    setContextKey("parley.worktreeChangeLines", lines.slice(0, maxMenuLines));
  }

  dispose(): void {
    this.#store.dispose();
    setContextKey("parley.worktreeChangeAtCursor", false);
    for (const key of ["worktreeChangePaths", "worktreeChangeLines"] as const) setContextKey(`parley.${key}`, []);
  }
}

/** The line of a lens or of the line-number menu, which is 1-based. */
function linesOf(arg: unknown): FileLines | undefined {
  if (typeof arg !== "object" || arg === null || !("uri" in arg) || !("lineNumber" in arg)) return undefined;
  const { uri, lineNumber } = arg;
  const document = vscode.workspace.textDocuments.find(one => `${one.uri}` === `${String(uri)}`);
  if (!document || typeof lineNumber !== "number") return undefined;
  return { document, first: lineNumber - 1, last: lineNumber - 1 };
}

function linesAtCursor(): FileLines | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && { document: editor.document, first: editor.selection.start.line, last: editor.selection.end.line };
}
