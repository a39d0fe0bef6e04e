// A conversation as Markdown, for the clipboard or a file.
import { fenced } from "../../base/fence.ts";
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
