// The services of a session without an editor: real files, commands, permission requests with rules, and the lines of
// diffs.
import { hostEnvironment } from "../../../src/base/windowEnvironment.ts";
import type { AgentDefinition } from "../../../src/agents/registry.ts";
import { nullLog, systemClock } from "../../../src/base/log.ts";
import { hostPlatform } from "../../../src/base/platform.ts";
import { DiffLocator } from "../../../src/files/diffLocator.ts";
import type { ConversationPageFiles } from "../../../src/files/conversationPageFiles.ts";
import { nodePaths, pathExists } from "../../../src/files/nodePaths.ts";
import { Confinement } from "../../../src/files/paths.ts";
import { SessionFiles } from "../../../src/files/sessionFiles.ts";
import type { AllEdits } from "../../../src/permissions/allEdits.ts";
import { Access } from "../../../src/permissions/access.ts";
import { PermissionBroker } from "../../../src/permissions/permissionBroker.ts";
import { PermissionPolicy } from "../../../src/permissions/policy.ts";
import { defaultProtection, type ProtectionSettings } from "../../../src/permissions/protectedFiles.ts";
import { readRules, type Rule } from "../../../src/permissions/rules.ts";
import { turnEnded } from "../../../src/session/activity.ts";
import type { SessionEvent } from "../../../src/session/events.ts";
import type { SessionParticipant } from "../../../src/session/participant.ts";
import type { SessionServices } from "../../../src/session/sessionServices.ts";
import { SessionTerminals } from "../../../src/terminals/sessionTerminals.ts";
import type { NodeDocuments } from "./nodeDocuments.ts";

export interface NodeServicesOptions {
  readonly definition: AgentDefinition;
  readonly workspaceFolder: string;
  readonly documents: NodeDocuments;
  /** The user's permission rules now. */
  readonly rules: () => readonly Rule[];
  /** The files that agents may write only with permission. By default those of Parley's lists. */
  readonly protection?: () => ProtectionSettings;
  readonly session?: string;
  readonly pages?: ConversationPageFiles;
  /** The sessions in which the user allows all edits. */
  readonly allEdits?: AllEdits;
  readonly dispatch: (event: SessionEvent) => void;
  /** Features that also take part in the session. */
  readonly participants?: readonly SessionParticipant[];
  /** Gets a promise that resolves when the commands of the session have ended. */
  readonly onEnding: (ended: Promise<void>) => void;
}

/** The services for one session, as `createSessionServices` builds them in a window. */
export function nodeServices(options: NodeServicesOptions): SessionServices {
  const {
    definition,
    workspaceFolder: cwd,
    documents,
    rules,
    protection = () => defaultProtection,
    participants = [],
    dispatch,
    onEnding,
    session = "",
    pages,
    allEdits,
  } = options;
  const { real, ignoresCase } = nodePaths();
  const confinement = new Confinement({ real, ignoresCase }, [cwd]);
  const place = { roots: [cwd], platform: hostPlatform, ignoresCase };
  const policy = new PermissionPolicy({
    rules: () => readRules(rules()),
    sensitive: () => [],
    protection,
    hookFolders: () => Promise.resolve([]),
    context: () => ({
      agent: definition.id,
      workspaceFolder: cwd,
      place,
      shells: ["posix"],
      trusted: true,
      resolve: real,
    }),
  });
  const broker: PermissionBroker = new PermissionBroker({
    report: dispatch,
    decide: question => allEdits?.decide(session, question, policy, pathExists) ?? policy.decide(question),
    onAnswered: decided => access.rememberAnswer(decided),
  });
  const access = new Access({
    agentName: definition.name,
    confinement,
    policy,
    outsideMode: () => "ask",
    askUser: (question, signal) => broker.requestPermission(question, signal),
    exists: pathExists,
    onRefused: (question, answer) => broker.record(question, answer),
  });
  const { missingFiles } = definition;
  const files = new SessionFiles(
    documents,
    confinement,
    { missingFiles },
    pages?.readableIn(session, access) ?? access,
  );
  const terminals = new SessionTerminals({
    confinement,
    access,
    workspaceFolder: cwd,
    environment: hostEnvironment,
    report: dispatch,
  });
  const diffLines = new DiffLocator({ documents, confinement, report: dispatch, clock: systemClock, log: nullLog });
  const endOfTurn: SessionParticipant = {
    stateChanged: (before, after) => {
      if (turnEnded(before, after)) access.endTurn();
    },
    dispose: () => {},
  };
  return {
    requestPermission: (question, signal) => broker.requestPermission(question, signal),
    answer: (ask, option) => broker.answer(ask, option),
    question: ask => broker.question(ask),
    endTerminals: () => terminals.endAll(),
    cancelQuestions: fits => broker.cancelAll(fits),
    readTextFile: (request, signal) => files.read(request, signal),
    writeTextFile: async (request, signal) => {
      const written = await files.write(request, signal);
      if (!written.saved) dispatch({ type: "file", path: request.path, note: "unsaved" });
      return written;
    },
    createTerminal: (request, signal) => terminals.createTerminal(request, signal),
    terminalOutput: id => terminals.terminalOutput(id),
    waitForTerminalExit: (id, signal) => terminals.waitForTerminalExit(id, signal),
    killTerminal: id => terminals.killTerminal(id),
    releaseTerminal: id => terminals.releaseTerminal(id),
    ...(pages && { pages: pages.of(session) }),
    participants: [...participants, diffLines, endOfTurn],
    dispose: () => {
      allEdits?.set(session, false);
      broker.dispose();
      onEnding(terminals.close());
    },
  };
}
