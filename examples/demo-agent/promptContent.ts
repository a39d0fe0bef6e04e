// The content of a prompt: its text, and its attached files and pictures.
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk";

/** A file that a prompt refers to. `text` is set if the prompt contains the file itself. */
export interface Attachment {
  readonly path: string;
  readonly text?: string;
}

/** A picture in a prompt. `width` and `height` are in pixels, and set if the format is known. */
export interface Picture {
  readonly mimeType: string;
  readonly bytes: number;
  readonly size?: { readonly width: number; readonly height: number };
}

/** The text, the files and the pictures of a prompt, in order. */
export interface PromptContent {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly pictures: readonly Picture[];
}

/** Splits a prompt by content type. Other blocks are ignored. */
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
      // The text of a file is read again through the editor. The text in the prompt is used only if it has no file.
      if (path !== undefined) attachments.push({ path });
      else if (text !== undefined) attachments.push({ path: block.resource.uri, text });
    }
  }
  return { text: words.join("\n"), attachments, pictures };
}

/**
 * The size of a picture from its data. A PNG stores its size after its signature and the length and name of its first
 * chunk.
 */
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
    // A file URI of another machine refers to no file of this machine.
    return undefined;
  }
}
