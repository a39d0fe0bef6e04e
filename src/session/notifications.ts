// Which changes of a session are worth a notification.
import { turnEnded } from "./activity.ts";
import { withInput } from "./ownInput.ts";
import { nextPrompt } from "./promptQueue.ts";
import { isHeld, openQuestions, sessionTitle, toolKey, type Entry, type Question, type SessionState } from "./state.ts";
import { permissionTitle } from "./toolTitle.ts";

export type SessionNotification =
  | { readonly kind: "question"; readonly title: string }
  /** Parley asks before the agent gets the large conversation with this title again. */
  | { readonly kind: "resumeQuestion"; readonly title: string }
  | { readonly kind: "turnEnd"; readonly title: string; readonly outcome: TurnOutcome };

/** How a turn ended. `stopped`: before the agent had finished, by a limit or a refusal. `lost`: with the agent. */
export type TurnOutcome = "finished" | "stopped" | "failed" | "lost";

/**
 * The notification for a change of one session: a question that was not open before, or the end of a turn. Undefined
 * for anything else, for changes that the user made (Stop), and for a session that is only being shown.
 */
export function notificationBetween(before: SessionState, after: SessionState): SessionNotification | undefined {
  const asked = newQuestion(before, after);
  if (asked) return { kind: "question", title: titleOf(asked, after) };
  if (!turnEnded(before, after) || before.cancelling) return undefined;
  const outcome = turnOutcome(after);
  if (outcome === undefined) return undefined;
  // The next prompt of the queue is sent automatically, so the work is not over. After a failure the queue waits.
  if (hasNextTurn(after) && outcome !== "failed" && outcome !== "lost") return undefined;
  return { kind: "turnEnd", title: sessionTitle(after), outcome };
}

/** Whether the agent has a further prompt already, or gets the next one of the queue. */
const hasNextTurn = (state: SessionState): boolean =>
  nextPrompt(state) !== undefined || state.pendingPrompts.some(each => isHeld(each) || each.messageId !== undefined);

function titleOf({ title, toolCallId, kind }: Question, { entries, workspaceFolder }: SessionState): string {
  if (kind !== undefined) return title;
  const entry = toolCallId === undefined ? undefined : entries.get(toolKey(toolCallId));
  return permissionTitle(title, entry?.kind === "tool" ? withInput(entry) : undefined, workspaceFolder);
}

/** Undefined if the user ended the turn. */
function turnOutcome({ lost, activity }: SessionState): TurnOutcome | undefined {
  if (lost !== null) return "lost";
  switch (activity.stopReason) {
    case undefined:
    case "end_turn":
      return "finished";
    case "cancelled":
      return undefined;
    case "error":
      return "failed";
    default:
      return "stopped";
  }
}

/** What the agent's messages and tool calls change in a session, and nothing else does. */
const contentFields: ReadonlySet<string> = new Set([
  "entries",
  "latestMessage",
  "generatedIds",
  "isTurnShown",
  "silentSince",
] satisfies (keyof SessionState)[]);

/**
 * Whether only the agent's messages and tool calls changed. These are the most frequent changes, and what the window
 * shows of a session outside of its conversation is the same after them.
 */
export function isOnlyContent(before: SessionState, after: SessionState): boolean {
  if (before.entries.length === 0 && after.entries.length > 0) return false;
  const fields = Object.keys(after) as (keyof SessionState)[];
  if (!fields.every(field => before[field] === after[field] || contentFields.has(field))) return false;
  const isUsers = (entry: Entry | undefined): boolean => entry?.kind === "message" && entry.author === "user";
  for (let i = before.entries.length; i < after.entries.length; i++) if (isUsers(after.entries.at(i))) return false;
  // The first prompt is the title of a session without one.
  return [0, -1].every(i => before.entries.at(i) === after.entries.at(i) || !isUsers(after.entries.at(i)));
}

/** Called for every chunk, so it returns early when no question changed. */
function newQuestion(before: SessionState, after: SessionState): Question | undefined {
  if (before.questions === after.questions) return undefined;
  const known = new Set(before.questions.map(ask => ask.id));
  return openQuestions(after).find(ask => !known.has(ask.id));
}
