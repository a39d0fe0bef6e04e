// The folders that Parley has opened in this profile. Each window writes a file for its folder, so that windows do not
// overwrite what others wrote. Files of folders that are gone stay, because a drive can come back, and are not listed.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { forEachLimited } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { isBoolean, isFiniteNumber, isRecordWith, isString, optional } from "../base/validators.ts";
import { requestFileName } from "./folderRequest.ts";

/** A folder, or a workspace of several folders, that Parley has opened. */
export interface OpenedFolder {
  /** The URI of the folder or of the workspace file. Its scheme is `file`. */
  readonly uri: string;
  /** The path of the folder in which Parley keeps its sessions. */
  readonly sessionsFolder: string;
  /** When a window has opened it last, ms since the epoch. */
  readonly opened: number;
}

export interface OpenedFoldersOptions {
  /** The path of the folder of the list, in the storage of the extension for the profile. */
  readonly path: string;
  /** The id of the extension. Only folders of its own storage are listed. */
  readonly extension: string;
  readonly log: Log;
}

/** The place of a hit in a session, and the query that found it. */
export interface RequestedHit {
  /** The index of the entry in the conversation. */
  readonly entry: number;
  /** The index of the hit in the entry. */
  readonly nth: number;
  readonly query: string;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
  readonly regex: boolean;
}

/** What the window on a folder is to show. */
export interface RequestedSession {
  readonly session: string;
  readonly hit?: RequestedHit;
}

const isHit = isRecordWith({
  ...{ entry: isFiniteNumber, nth: isFiniteNumber, query: isString },
  ...{ matchCase: isBoolean, wholeWord: isBoolean, regex: isBoolean },
});
const isRequest = isRecordWith({ session: isString, hit: optional(isHit), at: isFiniteNumber });
/** A window may need this long to open, also with a question whether the user trusts the folder (ms). */
const maxRequestAge = 120_000;
const isOpenedFolder = isRecordWith({ uri: isString, sessionsFolder: isString, opened: isFiniteNumber });
/** The number of files that are read at once. */
const maxReads = 16;

const fileName = (uri: string): string => `${createHash("sha256").update(uri).digest("hex").slice(0, 32)}.json`;

/** The path of the folder or of the workspace file. Throws if the URI has another scheme than `file`. */
export const pathOfFolder = ({ uri }: OpenedFolder): string => fileURLToPath(uri);

/** The name of the folder or of the workspace. */
export const nameOfFolder = (folder: OpenedFolder): string =>
  basename(pathOfFolder(folder)).replace(/\.code-workspace$/, "") || pathOfFolder(folder);

export class OpenedFolders {
  readonly #options: OpenedFoldersOptions;

  constructor(options: OpenedFoldersOptions) {
    this.#options = options;
  }

  /** Notes that a window has opened the folder. Rejects, and changes nothing, if that cannot be stored. */
  note(folder: OpenedFolder): Promise<void> {
    return this.#write(fileName(folder.uri), folder);
  }

  /** Requests that the window on a folder shows a session. `now`: ms since the epoch. */
  request(
    { sessionsFolder }: Pick<OpenedFolder, "sessionsFolder">,
    requested: RequestedSession,
    now: number,
  ): Promise<void> {
    return this.#write(requestFileName(sessionsFolder), { ...requested, at: now });
  }

  /**
   * Takes the request for the window on a folder. Undefined if there is none, or it is old, because its window did not open.
   * Rejects if it cannot be read.
   */
  async takeRequest(
    { sessionsFolder }: Pick<OpenedFolder, "sessionsFolder">,
    now: number,
  ): Promise<RequestedSession | undefined> {
    const path = join(this.#options.path, requestFileName(sessionsFolder));
    try {
      const text = await readFile(path, "utf8");
      // Of two windows on the folder, one removes it.
      await unlink(path);
      const request: unknown = JSON.parse(text);
      if (!isRequest(request) || Math.abs(now - request.at) > maxRequestAge) return undefined;
      const { session, hit } = request;
      return { session, ...(hit && { hit }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async #write(name: string, value: object): Promise<void> {
    const path = join(this.#options.path, name);
    await mkdir(this.#options.path, { recursive: true });
    const temporaryFile = `${path}.${process.pid}.tmp`;
    await writeFile(temporaryFile, JSON.stringify(value), "utf8");
    await rename(temporaryFile, path);
  }

  /** The folders that exist, the latest opened first. Damaged files are left out and logged. Rejects if there is no access. */
  async list(): Promise<readonly OpenedFolder[]> {
    const { path, log } = this.#options;
    const names = await readdir(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    });
    const found: OpenedFolder[] = [];
    const files = names.filter(name => /^[0-9a-f]{32}\.json$/.test(name));
    await forEachLimited(files, maxReads, async name => {
      try {
        found.push(await this.#read(name));
      } catch (error) {
        log.debug("A folder is not listed.", { file: name, reason: asError(error).message });
      }
    });
    return found.sort((a, b) => b.opened - a.opened || (a.uri < b.uri ? -1 : 1));
  }

  async #read(name: string): Promise<OpenedFolder> {
    const { path, extension } = this.#options;
    const folder: unknown = JSON.parse(await readFile(join(path, name), "utf8"));
    if (!isOpenedFolder(folder) || fileName(folder.uri) !== name) throw new Error("The file is damaged.");
    // VS Code names the folder of an extension after it, in the letters of its manifest or in small ones.
    const isOwn = basename(dirname(folder.sessionsFolder)).toLowerCase() === extension.toLowerCase();
    if (!isAbsolute(folder.sessionsFolder) || !isOwn) throw new Error("Its sessions are not in the storage of Parley.");
    await stat(pathOfFolder(folder));
    await stat(folder.sessionsFolder);
    return folder;
  }
}
