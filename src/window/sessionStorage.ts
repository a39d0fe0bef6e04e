// The storage ports of sessions, in the extension's own folders for this workspace.
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import type * as vscode from "vscode";
import type { LogStorage, LogFile } from "../session/log/sessionStore.ts";
import type { TrashStorage } from "../library/sessionTrash.ts";
import { removedSessionsFolder, sessionLogFolder } from "./startup/storageFolders.ts";

/** The sessions of this workspace, or of no workspace. Never synchronised, and never stored in the workspace. */
export function openSessionStorage(context: vscode.ExtensionContext): LogStorage {
  return storageIn(sessionLogFolder(context));
}

/** The sessions of another folder: its files can be listed and read, and nothing else. */
export function readSessionStorage(folder: string): Pick<LogStorage, "list" | "read"> {
  const { list, read } = storageIn(folder);
  return { list, read };
}

/** The sessions that were removed from that storage. */
export function openSessionTrash(context: vscode.ExtensionContext): TrashStorage {
  const sessions = sessionLogFolder(context);
  const folder = removedSessionsFolder(context);
  const storage = storageIn(folder);
  const move = async (name: string, from: string, to: string): Promise<boolean> => {
    await mkdir(to, { recursive: true });
    return (await unlessMissing(rename(join(from, name), join(to, name)).then(() => true))) ?? false;
  };
  return {
    list: () => storage.list(),
    read: name => storage.read(name),
    write: (name, text) => storage.write(name, text),
    remove: name => storage.remove(name),
    size: name => storage.size(name),
    moveIn: name => move(name, sessions, folder),
    moveOut: name => move(name, folder, sessions),
    async moveOutBefore(name) {
      const paths = [join(folder, name), join(sessions, name)] as const;
      const [first, second] = await Promise.all(paths.map(path => unlessMissing(readFile(path))));
      if (!first || !second) return false;
      // A window that was killed here has joined them already.
      if (!second.subarray(0, first.length).equals(first)) {
        const temporaryFile = join(sessions, `${name}.${process.pid}.tmp`);
        await writeFile(temporaryFile, Buffer.concat([first, second]));
        await rename(temporaryFile, paths[1]);
      }
      await rm(paths[0], { force: true });
      return true;
    },
  };
}

function storageIn(folder: string): LogStorage {
  return {
    async append(name, text) {
      await mkdir(folder, { recursive: true });
      const file = await open(join(folder, name), "a");
      try {
        const { size } = await file.stat();
        // If the disk is full, a part may have been written. Remove it, or the retry would write it a second time.
        await file.appendFile(text, "utf8").catch(async (error: unknown) => {
          await file.truncate(size);
          throw error;
        });
      } finally {
        await file.close();
      }
    },
    async write(name, text) {
      await mkdir(folder, { recursive: true });
      const temporaryFile = join(folder, `${name}.${process.pid}.tmp`);
      await writeFile(temporaryFile, text, "utf8");
      await rename(temporaryFile, join(folder, name));
    },
    read(name) {
      return unlessMissing(readFile(join(folder, name), "utf8"));
    },
    async readSlice(name, from, length) {
      const file = await unlessMissing(open(join(folder, name), "r"));
      if (!file) return undefined;
      try {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, from);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    },
    async size(name) {
      return (await unlessMissing(stat(join(folder, name))))?.size;
    },
    async list() {
      const names = (await unlessMissing(readdir(folder))) ?? [];
      const files: LogFile[] = [];
      await forEachLimited(names, maxStats, async name => {
        const info = await unlessMissing(stat(join(folder, name)));
        if (info?.isFile()) files.push({ name, bytes: info.size });
      });
      return files;
    },
    async rename(from, to) {
      return (await unlessMissing(rename(join(folder, from), join(folder, to)).then(() => true))) ?? false;
    },
    async remove(name) {
      await rm(join(folder, name), { force: true });
    },
  };
}

/** The number of files whose size is read at once. */
const maxStats = 32;

/** Undefined if the file or folder does not exist. */
async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
