// What a prompt holds: its words, and the files and pictures that it brings along.
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";

/** A file named by a prompt; `text` is there where the prompt holds the file itself. */
export interface Attachment {
  readonly path: string;
  readonly text?: string;
}

/** A picture in a prompt. `width` and `height` in pixels, where its kind is known. */
export interface Picture {
  readonly mimeType: string;
  readonly bytes: number;
  readonly size?: { readonly width: number; readonly height: number };
}

/** The words, the files and the pictures of a prompt, in order. */
export interface PromptContent {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly pictures: readonly Picture[];
}

/** Takes a prompt apart. Other blocks are left out. */
export function readPrompt(blocks: readonly ContentBlock[]): PromptContent {
  const words: string[] = [];
  const attachments: Attachment[] = [];
  const pictures: Picture[] = [];
  for (const block of blocks) {
    if (block.type === "text") words.push(block.text);
    if (block.type === "image") pictures.push(readPicture(block.mimeType, block.data));
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
  return { text: words.join("\n"), attachments, pictures };
}

/** What a picture's own bytes tell of it. A PNG has its size behind its name and the length and name of its first part. */
function readPicture(mimeType: string, data: string): Picture {
  const bytes = Buffer.from(data, "base64");
  const isPng = bytes.length >= 24 && bytes.subarray(1, 4).toString("latin1") === "PNG";
  if (!isPng) return { mimeType, bytes: bytes.length };
  return { mimeType, bytes: bytes.length, size: { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } };
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
