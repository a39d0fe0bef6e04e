// The hook folders that git's configuration names for folders of the window.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { findGit } from "../../git/gitProgram.ts";
import { configuredHookFolders } from "../../git/hookFolders.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";

/** How long git may take (ms). It only reads configuration files. */
const maxWait = 10_000;

/**
 * Reads the hook folders of the repositories of folders, under the configured and the real paths. Never rejects. Git also
 * reads them in an untrusted workspace, because it runs no program for this.
 */
export async function readHookFolders(folders: readonly string[], log: Log): Promise<readonly string[]> {
  const found = await Promise.all(
    folders.map(async folder => {
      const git = gitOf(vscode.Uri.file(folder)) ?? findGit();
      if (!git) return [];
      try {
        const configured = await configuredHookFolders(git, folder, AbortSignal.timeout(maxWait));
        return [...configured, ...(await Promise.all(configured.map(path => nodePaths().real(path))))];
      } catch (error) {
        log.warn(`The hook folders of ${folder} could not be read.`, asError(error).message);
        return [];
      }
    }),
  );
  return [...new Set(found.flat())];
}

/** Reads the hook folders when they are needed first. */
export function lazyHookFolders(folders: readonly string[], log: Log): () => Promise<readonly string[]> {
  let reading: Promise<readonly string[]> | undefined;
  return () => (reading ??= readHookFolders(folders, log));
}
