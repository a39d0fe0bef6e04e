// Ends the work of an agent on a remark.
import type { Session } from "../session/session.ts";
import { isQueuedPrompt, isUnfinished, promptAnswer, sentAgain } from "./promptAnswer.ts";

/** A session whose work can be stopped. */
export type StoppableSession = Pick<Session, "state" | "stop"> & { readonly queue: Pick<Session["queue"], "withdraw"> };

/**
 * Stops the turn of a prompt, or takes the prompt out of the queue, so that the present work of the session goes on. Returns
 * whether there was anything to stop.
 */
export function stopAnswer(session: StoppableSession, prompt: string): boolean {
  const { state } = session;
  if (isQueuedPrompt(state, prompt)) {
    session.queue.withdraw(sentAgain(state, prompt));
    return true;
  }
  const { phase } = promptAnswer(state, prompt);
  if (!isUnfinished(phase)) return false;
  session.stop();
  return true;
}
