// What a session does, as the extension that has opened it sees it. Pure.
import { areChoicesOpen } from "../session/choices.ts";
import { nextPrompt } from "../session/promptQueue.ts";
import { isBusy, openQuestions, type SessionState } from "../session/state.ts";

export type SessionPhase = "starting" | "idle" | "working" | "waiting" | "failed";

/** What the session does in this state. */
export function sessionPhase(state: SessionState): SessionPhase {
  const { signIn, lost, connection, pendingPrompts } = state;
  if (openQuestions(state).length > 0 || (signIn ?? lost)?.signIn !== undefined) return "waiting";
  if (lost) return lost.reconnects ? "starting" : "failed";
  if (isBusy(state)) return "working";
  if (connection?.state !== "ready") return "starting";
  if (pendingPrompts.length === 0) return "idle";
  const isRefused = state.choices.some(({ status }) => status === "refused");
  // The agent gets the choices of the user first.
  if (areChoicesOpen(state) && !isRefused) return "working";
  return state.queuePaused || isRefused || nextPrompt(state) === undefined ? "waiting" : "working";
}

/** Why the session waits or has failed, as a sentence. Undefined if the state does not say it. */
export const phaseProblem = ({ signIn, lost }: SessionState): string | undefined => (signIn ?? lost)?.message;

/** Whether the messages of the session wait for the user, so that one that is sent now would release them. */
export const isHeldByUser = ({ queuePaused, pendingPrompts }: SessionState): boolean =>
  pendingPrompts.length > 0 && (queuePaused || pendingPrompts.some(({ isOnHold }) => isOnHold));
