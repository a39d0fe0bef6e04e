// Builds the services of one session from files, terminals, permissions, and the features that take part in sessions.
import * as vscode from "vscode";
import type { AgentDefinition } from "../agents/registry.ts";
import type { Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type { SessionEvent } from "../session/events.ts";
import { turnEnded } from "../session/activity.ts";
import type { SessionParticipant } from "../session/participant.ts";
import type { SessionServices } from "../session/sessionServices.ts";
import { OutsideWrites } from "../permissions/outsideWrites.ts";
import { Access } from "../permissions/access.ts";
import type { AllEdits } from "../permissions/allEdits.ts";
import { auditRecord, type AuditLog, type AuditRecord } from "../permissions/auditLog.ts";
import { DeniedChanges } from "../permissions/deniedChanges.ts";
import { questionFacts, type FactsContext } from "../permissions/questionFacts.ts";
import type { ConversationPageFiles } from "../files/conversationPageFiles.ts";
import { DiffLocator } from "../files/diffLocator.ts";
import { SessionFiles } from "../files/sessionFiles.ts";
import { nodePaths, pathExists } from "../files/nodePaths.ts";
import { Confinement } from "../files/paths.ts";
import { PermissionBroker, type AnsweredQuestion } from "../permissions/permissionBroker.ts";
import { PermissionPolicy } from "../permissions/policy.ts";
import type { ToolAccess } from "../editorTools/tool.ts";
import type { Documents } from "../files/ports.ts";
import type { ProtectionSettings } from "../permissions/protectedFiles.ts";
import type { RuleSet } from "../permissions/rules.ts";
import type { AgentChange } from "../review/turns/knownTouches.ts";
import { SessionTerminals } from "../terminals/sessionTerminals.ts";
import type { WorktreeSetUp } from "../worktrees/setUpWorktree.ts";
import type { FileEvents } from "../files/vscode/fileEvents.ts";
import { UnsavedChangesWatcher } from "../files/vscode/unsavedChangesWatcher.ts";
import type { Settings } from "./settings.ts";
import { lazyHookFolders } from "../permissions/vscode/protectedHooks.ts";
import { factsContext } from "../permissions/vscode/questionContext.ts";
import { isWorkspaceFolder, sessionRoots } from "../editor/folders.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import { userTerminalVariables } from "../terminals/vscode/userTerminalVariables.ts";

/** The services that all sessions of the window share. */
export interface SharedServices {
  readonly environment: WindowEnvironment;
  readonly documents: Documents;
  readonly fileEvents: FileEvents;
  readonly settings: () => Settings;
  readonly rules: () => RuleSet;
  /** How files are protected that programs run. */
  readonly protection: () => ProtectionSettings;
  readonly audit: AuditLog;
  /** The sessions in which the user allows all edits. */
  readonly allEdits: AllEdits;
  /** The title of the session now. */
  readonly sessionTitle: (session: string) => string;
  /** The first change of each file that an agent makes in a turn. */
  readonly agentChanges: Event<AgentChange>;
  /** The review's part in a new session. */
  readonly review: (session: ServedSession) => SessionParticipant;
  /** Following's part in a new session. Absent: the agent is not followed. */
  readonly follow?: (confinement: Confinement, session: string) => SessionParticipant;
  /** The editor's tools in a new session. Absent: its agent has none. */
  readonly tools?: (session: string, access: ToolAccess) => SessionParticipant;
  /** The comparison of problems in a new session. */
  readonly problems?: (session: ServedSession, report: (event: SessionEvent) => void) => SessionParticipant;
  /** The files with the pages of long conversations. */
  readonly pages: ConversationPageFiles;
  /** Sets up worktrees before agents start in them. */
  readonly worktreeSetUp?: Pick<WorktreeSetUp, "prepare">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A session, and where it works. */
export interface ServedSession {
  readonly id: string;
  readonly workspaceFolder: string;
}

/** A session and its agent. */
export interface SessionServicesOptions {
  readonly session: ServedSession;
  readonly definition: AgentDefinition;
  readonly dispatch: (event: SessionEvent) => void;
  /** Called when the services are disposed, with a promise that resolves when their processes have ended. */
  readonly onEnding: (ended: Promise<void>) => void;
}

/** The services for one session. */
export function createSessionServices(
  services: SharedServices,
  { session, definition, dispatch, onEnding }: SessionServicesOptions,
): SessionServices {
  const cwd = session.workspaceFolder;
  const { documents, settings, rules, review, clock, log } = services;
  const roots = sessionRoots(cwd);
  const confinement = new Confinement(nodePaths(), roots);
  const context = (): FactsContext => factsContext(definition.id, cwd, confinement);
  const recordedNow = (): Pick<AuditRecord, "at" | "agent" | "folder" | "session" | "sessionTitle"> => ({
    ...{ at: Date.now(), agent: definition.name, folder: cwd },
    ...{ session: session.id, sessionTitle: services.sessionTitle(session.id) },
  });
  const recordAnswer = async (decided: AnsweredQuestion): Promise<void> => {
    const facts = await questionFacts(decided.question, context());
    services.audit.record(auditRecord(decided, { ...recordedNow(), facts }));
  };
  const policy = new PermissionPolicy({
    rules,
    sensitive: () => settings().sensitive,
    protection: services.protection,
    hookFolders: lazyHookFolders(roots, log),
    context,
  });
  const broker: PermissionBroker = new PermissionBroker({
    report: dispatch,
    decide: question => services.allEdits.decide(session.id, question, policy, pathExists),
    onAnswered: decided => {
      access.rememberAnswer(decided);
      void recordAnswer(decided);
    },
  });
  const access = new Access({
    agentName: definition.name,
    confinement,
    policy,
    outsideMode: () => settings().outsideWorkspace,
    askUser: (question, signal) => broker.requestPermission(question, signal),
    exists: pathExists,
    onRefused: (question, answer) => broker.record(question, answer),
  });
  const denied = new DeniedChanges({
    policy,
    exists: pathExists,
    report: dispatch,
    record: change => services.audit.record({ ...recordedNow(), ...change }),
  });
  const changes = services.agentChanges(change => {
    if (change.session === session.id) void denied.changed(change.path);
  });
  const { missingFiles } = definition;
  const reviewing = review(session);
  const outside = new OutsideWrites(confinement, path => reviewing.allowedOutside?.(path) ?? Promise.resolve());
  const gate = services.pages.readableIn(session.id, outside.reported(access));
  const files = new SessionFiles(documents, confinement, { missingFiles }, gate);
  const tools = services.tools?.(session.id, {
    ...{ confinement, gate, files },
    passes: path => access.passes(path),
    withholds: path => access.withholds(path),
    checkWrite: path => access.checkWrite(path),
  });
  const terminalOptions = {
    ...{ confinement, workspaceFolder: cwd, environment: services.environment },
    ...{ changes: userTerminalVariables, shell: vscode.env.shell, report: dispatch },
  };
  const terminals = new SessionTerminals({ ...terminalOptions, access });
  const setUp = isWorkspaceFolder(cwd) ? undefined : services.worktreeSetUp;
  // The command of the set-up is in the user's settings, so nobody is asked.
  const setUpTerminals = new SessionTerminals(terminalOptions);
  const unsavedChanges = new UnsavedChangesWatcher({
    roots,
    fileEvents: services.fileEvents,
    report: (path, note) => dispatch({ type: "file", path, note }),
    log,
  });
  const diffLines = new DiffLocator({ documents, confinement, report: dispatch, clock, log });
  const endOfTurn: SessionParticipant = {
    stateChanged: (before, after) => {
      if (!turnEnded(before, after)) return;
      access.endTurn();
      denied.endTurn();
    },
    dispose: () => {},
  };
  const problems = services.problems?.(session, dispatch);
  const following = services.follow?.(confinement, session.id);
  return {
    requestPermission: async (question, signal) => {
      const answer = await broker.requestPermission(question, signal);
      await outside.reportAnswered(question, answer);
      return answer;
    },
    answer: (question, option) => broker.answer(question, option),
    cancelQuestions: fits => broker.cancelAll(fits),
    question: question => broker.question(question),
    endTerminals: () => terminals.endAll(),
    readTextFile: (request, signal) => files.read(request, signal),
    writeTextFile: (request, signal) => files.write(request, signal),
    createTerminal: (request, signal) => terminals.createTerminal(request, signal),
    terminalOutput: id => terminals.terminalOutput(id),
    waitForTerminalExit: (id, signal) => terminals.waitForTerminalExit(id, signal),
    killTerminal: id => (setUpTerminals.has(id) ? setUpTerminals : terminals).killTerminal(id),
    releaseTerminal: id => terminals.releaseTerminal(id),
    ...(setUp && { prepareFolder: signal => setUp.prepare(cwd, setUpTerminals, dispatch, signal) }),
    // An agent elsewhere could not read them.
    ...((definition.remote?.sameFolder ?? true) && { pages: services.pages.of(session.id) }),
    // The first is the outermost around a write.
    participants: [
      ...(following ? [following] : []),
      ...[reviewing, unsavedChanges, diffLines, endOfTurn],
      ...(tools ? [tools] : []),
      ...(problems ? [problems] : []),
    ],
    dispose() {
      services.allEdits.set(session.id, false);
      changes.dispose();
      broker.dispose();
      onEnding(Promise.all([terminals.close(), setUpTerminals.close()]).then(() => undefined));
    },
  };
}
