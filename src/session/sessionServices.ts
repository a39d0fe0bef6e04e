// The services that Parley offers to the agent of one session. src/window/createSessionServices.ts builds it.
import type { Disposable } from "../base/lifecycle.ts";
import type { AgentClient, PermissionQuestion, WriteResult } from "./agent.ts";
import type { SessionParticipant } from "./participant.ts";

/**
 * Files, terminals and permission requests, for one session. Disposing settles every promise that the services gave
 * out. The session serves the agent's requests with them, and calls the participants.
 */
export interface SessionServices extends Omit<AgentClient, "report" | "writeTextFile">, Disposable {
  writeTextFile(
    request: { readonly path: string; readonly content: string },
    signal: AbortSignal,
  ): Promise<WriteResult>;
  /** The user's answer to an open question. An answer that comes too late has no effect. */
  answer(questionId: string, option: string): void;
  /** Answers every open question with `cancelled`. */
  cancelQuestions(): void;
  /** An open question as the agent asked it. */
  question(questionId: string): PermissionQuestion | undefined;
  /** Ends every command, because the agent that started them is gone. */
  endTerminals(): void;
  /** The features that take part in the session. The session disposes them. */
  readonly participants?: readonly SessionParticipant[];
}
