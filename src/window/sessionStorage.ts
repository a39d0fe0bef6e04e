// The storage port, in the extension's own folder for this workspace.
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import type * as vscode from "vscode";
import type { LogStorage, LogFile } from "../session/log/sessionStore.ts";
import { sessionLogFolder } from "./startup/storageFolders.ts";

/** The sessions of this workspace, or of no workspace. Never synchronised, and never stored in the workspace. */
export function openSessionStorage(context: vscode.ExtensionContext): LogStorage {
  const folder = sessionLogFolder(context);
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
