// Ends the work of an agent on a remark.
import type { Session } from "../session/session.ts";
import { isBusy } from "../session/state.ts";
import { promptAnswer, sentAgain } from "./promptAnswer.ts";

/** A session whose work can be stopped. */
export type StoppableSession = Pick<Session, "state" | "stop"> & { readonly queue: Pick<Session["queue"], "withdraw"> };

/**
 * Stops the turn of a prompt, or takes the prompt out of the queue, so that the present work of the session goes on. Returns
 * whether there was anything to stop.
 */
export function stopAnswer(session: StoppableSession, prompt: string): boolean {
  const { state } = session;
  const id = sentAgain(state, prompt);
  const isPending = state.pendingPrompts.some(one => one.id === id);
  if (isPending && !(isBusy(state) && state.turnPrompt === id)) {
    session.queue.withdraw(id);
    return true;
  }
  const { phase } = promptAnswer(state, prompt);
  if (phase !== "working" && phase !== "waiting") return false;
  session.stop();
  return true;
}
