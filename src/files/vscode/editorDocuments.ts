// The Documents port on VS Code: reads unsaved text first, writes through the editor, and verifies every write.
import { createReadStream, constants } from "node:fs";
import { access, mkdir, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import * as vscode from "vscode";
import { Refusal, asError, errorCodeOf, isNotFoundError, unreachable } from "../../base/errors.ts";
import { hostPlatform } from "../../base/platform.ts";
import { byteOrderMark, normalizeText, quotePath, withLineFeeds } from "../../base/text.ts";
import { diskBytes, isFile, readDisk } from "../../editor/diskText.ts";
import { findOpenDocument, maxReloadWait, waitForReload, withFileLock } from "../../editor/openDocuments.ts";
import type { WriteResult } from "../../session/agent.ts";
import { readLines } from "../lineWindow.ts";
import { pathKey } from "../paths.ts";
import type { Documents, FileStat, LineWindow, PathResolver } from "../ports.ts";
import { applyTextChanges, replaceText, saveAndVerify } from "./textFile.ts";

export interface EditorDocumentsOptions {
  /** Whether to save a document that also has unsaved changes of the user. */
  readonly saveUnsaved?: () => boolean;
}

/** How long to wait for a save in progress (ms). VS Code gives save participants 1.75 s. */
const maxSaveWait = 3000;

/** Files through VS Code. Matches open documents by real path, also through symbolic links. */
export class EditorDocuments implements Documents {
  readonly #resolver: PathResolver;
  readonly #options: EditorDocumentsOptions;

  constructor(resolver: PathResolver, options: EditorDocumentsOptions = {}) {
    this.#resolver = resolver;
    this.#options = options;
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
    if (open?.isDirty) return open.getText();
    // A document without unsaved text may be older than the disk, but never newer.
    return (await decodedFile(path, open)) ?? throwMissing(path);
  }

  readWindow(path: string, window: LineWindow, maxBytes: number): Promise<string> {
    return readLines(createReadStream(path), window, maxBytes);
  }

  async write(path: string, content: string): Promise<WriteResult> {
    await this.#refuseUnsavedNotebook(path);
    await createFolder(dirname(path));
    const open = await this.#openDocument(path);
    const isNew = open === undefined && (await this.stat(path)).kind === "missing";
    if (isNew) await createFile(path, content.startsWith(byteOrderMark));
    try {
      return await this.#writeInto(open ?? (await openDocument(path)), content);
    } catch (thrown) {
      if (isNew) await rm(path, { force: true });
      throw thrown;
    }
  }

  async #writeInto(found: vscode.TextDocument, content: string): Promise<WriteResult> {
    let document = found;
    const wanted = normalizeText(content);
    const isUsersOwn = document.isDirty && !(await isAsOnDisk(document));
    await refuseReadOnly(document);
    if (!isUsersOwn) document = await waitForDiskText(document);
    return withFileLock([document.uri], () => this.#editAndSave(document, wanted, isUsersOwn));
  }

  async #editAndSave(found: vscode.TextDocument, wanted: string, isUsersOwn: boolean): Promise<WriteResult> {
    let document = found;
    await refuseLoss(document, wanted);
    const before = withLineFeeds(document.getText());
    document = await applyText(document, wanted);
    if (isUsersOwn && !this.#options.saveUnsaved?.()) return { saved: false };
    try {
      await saveOrRefuse(document, before);
    } catch (thrown) {
      await applyText(document, before);
      throw thrown;
    }
    const after = withLineFeeds(document.getText());
    // If the document is unsaved again, the user has typed since, and the text is not only the agent's.
    return { saved: true, ...(after !== wanted && !document.isDirty && { result: { before, after } }) };
  }

  #openDocument(path: string): Promise<vscode.TextDocument | undefined> {
    return findOpenDocument(path, {
      ofPath: name => this.#key(name),
      ofFile: async name => this.#key(await this.#resolver.real(name)),
    });
  }

  async #refuseUnsavedNotebook(path: string): Promise<void> {
    const unsaved = vscode.workspace.notebookDocuments.filter(one => one.isDirty && one.uri.scheme === "file");
    if (unsaved.length === 0) return;
    const key = this.#key(await this.#resolver.real(path));
    for (const notebook of unsaved) {
      if (this.#key(await this.#resolver.real(notebook.uri.fsPath)) !== key) continue;
      throw new Refusal(
        "failed",
        `${quotePath(path)} is open as a notebook with unsaved changes. Ask the user to save it.`,
        {
          path,
        },
      );
    }
  }

  #key(path: string): string {
    return pathKey(path, hostPlatform, this.#resolver.ignoresCase);
  }
}

async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (thrown) {
    const isNoFolder = errorCodeOf(thrown) === "EEXIST" || errorCodeOf(thrown) === "ENOTDIR";
    throw failedRefusal(folder, isNoFolder ? "is not a folder." : `could not be created: ${asError(thrown).message}`);
  }
}

/** Creates an empty file through the editor, so that it can be undone and other extensions are notified. */
async function createFile(path: string, hasMark: boolean): Promise<void> {
  const bytes = hasMark ? new TextEncoder().encode(byteOrderMark) : new Uint8Array(0);
  const isDone = await applyTextChanges([
    { uri: vscode.Uri.file(path), before: null, after: "", bytes, mayExist: true },
  ]);
  // Some agents create the file themselves at the same moment.
  if (!isDone && !(await isFile(path))) throw failedRefusal(path, "could not be created: the editor refused.");
}

async function openDocument(path: string): Promise<vscode.TextDocument> {
  try {
    return await vscode.workspace.openTextDocument(vscode.Uri.file(path));
  } catch (thrown) {
    const { message } = asError(thrown);
    if (/binary/i.test(message)) throw binaryRefusal(path);
    throw failedRefusal(path, `could not be opened: ${message}`);
  }
}

/** Changes the document's text. Returns the document that has it, or rejects with a Refusal. */
async function applyText(document: vscode.TextDocument, wanted: string): Promise<vscode.TextDocument> {
  const changed = await replaceText(document, wanted);
  if (changed) return changed;
  throw failedRefusal(
    document.uri.fsPath,
    "did not accept the change, because it changed at the same moment. Read it again.",
  );
}

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
  if (await saveAndVerify(document, { before, readDisk, maxSaveWait })) return;
  throw failedRefusal(path, "could not be saved. It may be read-only, or have changed on disk.");
}

/** Waits until the document has the text on disk, because an edit of older text could not be saved. */
async function waitForDiskText(document: vscode.TextDocument): Promise<vscode.TextDocument> {
  const path = document.uri.fsPath;
  const isCurrent = async (one: vscode.TextDocument): Promise<boolean> => {
    const disk = await decodedFile(path, one);
    return disk === undefined || one.isDirty || withLineFeeds(disk) === withLineFeeds(one.getText());
  };
  const current = await waitForReload(document, isCurrent, maxReloadWait);
  if (current) return current;
  throw failedRefusal(path, "has changed on disk, and the editor has not reloaded it yet. Try again.");
}

/** The decoded file without a byte-order mark. Undefined if there is none. */
async function decodedFile(path: string, document: vscode.TextDocument | undefined): Promise<string | undefined> {
  const content = await readDisk(path, document?.encoding);
  switch (content.kind) {
    case "text":
      return content.text;
    case "missing":
      return undefined;
    case "undecodable":
      throw content.bytes.includes(0) ? binaryRefusal(path) : content.error;
    default:
      throw unreachable(content);
  }
}

/** Refuses a write that would lose text: bytes that were not decoded, or characters that the encoding lacks. */
async function refuseLoss(document: vscode.TextDocument, wanted: string): Promise<void> {
  const { encoding } = document;
  const path = document.uri.fsPath;
  if (!document.isDirty && document.getText().includes("\uFFFD")) {
    const now = await vscode.workspace.encode(document.getText(), { encoding });
    const bytes = (await diskBytes(path)) ?? throwMissing(path);
    if (!bytes.equals(now))
      throw failedRefusal(path, `is not valid ${encoding}. Ask the user to reopen it with the right encoding.`);
  }
  if (encoding.startsWith("utf")) return;
  const bytes = await vscode.workspace.encode(wanted, { encoding });
  if ((await vscode.workspace.decode(bytes, { encoding })) === wanted) return;
  throw new Refusal(
    "invalid",
    `${quotePath(path)} is encoded in ${encoding}, which lacks characters of the new text.`,
    {
      path,
    },
  );
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

function throwMissing(path: string): never {
  throw new Refusal("notFound", `${quotePath(path)} does not exist.`, { path });
}

function binaryRefusal(path: string): Refusal {
  return new Refusal("invalid", `${quotePath(path)} is binary, not text.`, { path });
}

function failedRefusal(path: string, reason: string): Refusal {
  return new Refusal("failed", `${quotePath(path)} ${reason}`, { path });
}
