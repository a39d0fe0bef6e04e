// A conversation as one text for the agent that continues it in another session.
import { maskText } from "../../base/mask.ts";
import type { SessionState } from "../state.ts";
import { conversationForAgent } from "./conversationForAgent.ts";

/** The longest conversation that goes along with a prompt, in bytes. Of a longer one, the end goes along. */
export const maxContinuedBytes = 100_000;

/** Whether the whole conversation goes along with a prompt. */
export const isContinuedWhole = (state: SessionState): boolean => cutConversation(state, []).isWhole;

/**
 * The conversation with an explanation, without turns that the agent refused and without likely secrets. At most
 * {@link maxContinuedBytes} long. `pages`: the paths of the files that have the whole conversation.
 */
export const continuedConversation = (state: SessionState, pages: readonly string[] = []): string =>
  cutConversation(state, pages).text;

function cutConversation(
  state: SessionState,
  pages: readonly string[],
): { readonly text: string; readonly isWhole: boolean } {
  let maxBytes = maxContinuedBytes;
  for (;;) {
    const { explanation, sections, isWhole } = conversationForAgent(state, "", maxBytes, pages);
    const text = maskText(`${[explanation, ...sections.map(section => section.text)].join("\n\n")}\n`);
    const excess = new TextEncoder().encode(text).length - maxContinuedBytes;
    // The explanation takes room, and a masked text can be longer.
    if (excess <= 0 || maxBytes === 0) return { text, isWhole };
    maxBytes = Math.max(0, maxBytes - excess);
  }
}
