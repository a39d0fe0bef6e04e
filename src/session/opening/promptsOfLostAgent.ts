// The prompts that an agent held when the connection ended. What it repeats shows whether it inserted them.
import type { ContentBlock, SessionEvent } from "../events.ts";
import { contentText, isHeld, isPrompt, messageKey, type PendingPrompt, type SessionState } from "../state.ts";

type Outcome = Extract<SessionEvent, { type: "promptAccepted" | "promptReturned" }>;

/** A message of the user that no prompt is known for. */
interface RepeatedMessage {
  readonly messageId: string;
  readonly text: string;
  /** Its place among the entries. */
  readonly place: number;
}

/**
 * What became of these prompts. The agent has those that it repeated while the session opened, so they must not be sent
 * again. Any other one returns to the queue, where the user decides. `repeated`: the ids of the messages that the agent
 * reported meanwhile.
 */
export function promptsOfLostAgent(state: SessionState, repeated: Iterable<string>): readonly Outcome[] {
  const messages = [...repeated].flatMap(id => readMessage(state, id));
  const held = state.pendingPrompts.filter(isHeld);
  const found = new Map<string, string>();
  for (const isMessageOf of [hasSameText, hasBeginning])
    for (const prompt of held.filter(({ id }) => !found.has(id))) {
      const { place = 0 } = prompt;
      const at = messages.findIndex(message => message.place >= place && isMessageOf(message.text, prompt.content));
      const [message] = at < 0 ? [] : messages.splice(at, 1);
      if (message) found.set(prompt.id, message.messageId);
    }
  return held.map(({ id: submission }): Outcome => {
    const messageId = found.get(submission);
    return messageId === undefined
      ? { type: "promptReturned", submission }
      : { type: "promptAccepted", submission, messageId };
  });
}

/** Without text, nothing shows that the message is the prompt. */
function hasSameText(text: string, prompt: PendingPrompt["content"]): boolean {
  const own = contentText(prompt);
  return own !== "" && text === own;
}

/** An agent can repeat attachments as text. */
function hasBeginning(text: string, prompt: PendingPrompt["content"]): boolean {
  const own = contentText(prompt);
  return own !== "" && prompt.some(isAttachment) && text.startsWith(own);
}

const isAttachment = ({ type }: ContentBlock): boolean => type !== "text";

function readMessage({ entries }: SessionState, messageId: string): readonly RepeatedMessage[] {
  const entry = entries.get(messageKey("user", messageId));
  if (entry?.kind !== "message" || !isPrompt(entry) || entry.submission !== undefined) return [];
  return [{ messageId, text: contentText(entry.content), place: entries.position(entry.id) }];
}
