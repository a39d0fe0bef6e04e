// Creates what sessions in worktrees need: the records of worktrees, their set-up, and the command that makes one.
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { hostPlatform } from "../../base/platform.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { ReadOnlyFiles } from "../../editor/readOnlyFiles.ts";
import { findRepository, WorktreeUnavailableError } from "../../git/gitWorktrees.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { OpenSessions } from "../../library/openSessions.ts";
import type { SessionRegistry, WorkspaceFolders } from "../../library/sessionRegistry.ts";
import type { SessionsRow } from "../../library/vscode/sessionsTree.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import type { Session } from "../../session/session.ts";
import { ProposedSetUps } from "../proposedSetUp.ts";
import { relatedFolders } from "../relatedFolders.ts";
import { WorktreeSetUp } from "../setUpWorktree.ts";
import { WorktreeRecords } from "../worktreeRecords.ts";
import { askProposedSetUp } from "./askProposedSetUp.ts";
import { BothSides } from "./bothSides.ts";
import { BringBackChanges, type BringBackChangesOptions } from "./bringBackChanges.ts";
import { mergingCommands, type MergingCommandId } from "./mergingCommands.ts";
import { newWorktreeSession } from "./newWorktreeSession.ts";
import { removeWorktreeCommand, type RemoveWorktreeOptions } from "./removeWorktreeCommand.ts";
import {
  openWorktreeTerminal,
  openWorktreeWindow,
  showWorktreeChanges,
  type ShownWorktree,
} from "./worktreeCommands.ts";
import { WorktreeHunks } from "./worktreeHunks.ts";
import { createWorktreeViews, type WorktreeViews } from "./worktreeViews.ts";

/** The settings of worktrees. */
export interface WorktreeSettings {
  /** New sessions start in a worktree of their own. */
  readonly newSessions: boolean;
  /** The folder in which worktrees are made, absolute or below the home folder (`~`). Empty: beside the repository. */
  readonly folder: string;
  /** The ignored files that a worktree gets, in the syntax of `.gitignore`. */
  readonly copy: readonly string[];
  /** The command line that sets up a worktree. Empty: none. */
  readonly setup: string;
  /** The time limit of that command, in minutes. */
  readonly setupMinutes: number;
  /** The command line that checks the work of agents in worktrees. Empty: none. */
  readonly check: string;
  /** The time limit of that command, in minutes. */
  readonly checkMinutes: number;
  /** The maximum number of agents that are asked together. */
  readonly maxCandidates: number;
}

/** The base sides of open diffs that are kept. */
const maxBaseFiles = 1000;

export interface WorktreesOptions {
  /** The folder of the records. */
  readonly path: string;
  readonly settings: () => WorktreeSettings;
  readonly open: OpenSessions;
  /** The review, and the folders whose files are reviewed. */
  readonly review: BringBackChangesOptions["review"];
  readonly roots: () => readonly string[];
}

/** The commands for what the panel asks. */
const mergingCommandOf = {
  bringBack: "parley.bringBackChanges",
  update: "parley.updateWorktree",
  commit: "parley.commitWorktree",
} as const;

/** The commands of a worktree, about the session of a row in the Sessions view or about the active session. */
type WorktreeCommandId = "parley.openWorktree" | "parley.openWorktreeTerminal" | "parley.showWorktreeChanges";

/** The sessions that are started in worktrees. */
export interface WorktreeSessions {
  readonly registry: SessionRegistry;
  readonly folders: Pick<WorkspaceFolders, "choose">;
  readonly chat: ChatSurface;
  /** What the user has written in the active chat and not sent. Empty if there is nothing. */
  readonly draft: () => Promise<string>;
  /** The titles of sessions in some folders that other windows have open. Rejects if that is not known. */
  readonly openElsewhere: RemoveWorktreeOptions["openElsewhere"];
}

export interface WorktreesFeature {
  readonly records: WorktreeRecords;
  readonly setUp: WorktreeSetUp;
  /** What the chat and lists show of worktrees. */
  readonly views: WorktreeViews;
  /** Those of the paths that are in a repository of the window's own folders. */
  readonly related: (own: readonly string[], paths: readonly string[]) => Promise<ReadonlySet<string>>;
  /** What the panel asks for a worktree. */
  intents(sessions: Pick<WorktreeSessions, "openElsewhere">): IntentHandlers<"worktree">;
  /** The sides of diffs that are no files on disk. */
  readonly files: ReadOnlyFiles;
  /** The commands, with the sessions that they start. */
  commands(
    sessions: WorktreeSessions,
  ): CommandHandlers<
    | "parley.newSessionInWorktree"
    | "parley.removeWorktree"
    | "parley.bringBackThisChange"
    | MergingCommandId
    | WorktreeCommandId
  >;
  /**
   * Starts a new session in a worktree in place of the usual one, if the user has set so. Resolves with false if it is to start
   * as usual.
   */
  startByDefault(sessions: WorktreeSessions): Promise<boolean>;
}

/** Creates the feature. */
export function createWorktrees(platform: ExtensionPlatform, options: WorktreesOptions): WorktreesFeature {
  const { log, clock, store } = platform;
  const { path, settings, open, review, roots } = options;
  const records = new WorktreeRecords(path, log);
  const known = records.read().catch((thrown: unknown) => {
    log.warn("The worktrees that Parley has made are not known.", asError(thrown).message);
  });
  const proposed = new ProposedSetUps({
    ...{ state: platform.context.globalState, platform: hostPlatform },
    ask: askProposedSetUp,
  });
  const setUp = new WorktreeSetUp({
    ...{ records, settings, newId: () => randomUUID() },
    proposed: record => (vscode.workspace.isTrusted ? proposed.allowed(record) : Promise.resolve(undefined)),
  });
  const views = createWorktreeViews(platform, { records, open, known });
  const files = store.add(new ReadOnlyFiles({ scheme: "parley-commit", maxFiles: maxBaseFiles }));
  const shown = (folder: string | undefined): ShownWorktree | undefined => {
    const record = records.of(folder ?? "");
    return record && { record, folder: folder ?? "", branch: views.states.of(record).branch };
  };
  const start = (sessions: WorktreeSessions): Promise<void> =>
    newWorktreeSession({
      ...{ ...sessions, records, clock },
      copy: () => settings().copy,
      parent: () => parentFolder(settings().folder),
    });
  const remove = ({ openElsewhere }: Pick<WorktreeSessions, "openElsewhere">, of?: string): Promise<void> =>
    removeWorktreeCommand({ open, records, openElsewhere, of });
  const run =
    (command: (worktree: ShownWorktree) => Promise<void>) =>
    async (row?: unknown): Promise<void> => {
      const worktree = shown(row === undefined ? open.active?.state.workspaceFolder : folderOf(row as SessionsRow));
      if (!worktree) return void showInformationMessage(t("This session is in no worktree that Parley has made."));
      await command(worktree);
      await views.states.refresh(worktree.record);
    };
  const commands: CommandHandlers<WorktreeCommandId> = {
    "parley.openWorktree": run(openWorktreeWindow),
    "parley.openWorktreeTerminal": run(openWorktreeTerminal),
    "parley.showWorktreeChanges": run(worktree => showWorktreeChanges(worktree, files)),
  };
  const sides = store.add(new BothSides());
  const changes = store.add(new BringBackChanges({ ...{ records, log, sides }, review, roots }));
  const hunks = store.add(
    new WorktreeHunks({
      ...{ records, changes, log, onDidChangeWorktrees: views.onDidChange },
      sessionIn: ({ path }) => {
        const isThere = (one: Session | undefined): boolean =>
          one !== undefined && records.of(one.state.workspaceFolder)?.path === path;
        return [open.active, ...open.sessions].find(isThere);
      },
    }),
  );
  const merging = mergingCommands({
    ...{ open, records, changes, sides },
    changed: record => views.states.refresh(record),
  });
  return {
    records,
    setUp,
    views,
    files,
    related: (own, paths) => relatedFolders(folder => gitOf(vscode.Uri.file(folder)), own, paths),
    intents: sessions => ({
      worktree: async ({ action, session }) => {
        const worktree = shown(open.get(session)?.state.workspaceFolder);
        if (!worktree) return;
        if (action === "remove") return remove(sessions, worktree.record.path);
        if (action === "openWindow") return openWorktreeWindow(worktree);
        if (action === "openTerminal") return openWorktreeTerminal(worktree);
        if (action === "showChanges") return showWorktreeChanges(worktree, files);
        await merging[mergingCommandOf[action]](session);
      },
    }),
    commands: sessions => ({
      ...commands,
      "parley.newSessionInWorktree": () => start(sessions),
      "parley.removeWorktree": () => remove(sessions),
      ...merging,
      "parley.bringBackThisChange": place => hunks.bringBack(place),
    }),
    async startByDefault(sessions) {
      const { registry, folders, chat } = sessions;
      if (!settings().newSessions || registry.obstacle) return false;
      const folder = await folders.choose();
      if (folder === undefined) return true;
      if (await canHaveWorktree(folder)) {
        await start({ ...sessions, folders: { choose: () => Promise.resolve(folder) } });
        return true;
      }
      const surface = registry.open.activeSurface;
      registry.start(undefined, surface, folder);
      await chat.focus("composer", [surface]);
      return true;
    },
  };
}

/** Whether the folder is in a repository of which worktrees can be made. Rejects with a sentence if git cannot tell. */
async function canHaveWorktree(folder: string): Promise<boolean> {
  const git = gitOf(vscode.Uri.file(folder));
  if (!git) return false;
  try {
    await findRepository(git, folder);
    return true;
  } catch (thrown) {
    if (thrown instanceof WorktreeUnavailableError) return false;
    throw thrown;
  }
}

/** The folder of the session of a row. */
const folderOf = (row: SessionsRow): string | undefined =>
  row.kind === "session" || row.kind === "folderSession" ? row.session.folder : undefined;

/** The folder for worktrees that the setting names. Undefined: it names none. Throws if it is not absolute. */
export function parentFolder(setting: string): string | undefined {
  if (setting === "") return undefined;
  const path = /^~(?=$|[\\/])/.test(setting) ? join(homedir(), setting.slice(1)) : setting;
  if (isAbsolute(path)) return path;
  throw new Error(t("The setting “parley.worktrees.folder” must be an absolute path, or begin with “~”."));
}
