// The storage port, in the extension's own folder for this workspace.
import { mkdir, open, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type * as vscode from "vscode";
import type { TextStorage } from "../session/log/sessionStore.ts";

/** The folder of this workspace's checkpoints. */
export const checkpointFolder = (context: vscode.ExtensionContext): string =>
  join((context.storageUri ?? context.globalStorageUri).fsPath, "checkpoints");

/** The folder of the session logs of this workspace. */
export const sessionLogFolder = (context: vscode.ExtensionContext): string =>
  join((context.storageUri ?? context.globalStorageUri).fsPath, "sessions");

/** The sessions of this workspace, or of no workspace. Never synchronised, and never stored in the workspace. */
export function openSessionStorage(context: vscode.ExtensionContext): TextStorage {
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
    async read(name) {
      try {
        return await readFile(join(folder, name), "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
