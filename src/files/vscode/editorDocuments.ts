// The Documents port on VS Code: reads unsaved text first, writes through the editor, and verifies every write.
import { createReadStream, constants } from "node:fs";
import { access, mkdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import * as vscode from "vscode";
import { Refusal, asError, errorCodeOf, isNotFoundError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import { hostPlatform } from "../../base/platform.ts";
import { byteOrderMark, normalizeText, withLineFeeds } from "../../base/text.ts";
import { diskBytes } from "../../editor/diskText.ts";
import {
  findOpenDocument,
  maxReloadWait,
  reopenIfClosed,
  waitForReload,
  withFileLock,
} from "../../editor/openDocuments.ts";
import type { WriteResult } from "../../session/agent.ts";
import { readLines, sliceLines, tooLargeRefusal } from "../lineWindow.ts";
import { mergeTexts } from "../mergeTexts.ts";
import { pathKey } from "../paths.ts";
import type { Documents, FileStat, KnownText, LineWindow, PathResolver } from "../ports.ts";
import { binaryRefusal, failedRefusal, missingRefusal } from "../refusals.ts";
import { looksTyped } from "../typedEdits.ts";
import { agentTextOf, announceAgentText, endAgentText } from "./agentEdits.ts";
import { decodedFile, intactFile, intactUnsaved, lineDecoder, refuseLoss } from "./decodedFile.ts";
import { isNoticed, modificationTime, noteKnownTime, noteSave, saveUnnoticed } from "./noticedChanges.ts";
import { unsavedEditors } from "./unsavedEditors.ts";
import { applyTextChanges, createEmptyFile, lineEndOf, saveAndVerify } from "./textFile.ts";

export interface EditorDocumentsOptions {
  /** Whether to save a document that also has unsaved changes of the user. */
  readonly saveUnsaved?: () => boolean;
}

/** How long to wait for a save in progress (ms). VS Code gives save participants 1.75 s. */
const maxSaveWait = 3000;

/** A text that the agent sends, and the one that it derived it from, if it is known. */
interface AgentWrite {
  readonly wanted: string;
  readonly known?: KnownText;
}

/** The texts around an edit, and the document that has it now. */
interface AgentEdit {
  readonly document: vscode.TextDocument;
  readonly before: string;
  readonly written: string;
  /** The user typed at the same moment. */
  readonly isMoving: boolean;
}

/** Attempts to edit a document in which the user is typing. */
const maxEditAttempts = 10;

/** The pause before the next attempt (ms). */
const typingPause = 40;

/** Files through VS Code. Matches open documents by real path, also through symbolic links. */
export class EditorDocuments implements Documents, Disposable {
  readonly #resolver: PathResolver;
  readonly #options: EditorDocumentsOptions;
  readonly #store = new DisposableStore();
  /** The number of the user's edits, by the path of the document. */
  readonly #userEdits = new Map<string, number>();

  constructor(resolver: PathResolver, options: EditorDocumentsOptions = {}) {
    this.#resolver = resolver;
    this.#options = options;
    this.#store.add(vscode.workspace.onDidChangeTextDocument(event => this.#documentChanged(event)));
    this.#store.add(vscode.workspace.onDidSaveTextDocument(noteSave));
  }

  dispose(): void {
    this.#store.dispose();
  }

  async userEdits(path: string): Promise<number> {
    const open = await this.#openDocument(path);
    return this.#userEdits.get(open?.uri.fsPath ?? path) ?? 0;
  }

  async stat(path: string): Promise<FileStat> {
    const open = await this.#openDocument(path);
    if (open?.isDirty) return { kind: "file", size: open.getText().length, unsaved: true };
    try {
      const found = await stat(path);
      const kind = found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
      return { kind, size: found.size, unsaved: false };
    } catch (thrown) {
      if (isNotFoundError(thrown)) return { kind: "missing", size: 0, unsaved: false };
      throw thrown;
    }
  }

  async read(path: string): Promise<string> {
    const open = await this.#openDocument(path);
    if (open?.isDirty) return intactUnsaved(open);
    await this.#refuseUnsavedEditor(path);
    // A document without unsaved text may be older than the disk, but never newer.
    const text = await intactFile(path, open);
    if (text === undefined) throw missingRefusal(path);
    return text;
  }

  async readWindow(path: string, window: LineWindow, maxBytes: number): Promise<string> {
    const open = await this.#openDocument(path);
    if (!open?.isDirty) {
      await this.#refuseUnsavedEditor(path);
      return readLines(createReadStream(path), window, maxBytes, await lineDecoder(path, open));
    }
    const text = sliceLines(await intactUnsaved(open), window);
    if (Buffer.byteLength(text) > maxBytes) throw tooLargeRefusal(maxBytes);
    return text;
  }

  async write(path: string, content: string, known?: KnownText): Promise<WriteResult> {
    await this.#refuseUnsavedEditor(path);
    const topFolder = await createFolder(dirname(path));
    try {
      const open = await this.#openDocument(path);
      const isMissing = open === undefined && (await this.stat(path)).kind === "missing";
      const isNew = isMissing && (await createFile(path, content.startsWith(byteOrderMark)));
      try {
        return await this.#writeInto(open ?? (await openNow(path)), content, known);
      } catch (thrown) {
        if (isNew) await rm(path, { force: true });
        throw thrown;
      }
    } catch (thrown) {
      if (topFolder !== undefined) await removeEmptyFolders(dirname(path), topFolder);
      throw thrown;
    }
  }

  async #writeInto(found: vscode.TextDocument, content: string, known?: KnownText): Promise<WriteResult> {
    let document = found;
    const wanted = normalizeText(content);
    const isUsersOwn = document.isDirty && !(await isAsOnDisk(document));
    await refuseReadOnly(document);
    if (!isUsersOwn) document = await waitForDiskText(document);
    const path = document.uri.fsPath;
    return withFileLock([document.uri], () =>
      this.#editAndSave(document, { wanted, ...(known && { known }) }, isUsersOwn).finally(() => endAgentText(path)),
    );
  }

  async #editAndSave(found: vscode.TextDocument, write: AgentWrite, isUsersOwn: boolean): Promise<WriteResult> {
    await refuseLoss(found, write.wanted);
    const isTyping = found.isDirty && !(await isAsOnDisk(found));
    const { document, before, written, isMoving } = await this.#edit(found, write);
    const path = document.uri.fsPath;
    const edits = this.#userEdits.get(path);
    // If the user has typed meanwhile, the document is theirs to save.
    const hasTyped = isTyping || isMoving || withLineFeeds(document.getText()) !== written;
    if ((isUsersOwn || hasTyped) && !this.#options.saveUnsaved?.()) return { saved: false };
    try {
      await saveOrRefuse(document, before);
    } catch (thrown) {
      await takeBack(document, { before, written, hasTyped: this.#userEdits.get(path) !== edits });
      throw thrown;
    }
    const after = withLineFeeds(document.getText());
    // If the document is unsaved again, the user has typed since, and the text is not only the agent's.
    return { saved: true, ...(after !== written && !document.isDirty && { result: { before, after } }) };
  }

  /** Puts the agent's text into the document, merged with what the user has typed since the agent read it. */
  async #edit(found: vscode.TextDocument, { wanted, known }: AgentWrite): Promise<AgentEdit> {
    let document = found;
    let isMoving = false;
    for (let attempt = 0; attempt < maxEditAttempts; attempt++) {
      document = await reopenIfClosed(document);
      const path = document.uri.fsPath;
      const before = withLineFeeds(document.getText());
      const isEdited = isMoving || (known !== undefined && known.userEdits !== (this.#userEdits.get(path) ?? 0));
      const written = known && isEdited ? mergedText(path, { known: known.text, before, wanted }) : wanted;
      announceAgentText(path, written);
      if (before === written) return { document, before, written, isMoving };
      // The editor refuses the edit if the document changed in the meantime. Then it is merged again.
      if (await applyTextChanges([{ uri: document.uri, before, after: written }]))
        return { document: await reopenIfClosed(document), before, written, isMoving };
      isMoving = true;
      await delay(typingPause);
    }
    throw failedRefusal(
      document.uri.fsPath,
      "did not accept the change, because it changed at the same moment. Read it again.",
    );
  }

  #documentChanged({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.scheme !== "file") return;
    const path = document.uri.fsPath;
    const expected = agentTextOf(path);
    if (expected === undefined) {
      // A document that stays clean was loaded from the disk. The user's first edit is reported as unsaved afterwards.
      if (!document.isDirty && reason === undefined) return;
    } else if (!looksTyped(contentChanges) || withLineFeeds(document.getText()) === expected) return;
    this.#userEdits.set(path, (this.#userEdits.get(path) ?? 0) + 1);
  }

  #openDocument(path: string): Promise<vscode.TextDocument | undefined> {
    return findOpenDocument(path, {
      ofPath: name => this.#key(name),
      ofFile: async name => this.#key(await this.#resolver.real(name)),
    });
  }

  /** Refuses a file with unsaved changes that are no text, because neither the disk nor a text document has them. */
  async #refuseUnsavedEditor(path: string): Promise<void> {
    const unsaved = unsavedEditors();
    if (unsaved.size === 0) return;
    const keyOf = async (name: string): Promise<string> => this.#key(await this.#resolver.real(name));
    const key = await keyOf(path);
    for (const [name, kind] of unsaved) {
      // A file whose path can no longer be resolved is another one.
      if ((await keyOf(name).catch(() => undefined)) !== key) continue;
      throw failedRefusal(path, `is open ${kind} with unsaved changes. Ask the user to save it.`);
    }
  }

  #key(path: string): string {
    return pathKey(path, hostPlatform, this.#resolver.ignoresCase);
  }
}

/** Creates a folder with its parents. Returns the first one that did not exist. */
async function createFolder(folder: string): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true });
  } catch (thrown) {
    const isNoFolder = errorCodeOf(thrown) === "EEXIST" || errorCodeOf(thrown) === "ENOTDIR";
    throw failedRefusal(folder, isNoFolder ? "is not a folder." : `could not be created: ${asError(thrown).message}`);
  }
}

/** Removes the folders from `folder` up to `top` that were created for a refused write, unless something is in them. */
async function removeEmptyFolders(folder: string, top: string): Promise<void> {
  for (let current = folder; ; current = dirname(current)) {
    try {
      await rmdir(current);
    } catch (thrown) {
      const code = errorCodeOf(thrown);
      if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOENT") return;
      throw failedRefusal(
        current,
        `was created for a refused write and could not be removed: ${asError(thrown).message}`,
      );
    }
    if (current === top) return;
  }
}

/** Creates a file without text. Returns false if there is one now: some agents create it themselves at the same moment. */
async function createFile(path: string, hasMark: boolean): Promise<boolean> {
  try {
    return await createEmptyFile(path, hasMark ? byteOrderMark : "");
  } catch (thrown) {
    throw failedRefusal(path, `could not be created: ${asError(thrown).message}`);
  }
}

/** Opens the document, which VS Code loads then: a change on disk before that is noticed. */
async function openNow(path: string): Promise<vscode.TextDocument> {
  const time = await modificationTime(path);
  try {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
    noteKnownTime(document, time);
    return document;
  } catch (thrown) {
    const { message } = asError(thrown);
    if (/binary/i.test(message)) throw binaryRefusal(path);
    throw failedRefusal(path, `could not be opened: ${message}`);
  }
}

/** The agent's text with what the user has typed since the agent read the file. */
function mergedText(
  path: string,
  { known, before, wanted }: { known: string; before: string; wanted: string },
): string {
  const merged = mergeTexts(known, before, wanted);
  if (merged.kind === "merged") return merged.text;
  throw failedRefusal(
    path,
    `has changed since you read it: the user edited line ${merged.line}, which your text changes too. Nothing was written. Read the file again, then write it with the user's text.`,
  );
}

/**
 * Takes the agent's change back after its save failed. What the user has typed since stays. Where it touches the agent's
 * change, both stay, unsaved. A formatter can have changed the agent's text too, which does not stay.
 */
async function takeBack(
  found: vscode.TextDocument,
  { before, written, hasTyped }: { before: string; written: string; hasTyped: boolean },
): Promise<void> {
  let document = found;
  for (let attempt = 0; attempt < maxEditAttempts; attempt++) {
    document = await reopenIfClosed(document);
    const current = withLineFeeds(document.getText());
    const merged = mergeTexts(written, current, before);
    if (merged.kind === "conflict" && hasTyped) return;
    const after = merged.kind === "merged" ? merged.text : before;
    announceAgentText(document.uri.fsPath, after);
    if (await applyTextChanges([{ uri: document.uri, before: current, after }])) return;
    await delay(typingPause);
  }
}

const delay = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));

async function isAsOnDisk(document: vscode.TextDocument): Promise<boolean> {
  const disk = await decodedFile(document.uri.fsPath, document);
  return disk !== undefined && withLineFeeds(disk) === withLineFeeds(document.getText());
}

async function saveOrRefuse(document: vscode.TextDocument, before: string): Promise<void> {
  const path = document.uri.fsPath;
  const readDisk = async (): Promise<string | undefined> => {
    const disk = await decodedFile(path, document);
    return disk === undefined ? undefined : withLineFeeds(disk);
  };
  // The editor keeps the document of a file that was deleted, and saves it only if it was edited.
  if (!document.isDirty && (await diskBytes(path)) === undefined) {
    const bytes = await vscode.workspace.encode(document.getText(), { encoding: document.encoding });
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes, { flag: "wx" });
  }
  const isUnchanged = async (): Promise<boolean> => (await readDisk()) === before;
  const save = (): Promise<boolean> => saveAndVerify(document, { before, readDisk, maxSaveWait });
  if ((await save()) || ((await saveUnnoticed(document, isUnchanged)) && (await save())))
    return noteKnownTime(document, await modificationTime(path));
  throw failedRefusal(path, "could not be saved. It may be read-only, or have changed on disk.");
}

/** Waits until the document has the text on disk, because an edit of older text could not be saved. */
async function waitForDiskText(document: vscode.TextDocument): Promise<vscode.TextDocument> {
  const path = document.uri.fsPath;
  const isCurrent = async (one: vscode.TextDocument): Promise<boolean> => {
    const disk = await decodedFile(path, one);
    if (disk === undefined || one.isDirty) return true;
    if (withLineFeeds(disk) !== withLineFeeds(one.getText())) return false;
    const lineEnd = lineEndOf(disk);
    return (lineEnd === undefined || lineEnd === one.eol) && (await isNoticed(one));
  };
  const current = await waitForReload(document, isCurrent, maxReloadWait);
  if (current) return current;
  throw failedRefusal(path, "has changed on disk, and the editor has not reloaded it yet. Try again.");
}

async function refuseReadOnly(document: vscode.TextDocument): Promise<void> {
  const path = document.uri.fsPath;
  if (vscode.workspace.fs.isWritableFileSystem("file") === false || isReadOnlyBySetting(document)) {
    throw failedRefusal(path, "is read-only in this editor.");
  }
  try {
    const { mode } = await stat(path);
    await access(path, constants.W_OK);
    // The editor uses the mode, also for a user such as root who can write everything.
    if ((mode & 0o200) === 0) throw failedRefusal(path, "is read-only.");
  } catch (thrown) {
    if (isNotFoundError(thrown)) return;
    throw thrown instanceof Refusal ? thrown : failedRefusal(path, "is read-only.");
  }
}

function isReadOnlyBySetting(document: vscode.TextDocument): boolean {
  const files = vscode.workspace.getConfiguration("files", document.uri);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const matches = (setting: string): boolean =>
    Object.entries(files.get<Record<string, unknown>>(setting) ?? {}).some(([glob, on]) => {
      const pattern = isAbsolute(glob) || !folder ? glob : new vscode.RelativePattern(folder, glob);
      return on === true && vscode.languages.match({ pattern }, document) > 0;
    });
  return matches("readonlyInclude") && !matches("readonlyExclude");
}
