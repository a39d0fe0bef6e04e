// Creates the comparison of problems for sessions, and the handlers for what it finds.
import { asError } from "../../base/errors.ts";
import type { Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import { sessionRoots } from "../../editor/folders.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import type { IntentHandlers } from "../../panel/intentHandlers.ts";
import { pathStandings } from "../../permissions/vscode/pathStandings.ts";
import type { Review } from "../../review/review.ts";
import type { AgentChange } from "../../review/turns/knownTouches.ts";
import type { SessionEvent } from "../../session/events.ts";
import type { SessionParticipant } from "../../session/participant.ts";
import { TurnProblems } from "../turnProblems.ts";
import { NewProblemActions, type NewProblemActionsOptions, type ProblemSession } from "./newProblemActions.ts";
import { WindowReports } from "./windowReports.ts";

export interface TurnProblemsFeature {
  readonly reports: WindowReports;
  /** The feature's part in a session. `report`: adds an event to the session. */
  startSession(
    session: { readonly id: string; readonly workspaceFolder: string },
    report: (event: SessionEvent) => void,
  ): SessionParticipant;
}

/**
 * Creates the comparison of problems before and after turns. It listens for reports from now on. `sensitive`: the user's globs
 * for files that look like secrets.
 */
export function createTurnProblems(
  { store, clock, log }: ExtensionPlatform,
  review: { readonly onDidChangeFile: Event<AgentChange>; readonly review: Pick<Review, "files"> },
  sensitive: () => readonly string[],
): TurnProblemsFeature {
  const reports = store.add(new WindowReports(clock, log));
  return {
    reports,
    startSession: ({ id, workspaceFolder }, report) => {
      const roots = sessionRoots(workspaceFolder).filter(root => root !== "");
      return new TurnProblems({
        ...{ session: id, roots, reports, report, clock, log },
        agentChanges: review.onDidChangeFile,
        reviewed: () => review.review.files,
        secretTest: () => secretTest(roots, sensitive(), log),
      });
    },
  };
}

/** Whether a path, or what it leads to, looks like a secret, as for attachments. One that cannot be checked counts as one. */
function secretTest(
  roots: readonly string[],
  sensitive: readonly string[],
  log: Log,
): (path: string) => Promise<boolean> {
  const standingOf = pathStandings(roots, sensitive);
  return async path => {
    try {
      return (await standingOf(path)).secret;
    } catch (error) {
      log.warn("A file with new problems could not be checked.", asError(error).message);
      return true;
    }
  };
}

export interface NewProblemHandlers {
  readonly head: HeadPart<"newProblems">;
  readonly actions: NewProblemActions;
  readonly commands: CommandHandlers<"parley.showNewProblems" | "parley.fixNewProblems">;
  readonly intents: IntentHandlers<"showNewProblems" | "fixNewProblems" | "sendNewProblems">;
}

interface ProblemSessions {
  get(id: string | undefined): ProblemSession | undefined;
  readonly active: ProblemSession | undefined;
}

/** Creates what the user does with new problems, for when there is a chat. */
export function createProblemHandlers(
  { store, clock, log }: ExtensionPlatform,
  sessions: ProblemSessions,
  options: Omit<NewProblemActionsOptions, "clock" | "log">,
): NewProblemHandlers {
  const actions = store.add(new NewProblemActions({ ...options, clock, log }));
  return {
    actions,
    head: actions.head,
    commands: {
      "parley.showNewProblems": () => actions.show(sessions.active),
      "parley.fixNewProblems": () => actions.fix(sessions.active),
    },
    intents: {
      showNewProblems: ({ entry, session }) => actions.show(sessions.get(session), entry),
      fixNewProblems: ({ entry, session }, { surface }) => actions.fix(sessions.get(session), entry, [surface]),
      sendNewProblems: ({ isOn, session }) => actions.setSent(sessions.get(session), isOn),
    },
  };
}
