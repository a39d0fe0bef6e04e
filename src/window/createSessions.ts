// Creates what starts and restores sessions, from the features that sessions use.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../base/errors.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import type { AgentPool } from "../agents/pool.ts";
import type { SignInFeature } from "../agents/vscode/createSignIn.ts";
import type { CheckpointsFeature } from "../checkpoints/vscode/createCheckpoints.ts";
import type { ExtensionPlatform } from "../editor/extensionPlatform.ts";
import type { Documents } from "../files/ports.ts";
import type { FileEvents } from "../files/vscode/fileEvents.ts";
import type { FollowFeature } from "../follow/vscode/createFollow.ts";
import type { McpFeature } from "../mcp/vscode/createMcp.ts";
import { emptySession, sessionTitle } from "../session/state.ts";
import { changesView } from "../panel/projection/changesView.ts";
import type { ProtectionSettings } from "../permissions/protectedFiles.ts";
import type { PermissionsFeature } from "../permissions/vscode/createPermissions.ts";
import type { ReviewFeature } from "../review/vscode/createReview.ts";
import type { TerminalsFeature } from "../terminals/vscode/createTerminals.ts";
import type { OpenSessions } from "../sessions/openSessions.ts";
import { recentSessions } from "../sessions/recentSessions.ts";
import type { ActiveSession } from "./activeSession.ts";
import { WindowRecord } from "../sessions/windowRecord.ts";
import { showWarningMessage } from "../editor/editorUi.ts";
import { sessionLogFolder } from "./startup/storageFolders.ts";
import { createSessionServices, type SharedServices } from "./createSessionServices.ts";
import { FolderChoice } from "./sessions/folderChoice.ts";
import type { SessionList } from "./sessions/sessionList.ts";
import { WindowSessions } from "./sessions/windowSessions.ts";
import type { SettingsReader } from "./settings.ts";

/** The features that sessions use. */
export interface SessionFeatures {
  readonly open: OpenSessions;
  readonly active: ActiveSession;
  readonly settings: SettingsReader;
  readonly agents: AgentPool;
  readonly fileEvents: FileEvents;
  readonly documents: Documents;
  readonly permissions: PermissionsFeature;
  readonly checkpoints: CheckpointsFeature;
  readonly review: ReviewFeature;
  readonly follow: FollowFeature;
  readonly terminals: TerminalsFeature;
  readonly signIn: SignInFeature;
  readonly mcp: McpFeature;
  /** How files are protected that programs run. */
  readonly protection: () => ProtectionSettings;
  readonly list: SessionList;
}

/** Creates what starts sessions. The caller disposes it, and waits for it, before anything else. */
export function createSessions(platform: ExtensionPlatform, features: SessionFeatures): WindowSessions {
  const { store, storage, log, clock } = platform;
  const { open, active, agents, fileEvents, documents, permissions, checkpoints, review, follow, terminals } = features;
  const settings = features.settings.read.bind(features.settings);
  const services: SharedServices = {
    documents,
    fileEvents,
    settings,
    rules: () => permissions.rules.ruleSet(),
    protection: features.protection,
    audit: permissions.audit,
    sessionTitle: session => sessionTitle(open.get(session)?.state ?? emptySession),
    review: session => review.store.startSession(session),
    follow: (confinement, session) => follow.controller.startSession(confinement, session),
    clock,
    log,
  };
  const { onEnding } = terminals;
  let recent: ReturnType<typeof recentSessions> = [];
  const sessions = new WindowSessions({
    open,
    pool: agents,
    signIn: features.signIn,
    mcp: features.mcp,
    settings,
    folders: new FolderChoice(platform.context),
    follow: session => (session === open.active ? follow.controller.state : "off"),
    storage,
    record: new WindowRecord({
      ...{ storage, clock, log, pid: process.pid, isRunning: isProcessRunning },
      newId: () => randomUUID(),
    }),
    version: (platform.context.extension.packageJSON as { readonly version: string }).version,
    log,
    clock,
    onRestoreFailed: (file, reason) => warnNotRestored(platform, file, reason),
    checkpoints: (session, cwd) => checkpoints.sessions.turns(session, cwd),
    createServices: (session, definition, dispatch) =>
      createSessionServices(services, { session, definition, dispatch, onEnding }),
    onDidRefresh: () => active.refresh(),
    recent: id => {
      const next = recentSessions(features.list.sessions(), id);
      // The same object is not sent to the panel again.
      if (!jsonEqual(next, recent)) recent = next;
      return recent;
    },
    changes: cwd => changesView(review.store.review.files, cwd, permissions.runsOf),
  });
  const refresh = (): void => active.refresh();
  store.add(review.store.review.onDidChange(refresh));
  store.add(checkpoints.sessions.onDidChange(refresh));
  store.add(features.settings.onDidChange(refresh));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(refresh));
  return sessions;
}

function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user runs, too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Reports that the last conversation could not be restored, and offers to show its file, which stays as it is. */
function warnNotRestored({ context, log }: ExtensionPlatform, file: string, reason: string): void {
  const show = vscode.l10n.t("Show File");
  const message = vscode.l10n.t(
    "The last conversation could not be restored: {0} Its file is kept. Reload the window to try again.",
    /[.!?]$/.test(reason) ? reason : `${reason}.`,
  );
  const showFile = async (): Promise<void> => {
    if ((await showWarningMessage(message, show)) !== show) return;
    await vscode.window.showTextDocument(vscode.Uri.file(join(sessionLogFolder(context), file)));
  };
  showFile().catch((error: unknown) => log.error("A session file could not be shown.", asError(error).message));
}
