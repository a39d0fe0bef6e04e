// Files whose text in the editor and on disk differ after an agent wrote them: noticed, told, and settled by the user.
// VS Code says nothing when a file changes on disk beneath unsaved text, so documents are compared with the disk here.
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import type { SettleFile } from "../../panel/protocol.ts";
import { asError, unreachable } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { FileNote, SessionEvent } from "../../session/events.ts";
import {
  NamedPaths,
  endsTool,
  hasDiverged,
  heldBytes,
  heldText,
  isBinary,
  nothing,
  type Held,
} from "../unsavedConflicts.ts";
import { placesIn, smallestEdits } from "../textEdits.ts";
import { withLineFeeds } from "../../base/text.ts";
import { nodePaths } from "../nodePaths.ts";
import { Confinement } from "../paths.ts";
import { quoted } from "../../base/text.ts";
import { codeOf } from "../../base/errors.ts";

export interface DiskWatchOptions {
  /** The session's folders. */
  readonly roots: readonly string[];
  readonly report: (path: string, note: FileNote | null) => void;
  readonly log: Log;
}

/** How long a save that was announced is waited for: the disk then holds the user's own text before we are told. */
const longestSave = 2000;

/** How long the disk must stay as it is before it is told: a file may be seen half written. */
const stillFor = 100;

/** How often an edit is tried when the user types at the same moment. */
const mostAttempts = 3;

/** The user settled a file for the editor's text: what the disk holds now is no news any more. */
const kept = new vscode.EventEmitter<vscode.TextDocument>();

/** When editor and disk were last the same. Replaced, never changed. */
interface InStep {
  /** What the disk held; undefined while it is read. */
  readonly held: Held | undefined;
  readonly encoding: string;
  /** The document's version when it was found without unsaved text, and what counted until then. */
  readonly found?: { readonly version: number; readonly before: InStep | undefined };
}

/** One per session. */
export class DiskWatch implements Disposable {
  readonly #options: DiskWatchOptions;
  readonly #confinement: Confinement;
  readonly #store = new DisposableStore();
  readonly #names = new NamedPaths();
  readonly #inStep = new WeakMap<vscode.TextDocument, InStep>();
  /** When a save was announced that is not done yet. */
  readonly #saving = new WeakMap<vscode.TextDocument, number>();
  /** Those whose unsaved text is not new. */
  readonly #dirty = new WeakSet<vscode.TextDocument>();
  /** What was seen on disk beneath unsaved text, and since when. */
  readonly #suspected = new WeakMap<vscode.TextDocument, { readonly disk: Held; readonly since: number }>();
  /** With the path they are reported by. */
  readonly #diverged = new Map<vscode.TextDocument, string>();
  /** By the path that the agent named. Undefined while the document is looked for. */
  readonly #unsaved = new Map<string, vscode.TextDocument | undefined>();
  readonly #told = new Map<string, FileNote>();
  #isLooking = false;
  #mustLook = false;
  #later: { readonly due: number; readonly timer: NodeJS.Timeout } | undefined;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#confinement = new Confinement(nodePaths(), options.roots);
    this.#listen();
    for (const document of fileDocuments()) this.#isNowInStep(document);
  }

  /** The agent's write to this file is in the editor only. `path` is as the agent named it. */
  unsaved(path: string): void {
    if (this.#store.isDisposed) return;
    this.#unsaved.set(path, undefined);
    this.#tell();
    this.#findUnsaved(path).catch((thrown: unknown) => this.#fault(path, thrown));
  }

  /** The agent reported something: at the end of a tool call, unsaved documents are compared with the disk. */
  observe(event: SessionEvent): void {
    this.#names.observe(event);
    if (endsTool(event)) this.#look();
  }

  dispose(): void {
    clearTimeout(this.#later?.timer);
    this.#store.dispose();
  }

  #listen(): void {
    const { workspace } = vscode;
    this.#store.add(workspace.onDidOpenTextDocument(document => this.#opened(document)));
    this.#store.add(workspace.onDidChangeTextDocument(({ document }) => this.#changed(document)));
    this.#store.add(workspace.onWillSaveTextDocument(({ document }) => this.#saving.set(document, Date.now())));
    this.#store.add(workspace.onDidSaveTextDocument(document => this.#saved(document)));
    this.#store.add(workspace.onDidCloseTextDocument(document => this.#settle(document)));
    this.#store.add(kept.event(document => this.#forget(document)));
    for (const root of this.#options.roots) {
      const watcher = workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(root), "**"));
      this.#store.add(watcher);
      for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) {
        this.#store.add(event(() => this.#look()));
      }
    }
  }

  #opened(document: vscode.TextDocument): void {
    // A document that gets another language is closed and opened too, and stays what it was.
    if (document.uri.scheme === "file" && !this.#inStep.has(document)) this.#isNowInStep(document);
  }

  #changed(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file") return;
    if (!document.isDirty) {
      this.#isNowInStep(document);
      this.#settle(document);
      return;
    }
    // VS Code tells the user's first change in two steps: another text, not unsaved, and only then that it is unsaved.
    const { found } = this.#inStep.get(document) ?? {};
    if (found?.before && found.version === document.version) {
      if (found.before.held === undefined) this.#forget(document);
      else this.#inStep.set(document, found.before);
    }
    // The disk may have changed before this first change of the user's; later ones may make both the same again.
    if (this.#isFirstChange(document) || this.#diverged.has(document)) this.#look();
  }

  #isFirstChange(document: vscode.TextDocument): boolean {
    if (this.#dirty.has(document)) return false;
    this.#dirty.add(document);
    return true;
  }

  #saved(document: vscode.TextDocument): void {
    if (document.uri.scheme !== "file") return;
    this.#saving.delete(document);
    this.#settle(document);
    this.#forget(document);
  }

  /** What the disk holds now counts as known: also after a save, as the user may have typed on meanwhile. */
  #forget(document: vscode.TextDocument): void {
    const step: InStep = { held: undefined, encoding: document.encoding };
    this.#inStep.set(document, step);
    this.#learn(document, step).catch((thrown: unknown) => this.#fault(document.uri.fsPath, thrown));
  }

  async #learn(document: vscode.TextDocument, step: InStep): Promise<void> {
    const held = await heldOnDisk(document.uri.fsPath, step.encoding);
    if (this.#inStep.get(document) === step) this.#inStep.set(document, { ...step, held });
    this.#look();
  }

  /** Of a document without unsaved text. Of others the disk alone knows. */
  #isNowInStep(document: vscode.TextDocument): void {
    if (document.isDirty) return this.#forget(document);
    const was = this.#inStep.get(document);
    const { version, encoding } = document;
    const before =
      was?.found?.version === version ? was.found.before : was && { held: was.held, encoding: was.encoding };
    this.#inStep.set(document, { held: heldText(document.getText()), encoding, found: { version, before } });
    this.#dirty.delete(document);
  }

  /** Takes the document's notes back, if it is saved or closed. */
  #settle(document: vscode.TextDocument): void {
    if (document.isDirty && !document.isClosed) return;
    this.#diverged.delete(document);
    for (const [path, of] of this.#unsaved) if (of === document) this.#unsaved.delete(path);
    this.#tell();
  }

  async #findUnsaved(path: string): Promise<void> {
    const document = await openDocument(path, this.#confinement);
    if (!this.#unsaved.has(path)) return;
    if (document?.isDirty && !document.isClosed) this.#unsaved.set(path, document);
    else this.#unsaved.delete(path);
    this.#tell();
  }

  /** Compares every unsaved document with the disk, soon: calls in between are one. */
  #look(): void {
    this.#mustLook = true;
    if (this.#isLooking || this.#store.isDisposed) return;
    this.#isLooking = true;
    void this.#lookWhileNeeded();
  }

  async #lookWhileNeeded(): Promise<void> {
    while (this.#mustLook && !this.#store.isDisposed) {
      await Promise.resolve();
      this.#mustLook = false;
      for (const document of fileDocuments()) {
        if (!document.isDirty) continue;
        await this.#compare(document).catch((thrown: unknown) => this.#fault(document.uri.fsPath, thrown));
      }
    }
    this.#isLooking = false;
  }

  async #compare(document: vscode.TextDocument): Promise<void> {
    const before = this.#inStep.get(document);
    // Where it is not known yet what the disk held, it is looked at once it is.
    if (before?.held === undefined || this.#isSaving(document)) return;
    const { inside, key } = await this.#confinement.locate(document.uri.fsPath);
    if (!inside) return;
    const disk = await heldOnDisk(document.uri.fsPath, before.encoding);
    if (document.isClosed || !document.isDirty || this.#isSaving(document)) return;
    if (before !== this.#inStep.get(document)) {
      // What was read is of an older time.
      this.#mustLook = true;
      return;
    }
    if (!hasDiverged(before.held, disk, heldText(document.getText()))) {
      this.#suspected.delete(document);
      this.#diverged.delete(document);
    } else if (!this.#diverged.has(document) && this.#isStill(document, disk)) await this.#diverge(document, key);
    this.#tell();
  }

  #isStill(document: vscode.TextDocument, disk: Held): boolean {
    const seen = this.#suspected.get(document);
    const now = Date.now();
    const since = seen?.disk === disk ? seen.since : now;
    this.#suspected.set(document, { disk, since });
    if (now - since >= stillFor) return true;
    this.#lookIn(stillFor - (now - since));
    return false;
  }

  async #diverge(document: vscode.TextDocument, key: string): Promise<void> {
    const path = await this.#nameOf(document, key);
    if (document.isDirty && !document.isClosed) this.#diverged.set(document, path);
  }

  /** Whether the disk may hold what the user is just saving. If so, it is looked at later. */
  #isSaving(document: vscode.TextDocument): boolean {
    const since = this.#saving.get(document);
    if (since === undefined) return false;
    const left = since + longestSave - Date.now();
    if (left <= 0) {
      // It was refused: nothing is told about that.
      this.#saving.delete(document);
      return false;
    }
    this.#lookIn(left);
    return true;
  }

  #lookIn(ms: number): void {
    const due = Date.now() + ms;
    if (this.#store.isDisposed || (this.#later && this.#later.due <= due)) return;
    clearTimeout(this.#later?.timer);
    const timer = setTimeout(() => {
      this.#later = undefined;
      this.#look();
    }, ms);
    this.#later = { due, timer };
  }

  /** The path by which the agent knows the file, if it named it. */
  async #nameOf(document: vscode.TextDocument, key: string): Promise<string> {
    for (const [path, of] of this.#unsaved) if (of === document) return path;
    const own = document.uri.fsPath;
    for (const path of this.#names.newestFirst()) {
      if (path === own) return path;
      // What is no absolute path names no file.
      const located = await this.#confinement.locate(path).catch(() => undefined);
      if (located?.key === key) return path;
    }
    return own;
  }

  /** Reports what has become of the notes since the last time. */
  #tell(): void {
    if (this.#store.isDisposed) return;
    const notes = new Map<string, FileNote>();
    for (const path of this.#unsaved.keys()) notes.set(path, "unsaved");
    for (const path of this.#diverged.values()) notes.set(path, "diverged");
    for (const path of [...this.#told.keys()]) {
      if (notes.has(path)) continue;
      this.#told.delete(path);
      this.#options.report(path, null);
    }
    for (const [path, note] of notes) {
      if (this.#told.get(path) === note) continue;
      this.#told.set(path, note);
      this.#options.report(path, note);
    }
  }

  #fault(path: string, thrown: unknown): void {
    this.#options.log.error(`Could not compare ${quoted(path)} with the disk: ${asError(thrown).message}`);
  }
}

/** Does what the user chose about a file. Rejects with a sentence when it cannot. */
export async function settleFile(path: string, how: SettleFile): Promise<void> {
  const document = await openDocument(path, new Confinement(nodePaths(), []));
  if (document === undefined) throw failed(vscode.l10n.t("{0} is not open in the editor any more.", quoted(path)));
  switch (how) {
    case "save":
      return save(document);
    case "compare":
      return compare(document);
    case "take":
      return inTurn(() => take(document));
    case "keep":
      return inTurn(() => keep(document));
    default:
      throw unreachable(how);
  }
}

/** Saves, and believes only the disk: `save()` may say true and have done nothing. */
async function save(document: vscode.TextDocument): Promise<void> {
  if (!document.isDirty) return;
  const path = document.uri.fsPath;
  const before = await heldOnDisk(path, document.encoding);
  const said = await document.save();
  const disk = await heldOnDisk(path, document.encoding);
  if (disk === heldText(document.getText())) return;
  // The user has typed on since it was saved.
  if (said && document.isDirty && disk !== before) return;
  throw failed(
    vscode.l10n.t(
      "{0} could not be saved. It may be read-only, or have changed on disk: compare the two.",
      quoted(path),
    ),
  );
}

/** VS Code's own comparison of the file and the editor's text. */
async function compare(document: vscode.TextDocument): Promise<void> {
  const path = quoted(document.uri.fsPath);
  if (!(await isOnDisk(document))) {
    throw failed(vscode.l10n.t("{0} is not on disk any more: there is nothing to compare with.", path));
  }
  await vscode.commands.executeCommand("workbench.files.action.compareWithSaved", document.uri);
}

/** The document gets the disk's text. The user's stays in the undo history. */
async function take(document: vscode.TextDocument): Promise<void> {
  const path = quoted(document.uri.fsPath);
  const disk = await heldOnDisk(document.uri.fsPath, document.encoding);
  if (disk === nothing) {
    throw failed(vscode.l10n.t("{0} is not on disk any more. Save your text to write it anew, or close it.", path));
  }
  if (isBinary(disk)) throw failed(vscode.l10n.t("{0} is binary on disk now: there is no text to take.", path));
  await revert(document);
}

/**
 * The document keeps the user's text, and can be saved: VS Code refuses to save over a disk that it has not read, so
 * it reads the disk's text first. Nothing is written to disk.
 */
async function keep(document: vscode.TextDocument): Promise<void> {
  // Where there is no file, saving writes it anew.
  if (!(await isOnDisk(document))) return kept.fire(document);
  const text = withLineFeeds(document.getText());
  const { eol } = document;
  await revert(document);
  await edit(document, text, eol);
}

async function isOnDisk(document: vscode.TextDocument): Promise<boolean> {
  return (await heldOnDisk(document.uri.fsPath, document.encoding)) !== nothing;
}

/** The command knows no file but the active editor's: the document is shown, and never two of them at once. */
async function revert(document: vscode.TextDocument): Promise<void> {
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: columnOf(document) ?? vscode.ViewColumn.Active,
    preview: false,
  });
  const path = quoted(document.uri.fsPath);
  if (vscode.window.activeTextEditor !== editor)
    throw failed(vscode.l10n.t("{0} could not be shown. Try again.", path));
  await vscode.commands.executeCommand("workbench.action.files.revert");
  if (document.isDirty) throw failed(vscode.l10n.t("{0} could not be read from disk as text.", path));
}

/** Makes the document's text `wanted` with the smallest edit, and checks that it took it. */
async function edit(document: vscode.TextDocument, wanted: string, eol: vscode.EndOfLine): Promise<void> {
  const isDone = (): boolean => withLineFeeds(document.getText()) === wanted && document.eol === eol;
  for (let attempt = 0; attempt < mostAttempts && !isDone(); attempt++) {
    const before = withLineFeeds(document.getText());
    const place = placesIn(before);
    const edits = smallestEdits(before, wanted).map(one => {
      const [start, end] = [place(one.start), place(one.end)];
      return new vscode.TextEdit(new vscode.Range(start.line, start.character, end.line, end.character), one.text);
    });
    const change = new vscode.WorkspaceEdit();
    change.set(document.uri, document.eol === eol ? edits : [vscode.TextEdit.setEndOfLine(eol), ...edits]);
    // False also when the document changed since: then the edit is computed anew.
    await vscode.workspace.applyEdit(change);
  }
  if (isDone()) return;
  const path = quoted(document.uri.fsPath);
  throw failed(vscode.l10n.t("{0} did not take your text again. Undo in its editor brings it back.", path));
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other. */
function inTurn(run: () => Promise<void>): Promise<void> {
  const done = last.then(run);
  // Whoever asked for it is told.
  last = done.catch(() => undefined);
  return done;
}

function columnOf(document: vscode.TextDocument): vscode.ViewColumn | undefined {
  const uri = document.uri.toString();
  const shows = (tab: vscode.Tab): boolean =>
    tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri;
  return vscode.window.tabGroups.all.find(group => group.tabs.some(shows))?.viewColumn;
}

function fileDocuments(): readonly vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(one => one.uri.scheme === "file" && !one.isClosed);
}

/** The open document of a file, through symbolic links: under several names, the one with unsaved text. */
async function openDocument(path: string, confinement: Confinement): Promise<vscode.TextDocument | undefined> {
  const { key } = await confinement.locate(path);
  const documents = fileDocuments();
  // A document whose path cannot be resolved any more is no document of this file.
  const located = await Promise.all(documents.map(one => confinement.locate(one.uri.fsPath).catch(() => undefined)));
  const same = documents.filter((one, index) => located[index]?.key === key && !one.isClosed);
  const unsaved = same.filter(one => one.isDirty);
  return unsaved.find(one => one.uri.fsPath === path) ?? unsaved[0] ?? same[0];
}

async function heldOnDisk(path: string, encoding: string): Promise<Held> {
  let bytes: Uint8Array;
  try {
    if (!(await stat(path)).isFile()) return nothing;
    bytes = await readFile(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return nothing;
    throw thrown;
  }
  try {
    return heldText(await vscode.workspace.decode(bytes, { encoding }));
  } catch {
    return heldBytes(bytes); // It is binary now.
  }
}

function failed(message: string): Error {
  return new Error(message);
}
