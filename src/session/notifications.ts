// Which changes of a session are worth a notification.
import { turnEnded } from "./activity.ts";
import { openQuestions, sessionTitle, type Question, type SessionState } from "./state.ts";

export type SessionNotification =
  | { readonly kind: "question"; readonly title: string }
  | { readonly kind: "turnEnd"; readonly title: string; readonly failed: boolean };

/**
 * The notification for a change of one session: a question that was not open before, or the end of a turn. Undefined
 * for anything else, for changes that the user made (Stop), and for a session that is only being shown.
 */
export function notificationBetween(before: SessionState, after: SessionState): SessionNotification | undefined {
  const asked = newQuestion(before, after);
  if (asked) return { kind: "question", title: asked.title };
  if (!turnEnded(before, after) || before.cancelling) return undefined;
  // The next prompt of the queue is sent automatically, so the work is not over.
  if (after.pendingPrompts.length > 0) return undefined;
  const { stopReason } = after.activity;
  if (stopReason === "cancelled") return undefined;
  return { kind: "turnEnd", title: sessionTitle(after), failed: stopReason === "error" || after.lost !== null };
}

/** Whether the change only appended to the agent's last message. This is the most frequent change, and affects little. */
export function isOnlyTextAppended(before: SessionState, after: SessionState): boolean {
  if (before.entries === after.entries || before.entries.length !== after.entries.length) return false;
  const last = after.entries.at(-1);
  if (last?.kind !== "message" || last.author === "user" || last === before.entries.at(-1)) return false;
  return (Object.keys(after) as (keyof SessionState)[]).every(key => key === "entries" || before[key] === after[key]);
}

/** Called for every chunk, so it returns early when no question changed. */
function newQuestion(before: SessionState, after: SessionState): Question | undefined {
  if (before.questions === after.questions) return undefined;
  const known = new Set(before.questions.map(ask => ask.id));
  return openQuestions(after).find(ask => !known.has(ask.id));
}
