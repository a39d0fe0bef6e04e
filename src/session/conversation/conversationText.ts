// A conversation as Markdown, for the clipboard or a file.
import { inlineMarkdown, isolatedMarkdown } from "../../base/isolatedMarkdown.ts";
import { sessionTitle, type SessionState } from "../state.ts";
import { conversationSections, type ConversationStyle } from "./conversationSections.ts";

const markdown: ConversationStyle = {
  user: "You",
  text: isolatedMarkdown,
  file: text => isolatedMarkdown(fenced(text)),
  line: inlineMarkdown,
};

/** The whole conversation. What a message contains is in a quote, so a heading outside of quotes is always Parley's. */
export function conversationText(state: SessionState): string {
  const title = sessionTitle(state);
  const head = title.trim() === "" ? [] : [`# ${inlineMarkdown(title)}`];
  const body = conversationSections(state, markdown).flatMap(({ blocks }) => blocks);
  return `${[...head, ...body].join("\n\n")}\n`;
}

/** Adds a fence that is longer than any in the text. */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
