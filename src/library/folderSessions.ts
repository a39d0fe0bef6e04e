// Reads the sessions of another folder, whose own window writes and deletes them. Nothing is ever written there: not even an
// entry that is lost is created again.
import { forEachLimited } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { sessionOfLogFile, type LogStorage } from "../session/log/sessionStore.ts";
import { liveSessions } from "./rememberedSessions.ts";
import { closedEntry, entryFileName, parseEntry, type SessionEntry } from "./sessionEntry.ts";
import { runningWindows } from "./windowRecord.ts";

/** Sessions on disk that are only read. */
export type ReadSessionStorage = Pick<LogStorage, "list" | "read">;

/** A session of another folder. */
export interface FolderSession {
  /** As it is stored, if a window has the session open; otherwise closed, because its work has ended with its window. */
  readonly entry: SessionEntry;
  /** A running window has the session open. */
  readonly isOpen: boolean;
}

/** A file that could not be read, and why, as a sentence. */
export interface DamagedFile {
  readonly file: string;
  readonly reason: string;
}

export interface FolderSessions {
  /** Neither deleted nor blank, the latest first. */
  readonly sessions: readonly FolderSession[];
  readonly damaged: readonly DamagedFile[];
}

/** The number of entries that are read at once. */
const maxReads = 16;

/**
 * Reads the sessions in the storage of a folder. `now`: ms since the epoch. `isRunning`: whether a process runs, to know
 * whether a window is still open. Rejects if the files cannot be listed.
 */
export async function readFolderSessions(
  storage: ReadSessionStorage,
  now: number,
  isRunning: (pid: number) => boolean,
): Promise<FolderSessions> {
  const logs = new Map((await storage.list()).map(({ name, bytes }) => [sessionOfLogFile(name), bytes]));
  const open = new Set((await runningWindows(storage, now, isRunning)).flatMap(liveSessions));
  const sessions: FolderSession[] = [];
  const damaged: DamagedFile[] = [];
  await forEachLimited([...logs], maxReads, async ([id, bytes]) => {
    const entry = id === undefined || bytes === 0 ? undefined : await readEntry(storage, id);
    if (id === undefined || entry === undefined) return;
    if ("reason" in entry) damaged.push(entry);
    else if (entry.deleted === undefined && !entry.blank)
      sessions.push({ entry: open.has(id) ? entry : closedEntry(entry), isOpen: open.has(id) });
  });
  sessions.sort((a, b) => b.entry.updated - a.entry.updated || (a.entry.id < b.entry.id ? -1 : 1));
  return { sessions, damaged: damaged.sort((a, b) => (a.file < b.file ? -1 : 1)) };
}

async function readEntry(storage: ReadSessionStorage, id: string): Promise<SessionEntry | DamagedFile> {
  const file = entryFileName(id);
  try {
    const text = await storage.read(file);
    const entry = text === undefined ? undefined : parseEntry(text, id);
    if (entry) return entry;
    const fault = text === undefined ? t("It is missing.") : t("It is damaged.");
    return { file, reason: t("{0} Open the folder, and Parley makes it again from the session.", fault) };
  } catch (error) {
    return { file, reason: asError(error).message };
  }
}
