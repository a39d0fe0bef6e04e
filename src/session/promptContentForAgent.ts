// A prompt's content as a given agent can take it: embedded resource, else link, else text. Every agent takes the last two.
import type { AgentCan } from "./agent.ts";
import type { Content } from "./events.ts";

/** What an agent takes in prompts beside text and links. */
export type Accepts = Pick<AgentCan, "image" | "audio" | "embeddedContext">;

/** The content, each block as the best that the agent takes; or a sentence about what it cannot take at all. */
export function fitContent(
  content: readonly Content[],
  accepts: Accepts,
  agentName: string,
): { readonly content: readonly Content[] } | { readonly refused: string } {
  const fitted: Content[] = [];
  for (const block of content) {
    const fit = fitBlock(block, accepts);
    if (!fit) {
      const what = block.type === "audio" ? "audio" : "images";
      return { refused: `${agentName} does not take ${what}. Remove it and send the message again.` };
    }
    fitted.push(fit);
  }
  return { content: fitted };
}

function fitBlock(block: Content, accepts: Accepts): Content | undefined {
  switch (block.type) {
    case "image":
    case "audio":
      if (accepts[block.type]) return block;
      return block.type === "image" && block.uri !== undefined ? link(block.uri, block.mimeType) : undefined;
    case "resource":
      if (accepts.embeddedContext) return block;
      return isFile(block.uri) || block.text === undefined
        ? link(block.uri, block.mimeType)
        : { type: "text", text: asText(nameOf(block.uri), block.text) };
    default:
      return block;
  }
}

const isFile = (uri: string): boolean => uri.startsWith("file:");

const link = (uri: string, mimeType: string | undefined): Content => ({
  type: "link",
  uri,
  name: nameOf(uri),
  ...(mimeType !== undefined && { mimeType }),
});

/** The name at the end of a URI, with its lines: "a.ts#L1-L3". */
export function nameOf(uri: string): string {
  const [path = "", fragment] = uri.split("#");
  const name = path.split("/").findLast(part => part !== "") ?? uri;
  const read = decoded(name);
  return fragment === undefined ? read : `${read}#${fragment}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray "%".
  }
}

/** Text under its name, in a fence that nothing in it closes. */
function asText(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${name}:\n${fence}\n${text.endsWith("\n") ? text : `${text}\n`}${fence}\n`;
}
