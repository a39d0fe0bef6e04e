// A conversation as one text for the agent that continues it in another session.
import { maskText } from "../../base/mask.ts";
import type { SessionState } from "../state.ts";
import { conversationForAgent } from "./conversationForAgent.ts";

/** The longest conversation that goes along with a prompt, in bytes. Of a longer one, the end goes along. */
export const maxContinuedBytes = 100_000;

/**
 * The conversation with an explanation, without turns that the agent refused and without likely secrets. At most
 * {@link maxContinuedBytes} long.
 */
export function continuedConversation(state: SessionState): string {
  let maxBytes = maxContinuedBytes;
  for (;;) {
    const { explanation, sections } = conversationForAgent(state, "", maxBytes);
    const text = maskText(`${[explanation, ...sections.map(section => section.text)].join("\n\n")}\n`);
    const excess = new TextEncoder().encode(text).length - maxContinuedBytes;
    // The explanation takes room, and a masked text can be longer.
    if (excess <= 0 || maxBytes === 0) return text;
    maxBytes = Math.max(0, maxBytes - excess);
  }
}
