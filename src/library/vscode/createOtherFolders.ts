// Creates the list of the other folders of the profile, notes the folder of this window in it, and keeps whether the Sessions
// view shows it.
import { homedir } from "node:os";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { isProcessRunning } from "../../base/isProcessRunning.ts";
import { t } from "../../base/l10n.ts";
import { Emitter } from "../../base/lifecycle.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showErrorMessage } from "../../editor/editorUi.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { OpenedFolders, pathOfFolder, type OpenedFolder, type RequestedSession } from "../openedFolders.ts";
import {
  listedFolder,
  OtherFolders,
  type ListedFolder,
  type OtherFolder,
  type OtherFoldersOptions,
} from "../otherFolders.ts";
import type { ListedAgents, ListedWorktrees } from "../sessionList.ts";
import type { FolderListSource } from "./sessionsTree.ts";

export interface OtherFoldersSources extends Pick<OtherFoldersOptions, "openStorage"> {
  /** The path of the list of folders, and of the folder of this window's sessions. */
  readonly path: string;
  readonly sessionsFolder: string;
  readonly agents: Pick<ListedAgents, "definitions">;
  /**
   * Those of the paths that are in a repository of this window, such as its worktrees. Their sessions stand among those of the
   * window. Absent: none.
   */
  readonly related?: (own: readonly string[], paths: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly worktrees?: Pick<ListedWorktrees, "of" | "onDidChange">;
}

export interface OtherFoldersFeature {
  readonly folders: OtherFolders;
  /** Those of them that are in a repository of this window. */
  readonly related: OtherFolders;
  /** What the Sessions view lists. */
  readonly listed: FolderListSource;
  readonly commands: CommandHandlers<"parley.showAllFolders" | "parley.hideAllFolders">;
  /** Reads the folders again that the Sessions view lists. Never rejects. */
  refresh(): Promise<void>;
  /**
   * Opens a folder in a window of its own, or shows the window that has it open. `requested`: what that window shows. Rejects
   * with a sentence.
   */
  open(folder: Pick<ListedFolder, "uri" | "name" | "sessionsFolder">, requested?: RequestedSession): Promise<void>;
  /** Shows the session that another window requests, now and whenever the window gets the focus. */
  answerRequests(show: (requested: RequestedSession) => Promise<void>): void;
}

/** Whether the Sessions view shows all folders, in the state of the workspace. */
const stateKey = "parley.showsAllFolders";

/** Creates the list. */
export function createOtherFolders(
  { context, store, clock, log }: ExtensionPlatform,
  { path, sessionsFolder, agents, openStorage, related: relatedTo, worktrees }: OtherFoldersSources,
): OtherFoldersFeature {
  const opened = new OpenedFolders({ path, extension: context.extension.id, log });
  const shared = {
    ...{ ownSessions: sessionsFolder, home: homedir(), clock },
    ...{ openStorage, isRunning: isProcessRunning },
  };
  const folders = store.add(new OtherFolders({ ...shared, opened }));
  const related = store.add(
    new OtherFolders({
      ...shared,
      opened: {
        list: async () => {
          const all = (await opened.list()).filter(one => one.sessionsFolder !== sessionsFolder);
          const found = await relatedTo?.(ownPaths(), all.map(placeOf));
          return all.filter(one => found?.has(placeOf(one)));
        },
      },
    }),
  );
  const own = ownFolder();
  if (own && context.storageUri)
    opened.note({ uri: own.toString(), sessionsFolder, opened: clock.now() }).catch((error: unknown) => {
      log.warn("The folder could not be noted for the list of all folders.", asError(error).message);
    });

  let isShown = context.workspaceState.get(stateKey, false);
  const changed = store.add(new Emitter<void>());
  store.add(folders.onDidChange(() => changed.fire()));
  store.add(related.onDidChange(() => changed.fire()));
  if (worktrees) store.add(worktrees.onDidChange(() => changed.fire()));
  setContextKey("parley.showsAllFolders", isShown);
  const refresh = async (): Promise<void> => {
    const failed = (error: unknown): void =>
      log.error("The list of other folders could not be read.", asError(error).stack);
    await related.read().catch(failed);
    if (isShown) await folders.read().catch(failed);
  };
  const listed = (all: readonly OtherFolder[]): readonly ListedFolder[] => {
    const icons = new Map(agents.definitions().map(({ id, icon }) => [id, icon]));
    return all.map(folder => listedFolder(folder, icons, worktrees?.of));
  };
  const show = async (shows: boolean): Promise<void> => {
    isShown = shows;
    setContextKey("parley.showsAllFolders", shows);
    changed.fire();
    await context.workspaceState.update(stateKey, shows || undefined);
    if (shows) await folders.read();
  };
  store.add(vscode.window.onDidChangeWindowState(({ focused }) => void (focused && refresh())));
  return {
    folders,
    related,
    listed: {
      related: () => listed(related.folders),
      folders: () => {
        if (!isShown) return [];
        const amongOwn = new Set(related.folders.map(({ uri }) => uri));
        return listed(folders.folders.filter(({ uri }) => !amongOwn.has(uri)));
      },
      onDidChange: changed.event,
    },
    commands: {
      "parley.showAllFolders": () => show(true),
      "parley.hideAllFolders": () => show(false),
    },
    refresh,
    async open({ uri, name, sessionsFolder: other }, requested) {
      const target = vscode.Uri.parse(uri);
      await vscode.workspace.fs.stat(target).then(undefined, () => {
        throw new Error(t("The folder “{0}” no longer exists.", name));
      });
      if (requested) await opened.request({ sessionsFolder: other }, requested, clock.now());
      await vscode.commands.executeCommand("vscode.openFolder", target, { forceNewWindow: true });
    },
    answerRequests(show) {
      const answer = async (): Promise<void> => {
        const requested = await opened.takeRequest({ sessionsFolder }, clock.now());
        if (requested) await show(requested);
      };
      const start = (): void =>
        void answer().catch((error: unknown) => {
          log.error("The session that another window requests could not be shown.", asError(error).stack);
          void showErrorMessage(t("The session could not be shown: {0}", asError(error).message));
        });
      store.add(vscode.window.onDidChangeWindowState(({ focused }) => focused && start()));
      start();
    },
  };
}

/** The path of a folder, or of the folder of a workspace file. */
function placeOf(folder: OpenedFolder): string {
  const path = pathOfFolder(folder);
  return path.endsWith(".code-workspace") ? dirname(path) : path;
}

const ownPaths = (): readonly string[] =>
  (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === "file" ? [uri.fsPath] : []));

/** The workspace file, or the only folder. Undefined for a workspace that is not saved, and for folders on no disk. */
function ownFolder(): vscode.Uri | undefined {
  const { workspaceFile, workspaceFolders } = vscode.workspace;
  const uri = workspaceFile ?? workspaceFolders?.[0]?.uri;
  return uri?.scheme === "file" ? uri : undefined;
}
