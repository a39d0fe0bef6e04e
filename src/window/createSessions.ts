// Creates the registry of sessions, from the features that sessions use.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import { asError } from "../base/errors.ts";
import { isProcessRunning } from "../base/isProcessRunning.ts";
import type { AgentPool } from "../agents/pool.ts";
import type { SignInFeature } from "../agents/vscode/createSignIn.ts";
import type { WindowAgents } from "../agents/vscode/windowAgents.ts";
import type { CheckpointsFeature } from "../checkpoints/vscode/createCheckpoints.ts";
import { showWarningMessage } from "../editor/editorUi.ts";
import type { ExtensionPlatform } from "../editor/extensionPlatform.ts";
import type { ConversationPageFiles } from "../files/conversationPageFiles.ts";
import type { Documents } from "../files/ports.ts";
import type { FileEvents } from "../files/vscode/fileEvents.ts";
import type { EditorToolsFeature } from "../editorTools/vscode/createEditorTools.ts";
import type { FollowFeature } from "../follow/vscode/createFollow.ts";
import type { OpenSessions } from "../library/openSessions.ts";
import { SessionRegistry } from "../library/sessionRegistry.ts";
import type { EditorWorkspaceFolders } from "../library/vscode/editorWorkspaceFolders.ts";
import { WindowRecord } from "../library/windowRecord.ts";
import type { McpFeature } from "../mcp/vscode/createMcp.ts";
import type { ResumeQuestions } from "../library/resumeQuestions.ts";
import type { ProtectionSettings } from "../permissions/protectedFiles.ts";
import type { PermissionsFeature } from "../permissions/vscode/createPermissions.ts";
import type { ReviewFeature } from "../review/vscode/createReview.ts";
import { emptySession, sessionTitle } from "../session/state.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import type { TerminalsFeature } from "../terminals/vscode/createTerminals.ts";
import type { TurnProblemsFeature } from "../turnProblems/vscode/createTurnProblems.ts";
import type { WorktreesFeature } from "../worktrees/vscode/createWorktrees.ts";
import { createSessionServices, type SharedServices } from "./createSessionServices.ts";
import type { SettingsReader } from "./settings.ts";
import { sessionLogFolder } from "./startup/storageFolders.ts";
import { asSentence } from "../base/sentences.ts";

/** The features that sessions use. */
export interface SessionFeatures {
  readonly open: OpenSessions;
  readonly settings: SettingsReader;
  readonly pool: AgentPool;
  readonly agents: WindowAgents;
  readonly folders: EditorWorkspaceFolders;
  readonly fileEvents: FileEvents;
  readonly documents: Documents;
  readonly pages: ConversationPageFiles;
  readonly permissions: PermissionsFeature;
  readonly checkpoints: CheckpointsFeature;
  readonly review: ReviewFeature;
  readonly follow: FollowFeature;
  readonly editorTools: EditorToolsFeature;
  readonly turnProblems: TurnProblemsFeature;
  readonly terminals: TerminalsFeature;
  readonly environment: WindowEnvironment;
  readonly signIn: SignInFeature;
  readonly mcp: McpFeature;
  readonly resumeQuestions: ResumeQuestions;
  readonly worktrees: WorktreesFeature;
  /** How files are protected that programs run. */
  readonly protection: () => ProtectionSettings;
}

/** Creates the registry of sessions. The caller disposes it, and waits for it, before anything else. */
export function createSessions(platform: ExtensionPlatform, features: SessionFeatures): SessionRegistry {
  const { store, storage, log, clock } = platform;
  const { environment, open, agents, mcp, fileEvents, documents, permissions, review, follow, terminals } = features;
  const services: SharedServices = {
    environment,
    documents,
    fileEvents,
    settings: () => features.settings.read(),
    rules: () => permissions.rules.ruleSet(),
    protection: features.protection,
    audit: permissions.audit,
    allEdits: permissions.allEdits,
    sessionTitle: session => sessionTitle(open.get(session)?.state ?? emptySession),
    agentChanges: review.store.onDidChangeFile,
    review: session => review.store.startSession(session),
    follow: (confinement, session) => follow.controller.startSession(confinement, session),
    tools: (session, access) => features.editorTools.startSession(session, access),
    problems: (session, report) => features.turnProblems.startSession(session, report),
    pages: features.pages,
    worktreeSetUp: features.worktrees.setUp,
    clock,
    log,
  };
  const { onEnding } = terminals;
  const registry = new SessionRegistry({
    ...{ open, agents, storage, log, clock, resumeQuestions: features.resumeQuestions },
    servers: mcp,
    folders: features.folders,
    record: new WindowRecord({
      ...{ storage, clock, log, pid: process.pid, isRunning: isProcessRunning },
      newId: () => randomUUID(),
    }),
    version: (platform.context.extension.packageJSON as { readonly version: string }).version,
    createServices: (session, definition, dispatch) =>
      createSessionServices(services, { session, definition, dispatch, onEnding }),
  });
  registry.onDidFail(({ type, file, reason }) =>
    type === "notSaved" ? warnNotSaved(reason) : warnNotRestored(platform, file, reason),
  );
  store.add(
    open.onDidChange(change => {
      if (change.type !== "closed") return;
      agents.cancelSignIn(change.session);
      mcp.sessionClosed(change.session.id);
    }),
  );
  return registry;
}

/** Warns that the conversation is not saved. */
function warnNotSaved(reason: string): void {
  void showWarningMessage(
    vscode.l10n.t(
      "The conversation cannot be saved: {0}. Parley will keep retrying. Until then, don't close the window or the session.",
      reason,
    ),
  );
}

/** Reports that the last conversation could not be restored, and offers to show its file, which stays as it is. */
function warnNotRestored({ context, log }: ExtensionPlatform, file: string, reason: string): void {
  const show = vscode.l10n.t("Show File");
  const message = vscode.l10n.t(
    "The last conversation could not be restored: {0} Its file is kept. Reload the window to try again.",
    asSentence(reason),
  );
  const showFile = async (): Promise<void> => {
    if ((await showWarningMessage(message, show)) !== show) return;
    await vscode.window.showTextDocument(vscode.Uri.file(join(sessionLogFolder(context), file)));
  };
  showFile().catch((error: unknown) => log.error("A session file could not be shown.", asError(error).message));
}
