// What one session's agent may use here: puts files, terminals, questions and rules of src/workspace together.
import * as vscode from "vscode";
import type { AgentDefinition } from "../agents/registry.ts";
import type { Log } from "../base/log.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import type { Room } from "../session/session.ts";
import { Access } from "../permissions/access.ts";
import { auditRecord, type AuditLog } from "../permissions/auditLog.ts";
import { reportsIn } from "../review/baseFromReports.ts";
import { questionFacts, type FactsContext } from "../permissions/questionFacts.ts";
import { SessionFiles } from "../files/sessionFiles.ts";
import { nodePaths } from "../files/nodePaths.ts";
import { Confinement } from "../files/paths.ts";
import { PermissionBroker, type Decided } from "../permissions/permissionBroker.ts";
import { PermissionPolicy } from "../permissions/policy.ts";
import type { Documents } from "../files/ports.ts";
import { answerFor, type RuleSet } from "../permissions/rules.ts";
import { SessionTerminals } from "../terminals/sessionTerminals.ts";
import { DiskWatch } from "../files/vscode/unsavedChangesWatcher.ts";
import type { ReviewWatch } from "../review/vscode/changeAttribution.ts";
import type { FollowTracker } from "../follow/vscode/followController.ts";
import type { Settings } from "./settings.ts";
import { factsContext } from "../permissions/vscode/questionContext.ts";
import { sessionRoots } from "../editor/folders.ts";
import { terminalEnvironment } from "../terminals/vscode/userEnvironment.ts";

/** What all rooms share. */
export interface Services {
  readonly documents: Documents;
  readonly settings: () => Settings;
  readonly rules: () => RuleSet;
  readonly audit: AuditLog;
  readonly review: ReviewWatch;
  /** Told before a prompt goes out, which waits for it a moment. */
  readonly beforeTurn?: (submission: string) => Promise<void>;
  /** Told where the agent of a room is, so that it can be followed. Absent: nobody follows. */
  readonly follow?: (confinement: Confinement) => FollowTracker;
  readonly log: Log;
}

/** Which agent the room is for, and where it works. */
export interface Tenant {
  readonly definition: AgentDefinition;
  readonly cwd: string;
  readonly dispatch: (event: SessionEvent) => void;
  /** Gets the promise that the room's processes are gone, once it is disposed. */
  readonly onEnding: (ended: Promise<void>) => void;
}

/** A room for one session. */
export function makeRoom(services: Services, { definition, cwd, dispatch, onEnding }: Tenant): Room {
  const { documents, settings, rules, review, log } = services;
  const roots = sessionRoots(cwd);
  const confinement = new Confinement(nodePaths(), roots);
  const context = (): FactsContext => factsContext(definition.id, cwd, confinement);
  const keep = async (decided: Decided): Promise<void> => {
    const facts = await questionFacts(decided.question, context());
    services.audit.record(auditRecord(decided, { at: Date.now(), agent: definition.name, folder: cwd, facts }));
  };
  const policy = new PermissionPolicy({ rules, sensitive: () => settings().sensitive, context });
  const broker: PermissionBroker = new PermissionBroker({
    report: dispatch,
    decide: question => policy.standing(question),
    onDecided: decided => {
      access.remember(decided);
      void keep(decided);
    },
  });
  const access = new Access({
    agentName: definition.name,
    confinement,
    policy,
    outside: () => settings().outsideWorkspace,
    ask: (question, signal) => broker.requestPermission(question, signal),
    refused: (question, verdict) => {
      const decision = answerFor(verdict, question.options);
      if (decision) broker.record(question, decision);
    },
  });
  const { missingFiles } = definition;
  const files = new SessionFiles(documents, confinement, { missingFiles }, access);
  const terminals = new SessionTerminals({
    confinement,
    access,
    cwd,
    env: terminalEnvironment(),
    shell: vscode.env.shell,
    report: dispatch,
  });
  const watch = new DiskWatch({ roots, report: (path, note) => dispatch({ type: "file", path, note }), log });
  const tracker = services.follow?.(confinement);
  return {
    requestPermission: (question, signal) => {
      review.named(namedBy(question));
      return broker.requestPermission(question, signal);
    },
    answer: (ask, option) => broker.answer(ask, option),
    cancelQuestions: () => broker.cancelAll(),
    question: ask => broker.question(ask),
    endTerminals: () => terminals.endAll(),
    observe: event => {
      watch.observe(event);
      review.observe(event);
      tracker?.observe(event);
    },
    ...(services.beforeTurn && { beforeTurn: services.beforeTurn }),
    readTextFile: async (request, signal) => {
      const text = await files.read(request, signal);
      tracker?.read(request);
      return text;
    },
    writeTextFile: async (request, signal) => {
      const reviewed = (): ReturnType<typeof files.write> =>
        review.writing(request.path, request.content, () => files.write(request, signal));
      const { saved, result } = await (tracker ? tracker.writing(request.path, reviewed) : reviewed());
      if (!saved) watch.unsaved(request.path);
      if (result) dispatch({ type: "fileResult", path: request.path, ...result });
    },
    createTerminal: (request, signal) => terminals.createTerminal(request, signal),
    terminalOutput: id => terminals.terminalOutput(id),
    waitForTerminalExit: (id, signal) => terminals.waitForTerminalExit(id, signal),
    killTerminal: id => terminals.killTerminal(id),
    releaseTerminal: id => terminals.releaseTerminal(id),
    dispose() {
      broker.dispose();
      watch.dispose();
      tracker?.dispose();
      onEnding(terminals.close());
    },
  };
}

/** The files that a question is about. */
function namedBy({ tool, subject }: PermissionQuestion): readonly string[] {
  const { locations = [], content = [] } = tool ?? {};
  const reported = content.flatMap(reportsIn).map(([path]) => path);
  return [...new Set([...locations.map(place => place.path), ...reported, ...(subject?.paths ?? [])])];
}
