// The extension's own folders for this workspace, or for no workspace. Never synchronised, and never in the workspace.
import { join } from "node:path";
import type * as vscode from "vscode";
import { commentsFolderName } from "../../comments/storedComments.ts";

/** The folder of this workspace's checkpoints. */
export const checkpointFolder = (context: vscode.ExtensionContext): string =>
  join((context.storageUri ?? context.globalStorageUri).fsPath, "checkpoints");

/** The folder of the sessions that were removed and can be restored. */
export const removedSessionsFolder = (context: vscode.ExtensionContext): string =>
  join((context.storageUri ?? context.globalStorageUri).fsPath, "removed-sessions");

/** The folder of the pages of long conversations. */
export const conversationPagesFolder = (context: vscode.ExtensionContext): string =>
  join((context.storageUri ?? context.globalStorageUri).fsPath, "conversation-pages");

/** The folder of the session logs of this workspace. */
export const sessionLogFolder = (context: vscode.ExtensionContext): string =>
  join((context.storageUri ?? context.globalStorageUri).fsPath, "sessions");

/** The folder of the comments on lines in this workspace. */
export const commentsFolder = (context: vscode.ExtensionContext): string =>
  join((context.storageUri ?? context.globalStorageUri).fsPath, commentsFolderName);

/** The folder of the list of the folders that Parley has opened in this profile. */
export const openedFoldersFolder = (context: vscode.ExtensionContext): string =>
  join(context.globalStorageUri.fsPath, "folders");

/** The folder of the records of the worktrees that Parley has made in this profile. */
export const worktreeRecordsFolder = (context: vscode.ExtensionContext): string =>
  join(context.globalStorageUri.fsPath, "worktrees");

/** The folder of the groups of sessions that got one prompt. */
export const candidateGroupsFolder = (context: vscode.ExtensionContext): string =>
  join(context.globalStorageUri.fsPath, "candidates");

/** The folder of the agents that the user has added from the registry, and of its cached index. */
export const agentRegistryFolder = (context: vscode.ExtensionContext): string =>
  join(context.globalStorageUri.fsPath, "agentRegistry");
