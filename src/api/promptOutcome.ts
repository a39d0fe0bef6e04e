// What became of a prompt that an extension has sent, read from the state of the session. Pure.
import { contentText, isBusy, isPrompt, messageKey, type Entry, type SessionState } from "../session/state.ts";

/** `open`: the turn has not ended yet, or has not begun. `withdrawn`: the session does not have the prompt. */
export type PromptOutcome =
  | { readonly type: "open" }
  | { readonly type: "withdrawn" }
  | { readonly type: "ended"; readonly stopReason: string; readonly text: string }
  /** `reason` is a sentence. */
  | { readonly type: "failed"; readonly reason: string };

const open: PromptOutcome = { type: "open" };

/** What became of the prompt with this id. */
export function promptOutcome(state: SessionState, id: string): PromptOutcome {
  const { lost, activity } = state;
  if (state.pendingPrompts.some(one => one.id === id)) {
    // After a sign-in, or a new connection, it is sent.
    return lost && !lost.reconnects && lost.signIn === undefined ? { type: "failed", reason: lost.message } : open;
  }
  if (state.awaitedTurns.some(one => one.id === id)) return open;
  const refused = state.entries.get(messageKey("user", `refused:${id}`));
  if (refused) return { type: "failed", reason: reasonAfter(state, refused.id) ?? "" };
  const message = messageOf(state, id);
  // One that waits for a sign-in has another id.
  if (!message || message.unsent) return { type: "withdrawn" };
  const isLatest = state.turnPrompt === id || state.entries.position(message.id) >= state.turnStart;
  if (isBusy(state) && isLatest) return open;
  const { text, end } = answerTo(state, message.id, isLatest);
  if (end?.kind === "problem") return { type: "failed", reason: end.problem.message };
  if (end) return { type: "ended", stopReason: end.stopReason, text };
  if (lost && activity.stopReason === "lost" && isLatest) return { type: "failed", reason: lost.message };
  return { type: "ended", stopReason: "end_turn", text };
}

/** The id that a prompt has now. If its turn needs a sign-in first, the prompt is in the queue again, with another id. */
export function currentId(state: SessionState, id: string): string {
  if (state.pendingPrompts.some(one => one.id === id)) return id;
  const message = messageOf(state, id);
  if (!message?.unsent) return id;
  // The same content, and not an equal one, because others can have sent the same text.
  return state.pendingPrompts.find(({ content }) => content === message.content)?.id ?? id;
}

function messageOf({ entries }: SessionState, id: string): Extract<Entry, { kind: "message" }> | undefined {
  const found = entries.findLast(one => one.kind === "message" && one.submission === id);
  return found?.kind === "message" ? found : undefined;
}

/**
 * The messages of the agent after the one of the prompt, and the entry with which the turn ended, if it did not simply end.
 * What others send into the latest turn is a part of it.
 */
function answerTo(
  { entries }: SessionState,
  message: string,
  isLatest: boolean,
): { readonly text: string; readonly end: Extract<Entry, { kind: "problem" | "turnEnd" }> | undefined } {
  const texts: string[] = [];
  let end: Extract<Entry, { kind: "problem" | "turnEnd" }> | undefined;
  const from = entries.position(message);
  for (let at = from; at < entries.length; at++) {
    const entry = entries.at(at) as Entry;
    // Its problem is not that of the turn.
    if (isRefused(entry)) at++;
    else if (at > from && isPrompt(entry) && !isLatest) break;
    else if (entry.kind === "problem" || (entry.kind === "turnEnd" && !entry.over)) end = entry;
    else if (entry.kind === "message" && entry.author === "agent" && entry.parent === undefined)
      texts.push(contentText(entry.content).trim());
    if (entry.turn || end) break;
  }
  return { text: texts.filter(one => one !== "").join("\n\n"), end };
}

const isRefused = ({ id }: Entry): boolean => id.startsWith(messageKey("user", "refused:"));

/** The problem that follows an entry. */
function reasonAfter({ entries }: SessionState, id: string): string | undefined {
  const next = entries.at(entries.position(id) + 1);
  return next?.kind === "problem" ? next.problem.message : undefined;
}
