// What became of a prompt that an extension has sent, read from the state of the session. Pure.
import { promptAnswer, sentAgain } from "../comments/promptAnswer.ts";
import { isBusy, isPrompt, messageKey, type Entry, type SessionState } from "../session/state.ts";

/** `open`: the turn has not ended yet, or has not begun. `withdrawn`: the session does not have the prompt. */
export type PromptOutcome =
  | { readonly type: "open" }
  | { readonly type: "withdrawn" }
  | { readonly type: "ended"; readonly stopReason: string; readonly text: string }
  /** `reason` is a sentence. */
  | { readonly type: "failed"; readonly reason: string };

const open: PromptOutcome = { type: "open" };

/** What became of the prompt with this id. */
export function promptOutcome(state: SessionState, prompt: string): PromptOutcome {
  const id = sentAgain(state, prompt);
  const { lost } = state;
  if (state.pendingPrompts.some(one => one.id === id)) {
    // After a sign-in, or a new connection, it is sent.
    return lost && !lost.reconnects && lost.signIn === undefined ? { type: "failed", reason: lost.message } : open;
  }
  if (state.awaitedTurns.some(one => one.id === id)) return open;
  const refused = state.entries.get(messageKey("user", `refused:${id}`));
  if (refused) return { type: "failed", reason: reasonAfter(state, refused.id) ?? "" };
  const message = state.entries.findLast(one => one.kind === "message" && one.submission === id);
  if (!message) return { type: "withdrawn" };
  if (isBusy(state) && isInLatestTurn(state, id, message.id)) return open;
  const end = endOf(state, message.id);
  if (end?.kind === "problem") return { type: "failed", reason: end.problem.message };
  if (end?.kind === "turnEnd") return { type: "ended", stopReason: end.stopReason, text: promptAnswer(state, id).text };
  if (lost && state.activity.stopReason === "lost" && isInLatestTurn(state, id, message.id))
    return { type: "failed", reason: lost.message };
  return { type: "ended", stopReason: "end_turn", text: promptAnswer(state, id).text };
}

/** Whether the prompt began the latest turn, or was sent into it. */
const isInLatestTurn = ({ entries, turnPrompt, turnStart }: SessionState, id: string, entry: string): boolean =>
  turnPrompt === id || entries.position(entry) >= turnStart;

/** The entry with which the turn of the prompt ended, if it did not simply end. */
function endOf(
  { entries }: SessionState,
  message: string,
): Extract<Entry, { kind: "problem" | "turnEnd" }> | undefined {
  for (let at = entries.position(message) + 1; at < entries.length; at++) {
    const entry = entries.at(at) as Entry;
    if (isPrompt(entry)) return undefined;
    if (entry.kind === "problem" || (entry.kind === "turnEnd" && !entry.over)) return entry;
  }
  return undefined;
}

/** The problem that follows an entry. */
function reasonAfter({ entries }: SessionState, id: string): string | undefined {
  const next = entries.at(entries.position(id) + 1);
  return next?.kind === "problem" ? next.problem.message : undefined;
}
