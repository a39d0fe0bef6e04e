// Converts a prompt's content to what an agent supports: embedded resource, else link, else text. Every agent supports the
// last two.
import { fenced } from "../base/fence.ts";
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import type { AgentCapabilities } from "./agent.ts";
import type { ContentBlock } from "./events.ts";

/** The content types that an agent supports in prompts, besides text and links. */
export type PromptCapabilities = Pick<AgentCapabilities, "image" | "audio" | "embeddedContext">;

/** The content, each block in the best form that the agent supports; or why a block cannot be sent, as a sentence. */
export function promptContentForAgent(
  content: readonly ContentBlock[],
  accepts: PromptCapabilities,
  agentName: string,
): { readonly content: readonly ContentBlock[] } | { readonly refused: string } {
  const fitted: ContentBlock[] = [];
  for (const block of content) {
    const fit = fitBlock(block, accepts);
    if (!fit) {
      const what = block.type === "audio" ? t("audio") : t("images");
      return { refused: t("{0} does not take {1}. Remove it and send the message again.", agentName, what) };
    }
    fitted.push(fit);
  }
  return { content: fitted };
}

function fitBlock(block: ContentBlock, accepts: PromptCapabilities): ContentBlock | undefined {
  switch (block.type) {
    case "image":
    case "audio":
      if (accepts[block.type]) return block;
      return block.type === "image" && block.uri !== undefined ? linkBlock(block.uri, block.mimeType) : undefined;
    case "resource":
      if (accepts.embeddedContext) return block;
      return isFile(block.uri) || block.text === undefined
        ? linkBlock(block.uri, block.mimeType)
        : { type: "text", text: fencedText(nameOfUri(block.uri), block.text) };
    default:
      return block;
  }
}

const isFile = (uri: string): boolean => uri.startsWith("file:");

const linkBlock = (uri: string, mimeType: string | undefined): ContentBlock => ({
  type: "link",
  uri,
  name: nameOfUri(uri),
  ...(mimeType !== undefined && { mimeType }),
});

/** The file name in a URI, with its lines: "a.ts#L1-L3". On one line, because it stands before texts. */
export function nameOfUri(uri: string): string {
  const [path = "", fragment] = uri.split("#");
  const name = path.split("/").findLast(part => part !== "") ?? uri;
  const read = decoded(name);
  return visibleLine(fragment === undefined ? read : `${read}#${fragment}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray "%".
  }
}

/** The text under its name, as a code block. */
const fencedText = (name: string, text: string): string => `\n\n${name}:\n${fenced(text.replace(/\n$/, ""))}\n`;
