// The prompts that an agent held when the connection ended. What it repeats shows whether it inserted them.
import type { SessionEvent } from "../events.ts";
import {
  contentText,
  latestTurnStart,
  messageKey,
  type Entry,
  type PendingPrompt,
  type SessionState,
} from "../state.ts";

type Outcome = Extract<SessionEvent, { type: "promptAccepted" | "promptReturned" }>;

/**
 * What became of these prompts. The agent has those that it repeated while the session opened, so they must not be sent
 * again. Any other one returns to the queue, where the user decides. `before`: the state before the session opened.
 */
export function promptsOfLostAgent(before: SessionState, after: SessionState): readonly Outcome[] {
  const repeated = [...after.entries].slice(firstPlace(before)).flatMap(readPrompt);
  return after.pendingPrompts.filter(isHeld).map(({ id: submission, content }): Outcome => {
    const text = contentText(content);
    // An agent can repeat attachments as text.
    const at = repeated.findIndex(message => message.text.startsWith(text));
    const [found] = at < 0 ? [] : repeated.splice(at, 1);
    return found
      ? { type: "promptAccepted", submission, messageId: found.messageId }
      : { type: "promptReturned", submission };
  });
}

/** Where the messages of held prompts can begin: after the latest accepted prompt, or in the latest turn. */
function firstPlace(state: SessionState): number {
  const accepted = state.entries.findLast(entry => entry.kind === "message" && entry.submission !== undefined);
  const next = accepted ? state.entries.position(accepted.id) + 1 : 0;
  return Math.min(latestTurnStart(state), next);
}

const isHeld = ({ isSubmitted, messageId }: PendingPrompt): boolean => isSubmitted === true && messageId === undefined;

function readPrompt(entry: Entry): readonly { readonly messageId: string; readonly text: string }[] {
  if (entry.kind !== "message" || entry.author !== "user" || entry.parent !== undefined) return [];
  if (entry.submission !== undefined) return [];
  return [{ messageId: entry.id.slice(messageKey("user", "").length), text: contentText(entry.content) }];
}
