// Creates what sessions in worktrees need: the records of worktrees, their set-up, and the command that makes one.
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { WorktreeSetUp } from "../setUpWorktree.ts";
import { WorktreeRecords } from "../worktreeRecords.ts";
import { newWorktreeSession } from "./newWorktreeSession.ts";
import { removeWorktreeCommand } from "./removeWorktreeCommand.ts";

/** The settings of worktrees. */
export interface WorktreeSettings {
  /** The folder in which worktrees are made, absolute or below the home folder (`~`). Empty: beside the repository. */
  readonly folder: string;
  /** The ignored files that a worktree gets, in the syntax of `.gitignore`. */
  readonly copy: readonly string[];
  /** The command line that sets up a worktree. Empty: none. */
  readonly setup: string;
  /** The time limit of that command, in minutes. */
  readonly setupMinutes: number;
}

export interface WorktreesOptions {
  /** The folder of the records. */
  readonly path: string;
  readonly settings: () => WorktreeSettings;
}

export interface WorktreesFeature {
  readonly records: WorktreeRecords;
  readonly setUp: WorktreeSetUp;
  /** The commands, with the sessions that they start. */
  commands(sessions: {
    readonly registry: SessionRegistry;
    readonly folders: Pick<WorkspaceFolders, "choose">;
    readonly chat: ChatSurface;
  }): CommandHandlers<"parley.newSessionInWorktree" | "parley.openWorktree" | "parley.removeWorktree">;
}

/** Creates the feature. */
export function createWorktrees(
  { log, clock }: ExtensionPlatform,
  { path, settings }: WorktreesOptions,
): WorktreesFeature {
  const records = new WorktreeRecords(path, log);
  records.read().catch((thrown: unknown) => {
    log.warn("The worktrees that Parley has made are not known.", asError(thrown).message);
  });
  const setUp = new WorktreeSetUp({ records, settings, newId: () => randomUUID() });
  return {
    records,
    setUp,
    commands: ({ registry, folders, chat }) => ({
      "parley.newSessionInWorktree": () =>
        newWorktreeSession({
          ...{ registry, folders, chat, records, clock },
          copy: () => settings().copy,
          parent: () => parentFolder(settings().folder),
        }),
      "parley.removeWorktree": () => removeWorktreeCommand({ open: registry.open, records }),
      "parley.openWorktree": async () => {
        const { workspaceFolder = "" } = registry.open.active?.state ?? {};
        const record = records.of(workspaceFolder);
        if (!record) return void showInformationMessage(t("This session is in no worktree that Parley has made."));
        await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(workspaceFolder), {
          forceNewWindow: true,
        });
      },
    }),
  };
}

/** The folder for worktrees that the setting names. Undefined: it names none. Throws if it is not absolute. */
function parentFolder(setting: string): string | undefined {
  if (setting === "") return undefined;
  const path = /^~(?=$|[\\/])/.test(setting) ? join(homedir(), setting.slice(1)) : setting;
  if (isAbsolute(path)) return path;
  throw new Error(t("The setting “parley.worktrees.folder” must be an absolute path, or begin with “~”."));
}
