// Whether a window must load the extension at its start, because of what an earlier window left.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { hasStoredChanges, reviewFile, unfinishedTurnFile } from "../../review/storedFiles.ts";
import { hasStoredComments } from "../../comments/storedComments.ts";
import { requestFileName } from "../../library/folderRequest.ts";
import { commentsFolder, openedFoldersFolder, sessionLogFolder } from "./storageFolders.ts";

/** Whether one of the tabs shows a document that only Parley can provide. */
export const hasParleyTab = (tabs: readonly vscode.Tab[]): boolean =>
  tabs.some(({ input }) => {
    const uris =
      input instanceof vscode.TabInputText
        ? [input.uri]
        : input instanceof vscode.TabInputTextDiff
          ? [input.original, input.modified]
          : [];
    return uris.some(({ scheme }) => scheme.startsWith("parley-"));
  });

/** Whether an open tab shows such a document. */
export const hasOpenParleyTab = (): boolean => hasParleyTab(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs));

/** Whether `npm start` has opened the window, so that the chat shows beside the editor. Never in an installed extension. */
export const opensChatAtStart = ({ extensionMode }: Pick<vscode.ExtensionContext, "extensionMode">): boolean =>
  extensionMode === vscode.ExtensionMode.Development && process.env["PARLEY_OPEN_CHAT"] === "1";

/**
 * Whether changes wait for review, the last turn is not compared yet, there are comments on lines, or another window requests a
 * session. If that cannot be read, the extension reports it.
 */
export async function hasStoredWork(context: vscode.ExtensionContext): Promise<boolean> {
  const folder = sessionLogFolder(context);
  const isReported = (error: unknown): boolean => (error as NodeJS.ErrnoException).code !== "ENOENT";
  const isThere = async (name: string, matters: (text: string) => boolean, path = folder): Promise<boolean> => {
    try {
      return matters(await readFile(join(path, name), "utf8"));
    } catch (error) {
      return isReported(error);
    }
  };
  const found = await Promise.all([
    isThere(reviewFile, hasStoredChanges),
    isThere(unfinishedTurnFile, text => text !== ""),
    readdir(commentsFolder(context)).then(hasStoredComments, isReported),
    isThere(requestFileName(folder), () => true, openedFoldersFolder(context)),
  ]);
  return found.includes(true);
}
