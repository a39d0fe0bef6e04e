// What a session is created with: the services that Parley offers to its agent, and the connection to the agent.
// src/window/createSessionServices.ts builds the services.
import type { Disposable } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import type {
  AgentClient,
  AgentConnector,
  AgentInfo,
  AgentMcpServer,
  PermissionQuestion,
  WriteResult,
} from "./agent.ts";
import type { InitialChoices } from "./choices.ts";
import type { PageStore } from "./conversation/conversationPages.ts";
import type { LoggedEvent, SessionEvent } from "./events.ts";
import type { Replayed } from "./log/replay.ts";
import type { SessionParticipant } from "./participant.ts";
import type { SessionState } from "./state.ts";

/**
 * Files, terminals and permission requests, for one session. Disposing settles every promise that the services gave
 * out. The session serves the agent's requests with them, and calls the participants.
 */
export interface SessionServices
  extends Omit<AgentClient, "report" | "writeTextFile" | "askForm" | "completeAddress">, Disposable {
  writeTextFile(
    request: { readonly path: string; readonly content: string },
    signal: AbortSignal,
  ): Promise<WriteResult>;
  /** The user's answer to an open question. An answer that comes too late has no effect. */
  answer(questionId: string, option: string): void;
  /** Answers the open questions that fit with `cancelled`: all of them, or those about which `fits` returns true. */
  cancelQuestions(fits?: (question: PermissionQuestion, ask?: string) => boolean): void;
  /** An open question as the agent asked it. */
  question(questionId: string): PermissionQuestion | undefined;
  /** Ends every command, because the agent that started them is gone. */
  endTerminals(): void;
  /**
   * Prepares the folder of the session before its agent starts, and reports what happens. Rejects with a ProblemError if
   * the agent must not start, and when the signal aborts.
   */
  prepareFolder?(signal: AbortSignal): Promise<void>;
  /** Keeps the pages of a conversation that is too long for a prompt. The agent may read them. */
  readonly pages?: PageStore;
  /** The features that take part in the session. The session disposes them. */
  readonly participants?: readonly SessionParticipant[];
}

/** Stands before the agent of a restored session reads the whole conversation again, because it continues its session. */
export interface ResumptionGate {
  /** False: the session stays closed until it is opened again, such as after the user's answer. Never rejects. */
  mayContinue(state: SessionState): Promise<boolean>;
}

/** What a session needs from the outside. */
export interface SessionOptions {
  readonly id: string;
  readonly agent: { readonly id: string; readonly name: string };
  readonly workspaceFolder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly newId: () => string;
  readonly connection: AgentConnector;
  /** The MCP servers that the agent gets when its session opens. Never rejects. */
  readonly mcpServers?: (agent: AgentInfo) => Promise<readonly AgentMcpServer[]>;
  /** Further folders in which the agent may work now. */
  readonly additionalFolders?: () => readonly string[];
  readonly createServices: (dispatch: (event: SessionEvent) => void) => SessionServices;
  /** Gets each event, in order, to store it. */
  readonly onLog?: (logged: LoggedEvent) => void;
  /** The earlier conversation, if the session is restored. */
  readonly earlier?: Replayed;
  /** Decides whether the agent may read the earlier conversation again. Absent: it always may. */
  readonly resumption?: ResumptionGate;
  /** The choices of a new session, asked for when its agent is ready for the first time. */
  readonly initialChoices?: () => InitialChoices;
}
