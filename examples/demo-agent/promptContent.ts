// What a prompt holds: its words, and the files that it brings along.
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";

/** A file named by a prompt; `text` is there where the prompt holds the file itself. */
export interface Attachment {
  readonly path: string;
  readonly text?: string;
}

/** The words and the files of a prompt, in order. */
export interface PromptContent {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** Takes a prompt apart. Blocks that are neither words nor files are left out. */
export function readPrompt(blocks: readonly ContentBlock[]): PromptContent {
  const words: string[] = [];
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    if (block.type === "text") words.push(block.text);
    if (block.type === "resource_link") {
      const path = pathOf(block.uri);
      if (path !== undefined) attachments.push({ path });
    }
    if (block.type === "resource") {
      const path = pathOf(block.resource.uri);
      const text = "text" in block.resource ? block.resource.text : undefined;
      // What the editor holds of a file is read again through it; only what has no file is taken from here.
      if (path !== undefined) attachments.push({ path });
      else if (text !== undefined) attachments.push({ path: block.resource.uri, text });
    }
  }
  return { text: words.join("\n"), attachments };
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith("file:")) return /^[/\\]|^[A-Za-z]:\\/.test(uri) ? uri : undefined;
  try {
    return fileURLToPath(uri.replace(/[?#].*$/, ""));
  } catch {
    // A file address of another machine names nothing here.
    return undefined;
  }
}
