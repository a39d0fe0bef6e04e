// The other folders that Parley has opened in this profile, with their sessions. They are only read.
import { asError } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import { homeLabel } from "../base/pathLabel.ts";
import { readFolderSessions, type FolderSessions, type ReadSessionStorage } from "./folderSessions.ts";
import { nameOfFolder, pathOfFolder, type OpenedFolder, type OpenedFolders } from "./openedFolders.ts";
import { liveSessions } from "./rememberedSessions.ts";
import type { ListedSession } from "./sessionGroups.ts";
import { listedEntry } from "./sessionList.ts";
import { runningWindows } from "./windowRecord.ts";

/** Another folder, with its sessions. */
export interface OtherFolder extends OpenedFolder, FolderSessions {
  readonly name: string;
  /** Its path, or that of its workspace file, with `~` for the home folder. */
  readonly label: string;
}

export interface OtherFoldersOptions {
  readonly opened: Pick<OpenedFolders, "list">;
  /** The path of the folder of this window's sessions. */
  readonly ownSessions: string;
  /** The home folder of the user. */
  readonly home: string;
  readonly clock: Clock;
  readonly openStorage: (sessionsFolder: string) => ReadSessionStorage;
  readonly isRunning: (pid: number) => boolean;
}

interface FolderReads {
  /** Undefined for a folder without sessions. */
  readonly folders: readonly Promise<OtherFolder | undefined>[];
  /** Resolves when all are read. */
  readonly stored: Promise<void>;
}

export class OtherFolders implements Disposable {
  readonly #options: OtherFoldersOptions;
  readonly #changed = new Emitter<void>();
  /** Fires when the folders have been read. */
  readonly onDidChange: Event<void> = this.#changed.event;
  #folders: readonly OtherFolder[] = [];
  /** When they were read last, ms since the epoch. */
  #readAt = -Infinity;
  #reading: Promise<FolderReads> | undefined;

  constructor(options: OtherFoldersOptions) {
    this.#options = options;
  }

  /** The folders with sessions, as they were read last. The latest opened first. */
  get folders(): readonly OtherFolder[] {
    return this.#folders;
  }

  /**
   * Reads them, unless they were read less than `maxAge` ago (ms). A folder that cannot be read is one with a damaged file.
   * Rejects if the list of folders cannot be read.
   */
  async read(maxAge = 0): Promise<readonly OtherFolder[]> {
    if (!this.#isFresh(maxAge)) await (await this.#begin()).stored;
    return this.#folders;
  }

  /** {@link read}, with each folder as soon as it is read. */
  async *each(maxAge = 0): AsyncGenerator<OtherFolder, void> {
    if (this.#isFresh(maxAge)) return yield* this.#folders;
    for (const read of (await this.#begin()).folders) {
      const folder = await read;
      if (folder) yield folder;
    }
  }

  /** The folders in which running windows have sessions open, also some without messages. Rejects if they cannot be read. */
  async openInWindows(): Promise<readonly OpenedFolder[]> {
    const { opened, ownSessions, openStorage, clock, isRunning } = this.#options;
    const found: OpenedFolder[] = [];
    for (const folder of await opened.list()) {
      if (folder.sessionsFolder === ownSessions) continue;
      const windows = await runningWindows(openStorage(folder.sessionsFolder), clock.now(), isRunning);
      if (windows.some(text => liveSessions(text).length > 0)) found.push(folder);
    }
    return found;
  }

  #isFresh(maxAge: number): boolean {
    return this.#options.clock.now() - this.#readAt < maxAge;
  }

  /** Begins to read, or joins who reads already. */
  #begin(): Promise<FolderReads> {
    return (this.#reading ??= this.#read().catch((error: unknown) => {
      this.#reading = undefined;
      throw error;
    }));
  }

  async #read(): Promise<FolderReads> {
    const { opened, ownSessions } = this.#options;
    let previous: Promise<unknown> = Promise.resolve();
    // One after the other, because this is not urgent.
    const folders = (await opened.list())
      .filter(({ sessionsFolder }) => sessionsFolder !== ownSessions)
      .map(folder => {
        const read = previous.then(() => this.#folder(folder));
        previous = read;
        return read;
      });
    return { folders, stored: this.#store(folders) };
  }

  async #store(folders: FolderReads["folders"]): Promise<void> {
    const found = await Promise.all(folders);
    this.#folders = found.filter(folder => folder !== undefined);
    this.#readAt = this.#options.clock.now();
    this.#reading = undefined;
    this.#changed.fire();
  }

  async #folder(folder: OpenedFolder): Promise<OtherFolder | undefined> {
    const sessions = await this.#sessionsOf(folder);
    if (sessions.sessions.length + sessions.damaged.length === 0) return undefined;
    const label = homeLabel(pathOfFolder(folder), this.#options.home);
    return { ...folder, ...sessions, name: nameOfFolder(folder), label };
  }

  async #sessionsOf({ sessionsFolder }: OpenedFolder): Promise<FolderSessions> {
    const { openStorage, clock, isRunning } = this.#options;
    try {
      return await readFolderSessions(openStorage(sessionsFolder), clock.now(), isRunning);
    } catch (error) {
      return { sessions: [], damaged: [{ file: sessionsFolder, reason: asError(error).message }] };
    }
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

/** Another folder, as the Sessions view lists it. */
export interface ListedFolder extends Pick<OtherFolder, "uri" | "sessionsFolder" | "name" | "label" | "damaged"> {
  /** The latest first. `isOpen`: a window has the session open. */
  readonly sessions: readonly { readonly session: ListedSession; readonly isOpen: boolean }[];
}

/** How the folder is listed. `icons`: the icons of agents, by their ids. `worktreeOf`: the worktree that a folder is in. */
export const listedFolder = (
  { uri, sessionsFolder, name, label, sessions, damaged }: OtherFolder,
  icons: ReadonlyMap<string, string | undefined>,
  worktreeOf: (folder: string) => ListedSession["worktree"] = () => undefined,
): ListedFolder => ({
  ...{ uri, sessionsFolder, name, label, damaged },
  sessions: sessions.map(({ entry, isOpen }) => {
    const agentIcon = icons.get(entry.agent);
    const worktree = worktreeOf(entry.folder);
    const more = { ...(agentIcon !== undefined && { agentIcon }), ...(worktree && { worktree }) };
    return { isOpen, session: { ...listedEntry(entry), ...more } };
  }),
});
