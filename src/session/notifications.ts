// What of a change in a session is worth telling a user who looks elsewhere.
import { turnEnded } from "./activity.ts";
import { openQuestions, sessionTitle, type Question, type SessionState } from "./state.ts";

export type SessionNotification =
  | { readonly kind: "question"; readonly title: string }
  | { readonly kind: "turnEnd"; readonly title: string; readonly failed: boolean };

/**
 * The news between two states of one session: a question that was not open before, or the end of a turn. Undefined
 * for anything else, for what the user did (Stop), and for a session that is only being shown.
 */
export function notificationBetween(before: SessionState, after: SessionState): SessionNotification | undefined {
  const asked = newQuestion(before, after);
  if (asked) return { kind: "question", title: asked.title };
  if (!turnEnded(before, after) || before.cancelling) return undefined;
  // The next prompt of the queue goes out by itself: the work is not over.
  if (after.pendingPrompts.length > 0) return undefined;
  const { stopReason } = after.activity;
  if (stopReason === "cancelled") return undefined;
  return { kind: "turnEnd", title: sessionTitle(after), failed: stopReason === "error" || after.lost !== null };
}

/** Whether all that happened is that the last message of the agent grew: the most frequent event, of which little is shown. */
export function isOnlyTextAppended(before: SessionState, after: SessionState): boolean {
  if (before.entries === after.entries || before.entries.length !== after.entries.length) return false;
  const last = after.entries.at(-1);
  if (last?.kind !== "message" || last.author === "user" || last === before.entries.at(-1)) return false;
  return (Object.keys(after) as (keyof SessionState)[]).every(key => key === "entries" || before[key] === after[key]);
}

/** Called for every chunk: mostly no question changed. */
function newQuestion(before: SessionState, after: SessionState): Question | undefined {
  if (before.questions === after.questions) return undefined;
  const known = new Set(before.questions.map(ask => ask.id));
  return openQuestions(after).find(ask => !known.has(ask.id));
}
