// Reports files whose texts in the editor and on disk differ after an agent wrote them. VS Code does not report that a
// file changed on disk under unsaved text, so documents are compared with the disk here.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { WriteResult } from "../../session/agent.ts";
import type { FileNote, SessionEvent } from "../../session/events.ts";
import type { SessionParticipant } from "../../session/participant.ts";
import { endsToolCall } from "../../session/toolCalls.ts";
import { ToolCallPaths, hasDiverged, hashText, type ContentHash } from "../unsavedConflicts.ts";
import { quotePath } from "../../base/text.ts";
import { nodePaths } from "../nodePaths.ts";
import { Confinement } from "../paths.ts";
import { openFileDocuments } from "../../editor/openDocuments.ts";
import { documentOfFile, hashOnDisk } from "./comparedFiles.ts";
import type { FileEvents } from "./fileEvents.ts";
import { onDidKeepEditorText } from "./settleFile.ts";

export interface UnsavedChangesWatcherOptions {
  /** The session's folders. */
  readonly roots: readonly string[];
  readonly fileEvents: FileEvents;
  readonly report: (path: string, note: FileNote | null) => void;
  readonly log: Log;
}

/** How long to wait for a save in progress (ms). The disk has the user's text before VS Code reports the save. */
const maxSaveWait = 2000;

/** How long the disk must stay unchanged before a conflict is reported (ms): a file may be only half written. */
const stableTime = 100;

/** The last moment at which editor and disk had the same text. Immutable. */
interface SyncPoint {
  /** The content of the disk. Undefined while it is being read. */
  readonly hash: ContentHash | undefined;
  readonly encoding: string;
  /** The document's version when it was found without unsaved text, and the sync point before that. */
  readonly foundClean?: { readonly version: number; readonly before: SyncPoint | undefined };
}

/** One per session. */
export class UnsavedChangesWatcher implements SessionParticipant {
  readonly #options: UnsavedChangesWatcherOptions;
  readonly #confinement: Confinement;
  readonly #store = new DisposableStore();
  readonly #namedPaths = new ToolCallPaths();
  readonly #lastSync = new WeakMap<vscode.TextDocument, SyncPoint>();
  /** When a save in progress began. */
  readonly #saving = new WeakMap<vscode.TextDocument, number>();
  /** Documents that were already unsaved at their last change. */
  readonly #dirty = new WeakSet<vscode.TextDocument>();
  /** The content found on disk under unsaved text, and since when. */
  readonly #suspected = new WeakMap<vscode.TextDocument, { readonly disk: ContentHash; readonly since: number }>();
  /** Documents in conflict, with the path under which they are reported. */
  readonly #diverged = new Map<vscode.TextDocument, string>();
  /** Documents with unsaved writes, by the path that the agent named. Undefined while the document is being found. */
  readonly #unsaved = new Map<string, vscode.TextDocument | undefined>();
  readonly #reported = new Map<string, FileNote>();
  #isComparing = false;
  #mustCompare = false;
  #scheduled: { readonly due: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(options: UnsavedChangesWatcherOptions) {
    this.#options = options;
    this.#confinement = new Confinement(nodePaths(), options.roots);
    this.#listen();
    for (const document of openFileDocuments()) this.#markInSync(document);
  }

  /** Reports that the agent's write to this file is only in the editor. `path` is as the agent named it. */
  reportUnsaved(path: string): void {
    if (this.#store.isDisposed) return;
    this.#unsaved.set(path, undefined);
    this.#reportNotes();
    this.#findUnsaved(path).catch((thrown: unknown) => this.#logError(path, thrown));
  }

  /** Handles an event of the agent. At the end of a tool call, compares unsaved documents with the disk. */
  observe(event: SessionEvent): void {
    this.#namedPaths.observe(event);
    if (endsToolCall(event)) this.#requestComparison();
  }

  async aroundWrite(path: string, _text: string, next: () => Promise<WriteResult>): Promise<WriteResult> {
    const written = await next();
    if (!written.saved) this.reportUnsaved(path);
    return written;
  }

  dispose(): void {
    clearTimeout(this.#scheduled?.timer);
    this.#store.dispose();
  }

  #listen(): void {
    this.#store.add(vscode.workspace.onDidOpenTextDocument(document => this.#opened(document)));
    this.#store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => this.#changed(document)));
    this.#store.add(vscode.workspace.onWillSaveTextDocument(({ document }) => this.#saving.set(document, Date.now())));
    this.#store.add(vscode.workspace.onDidSaveTextDocument(document => this.#saved(document)));
    this.#store.add(vscode.workspace.onDidCloseTextDocument(document => this.#removeNotes(document)));
    this.#store.add(onDidKeepEditorText(document => this.#restartSync(document)));
    for (const root of this.#options.roots) {
      this.#store.add(this.#options.fileEvents.watchFolder(root, () => this.#requestComparison()));
    }
  }

  #opened(document: vscode.TextDocument): void {
    // When the language of a document changes, VS Code reports it as closed and opened. It is still the same document.
    if (document.uri.scheme === "file" && !this.#lastSync.has(document)) this.#markInSync(document);
  }

  #changed(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file") return;
    if (!document.isDirty) {
      this.#markInSync(document);
      this.#removeNotes(document);
      return;
    }
    // VS Code reports the user's first change in two steps: a new text of a saved document, then that it is unsaved.
    const { foundClean: foundClean } = this.#lastSync.get(document) ?? {};
    if (foundClean?.before && foundClean.version === document.version) {
      if (foundClean.before.hash === undefined) this.#restartSync(document);
      else this.#lastSync.set(document, foundClean.before);
    }
    // The disk may have changed before the user's first change. Later changes may make both texts equal again.
    if (this.#isFirstChange(document) || this.#diverged.has(document)) this.#requestComparison();
  }

  #isFirstChange(document: vscode.TextDocument): boolean {
    if (this.#dirty.has(document)) return false;
    this.#dirty.add(document);
    return true;
  }

  #saved(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file") return;
    this.#saving.delete(document);
    this.#removeNotes(document);
    this.#restartSync(document);
  }

  /** Takes the disk as the new sync point, also after a save, because the user may have continued typing. */
  #restartSync(document: vscode.TextDocument): void {
    const step: SyncPoint = { hash: undefined, encoding: document.encoding };
    this.#lastSync.set(document, step);
    this.#hashDisk(document, step).catch((thrown: unknown) => this.#logError(document.uri.fsPath, thrown));
  }

  async #hashDisk(document: vscode.TextDocument, step: SyncPoint): Promise<void> {
    const held = await hashOnDisk(document.uri.fsPath, step.encoding);
    if (this.#lastSync.get(document) === step) this.#lastSync.set(document, { ...step, hash: held });
    this.#requestComparison();
  }

  /** Takes the text of a document without unsaved text as the new sync point. For others, only the disk has it. */
  #markInSync(document: vscode.TextDocument): void {
    if (document.isDirty) return this.#restartSync(document);
    const was = this.#lastSync.get(document);
    const { version, encoding } = document;
    const before =
      was?.foundClean?.version === version ? was.foundClean.before : was && { hash: was.hash, encoding: was.encoding };
    this.#lastSync.set(document, { hash: hashText(document.getText()), encoding, foundClean: { version, before } });
    this.#dirty.delete(document);
  }

  /** Removes the notes of a document that is saved or closed. */
  #removeNotes(document: vscode.TextDocument): void {
    if (document.isDirty && !document.isClosed) return;
    this.#diverged.delete(document);
    for (const [path, of] of this.#unsaved) if (of === document) this.#unsaved.delete(path);
    this.#reportNotes();
  }

  async #findUnsaved(path: string): Promise<void> {
    const document = await documentOfFile(path, this.#confinement);
    if (!this.#unsaved.has(path)) return;
    if (document?.isDirty && !document.isClosed) this.#unsaved.set(path, document);
    else this.#unsaved.delete(path);
    this.#reportNotes();
  }

  /** Schedules a comparison of all unsaved documents with the disk. Calls until then are combined. */
  #requestComparison(): void {
    this.#mustCompare = true;
    if (this.#isComparing || this.#store.isDisposed) return;
    this.#isComparing = true;
    void this.#compareWhileNeeded();
  }

  async #compareWhileNeeded(): Promise<void> {
    while (this.#mustCompare && !this.#store.isDisposed) {
      await Promise.resolve();
      this.#mustCompare = false;
      for (const document of openFileDocuments()) {
        if (!document.isDirty) continue;
        await this.#compare(document).catch((thrown: unknown) => this.#logError(document.uri.fsPath, thrown));
      }
    }
    this.#isComparing = false;
  }

  async #compare(document: vscode.TextDocument): Promise<void> {
    const before = this.#lastSync.get(document);
    // If the sync point is still being read, the comparison runs after that.
    if (before?.hash === undefined || this.#isSaving(document)) return;
    const { inside, key } = await this.#confinement.locate(document.uri.fsPath);
    if (!inside) return;
    const disk = await hashOnDisk(document.uri.fsPath, before.encoding);
    if (document.isClosed || !document.isDirty || this.#isSaving(document)) return;
    if (before !== this.#lastSync.get(document)) {
      // The sync point changed while the disk was read.
      this.#mustCompare = true;
      return;
    }
    if (!hasDiverged(before.hash, disk, hashText(document.getText()))) {
      this.#suspected.delete(document);
      this.#diverged.delete(document);
    } else if (!this.#diverged.has(document) && this.#isDiskStable(document, disk))
      await this.#markDiverged(document, key);
    this.#reportNotes();
  }

  #isDiskStable(document: vscode.TextDocument, disk: ContentHash): boolean {
    const seen = this.#suspected.get(document);
    const now = Date.now();
    const since = seen?.disk === disk ? seen.since : now;
    this.#suspected.set(document, { disk, since });
    if (now - since >= stableTime) return true;
    this.#scheduleComparison(stableTime - (now - since));
    return false;
  }

  async #markDiverged(document: vscode.TextDocument, key: string): Promise<void> {
    const path = await this.#agentPathOf(document, key);
    if (document.isDirty && !document.isClosed) this.#diverged.set(document, path);
  }

  /** Whether the disk may already have text that the user is saving. If so, schedules another comparison. */
  #isSaving(document: vscode.TextDocument): boolean {
    const since = this.#saving.get(document);
    if (since === undefined) return false;
    const left = since + maxSaveWait - Date.now();
    if (left <= 0) {
      // The save was refused. VS Code does not report that.
      this.#saving.delete(document);
      return false;
    }
    this.#scheduleComparison(left);
    return true;
  }

  #scheduleComparison(ms: number): void {
    const due = Date.now() + ms;
    if (this.#store.isDisposed || (this.#scheduled && this.#scheduled.due <= due)) return;
    clearTimeout(this.#scheduled?.timer);
    const timer = setTimeout(() => {
      this.#scheduled = undefined;
      this.#requestComparison();
    }, ms);
    this.#scheduled = { due, timer };
  }

  /** The path under which the agent knows the file, if it named it. Else the path of the document. */
  async #agentPathOf(document: vscode.TextDocument, key: string): Promise<string> {
    for (const [path, of] of this.#unsaved) if (of === document) return path;
    const own = document.uri.fsPath;
    for (const path of this.#namedPaths.newestFirst()) {
      if (path === own) return path;
      // A path that is not absolute does not name a file.
      const located = await this.#confinement.locate(path).catch(() => undefined);
      if (located?.key === key) return path;
    }
    return own;
  }

  /** Reports the notes that changed since the last report. */
  #reportNotes(): void {
    if (this.#store.isDisposed) return;
    const notes = new Map<string, FileNote>();
    for (const path of this.#unsaved.keys()) notes.set(path, "unsaved");
    for (const path of this.#diverged.values()) notes.set(path, "diverged");
    for (const path of [...this.#reported.keys()]) {
      if (notes.has(path)) continue;
      this.#reported.delete(path);
      this.#options.report(path, null);
    }
    for (const [path, note] of notes) {
      if (this.#reported.get(path) === note) continue;
      this.#reported.set(path, note);
      this.#options.report(path, note);
    }
  }

  #logError(path: string, thrown: unknown): void {
    this.#options.log.error(`Could not compare ${quotePath(path)} with the disk: ${asError(thrown).message}`);
  }
}
