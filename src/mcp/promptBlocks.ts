// The content of a prompt for the agent, from the messages that an MCP server returned: roles become headings, and each
// kind of content takes the form that the agent accepts.
import { jsonEqual } from "../base/jsonEqual.ts";
import { t } from "../base/l10n.ts";
import { indentLines } from "../base/lines.ts";
import type { ContentBlock } from "../session/events.ts";
import type { PromptCapabilities } from "../session/promptContentForAgent.ts";
import type { McpMessage } from "./promptServer.ts";

/** The content of one message, and whose it is. */
export interface PromptSection {
  readonly role: McpMessage["role"];
  readonly blocks: readonly ContentBlock[];
}

export interface FittedPrompt {
  /** Adjacent messages of one role are one section. */
  readonly sections: readonly PromptSection[];
  /** What the agent will not get as the server meant it, as sentences. */
  readonly notes: readonly string[];
}

/** Fits the messages to what the agent accepts. `accepts` is undefined while the agent is not connected. */
export function fitPrompt(
  messages: readonly McpMessage[],
  accepts: PromptCapabilities | undefined,
  agentName: string,
): FittedPrompt {
  const notes = new Set<string>();
  const sections: { role: McpMessage["role"]; blocks: ContentBlock[] }[] = [];
  for (const { role, content } of messages) {
    const last = sections.at(-1);
    const blocks = fitContent(content, accepts, agentName, notes);
    if (blocks.length === 0) continue;
    if (last?.role === role) last.blocks.push(...blocks);
    else sections.push({ role, blocks: [...blocks] });
  }
  return { sections, notes: [...notes] };
}

/**
 * The blocks that are sent: one prompt of the user. If the assistant also has messages, each section has blocks of its
 * own and begins with its role, because agents know no messages of others in a prompt. Its text is then indented, so that
 * no line of it can name another role.
 */
export function promptBlocks({ sections }: FittedPrompt): readonly ContentBlock[] {
  if (sections.every(({ role }) => role === "user")) return joinTexts(sections.flatMap(({ blocks }) => blocks));
  return sections.flatMap(({ role, blocks }) => {
    const name: ContentBlock = { type: "text", text: role === "user" ? "User:\n" : "Assistant:\n" };
    return joinTexts([name, ...blocks.map(indented)]);
  });
}

const indented = (block: ContentBlock): ContentBlock =>
  block.type === "text" ? { ...block, text: indentLines(block.text, "  ") } : block;

/** Joins adjacent texts with the same annotations, and an empty line between them. */
function joinTexts(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const joined: ContentBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last?.type === "text" && block.type === "text" && jsonEqual(last.annotations, block.annotations)) {
      const gap = last.text.endsWith("\n") ? "" : "\n\n";
      joined[joined.length - 1] = { ...last, text: `${last.text}${gap}${block.text}` };
    } else joined.push(block);
  }
  return joined;
}

function fitContent(
  content: ContentBlock,
  accepts: PromptCapabilities | undefined,
  agentName: string,
  notes: Set<string>,
): readonly ContentBlock[] {
  switch (content.type) {
    case "text":
      return content.text === "" ? [] : [content];
    case "image":
    case "audio":
      if (accepts?.[content.type] !== false) return [content];
      notes.add(
        content.type === "image"
          ? t("{0} does not take images, so an image is left out.", agentName)
          : t("{0} does not take audio, so a recording is left out.", agentName),
      );
      return [];
    case "resource":
      if (content.text === undefined && accepts?.embeddedContext === false)
        notes.add(
          t("{0} does not take files, so {1} becomes a link that it may not be able to open.", agentName, content.uri),
        );
      return [content];
    case "link":
      return [{ ...content, name: content.name === "" ? content.uri : content.name }];
    case "other":
      notes.add(t("The server sent a kind of content that Parley does not know. It is left out."));
      return [];
  }
}
