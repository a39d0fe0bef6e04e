// A prompt that was not sent as a draft of the composer: what promptContent.ts makes of a draft, the other way round.
import { fileURLToPath } from "node:url";
import { uriFileName } from "../panel/fileNames.ts";
import type { Attachment } from "../panel/protocol.ts";
import type { ContentBlock } from "../session/events.ts";

/** The text and the attachments of a draft. */
export interface PromptDraft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** A prompt as text and attachments. Undefined if it has content that the composer cannot attach. */
export function draftOfPrompt(content: readonly ContentBlock[], newId: () => string): PromptDraft | undefined {
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const block of content) {
    if (block.type === "text") {
      texts.push(block.text);
      continue;
    }
    const attachment = attachmentOf(block);
    if (!attachment) return undefined;
    attachments.push({ id: newId(), ...attachment });
  }
  return { text: texts.join("\n\n"), attachments };
}

function attachmentOf(block: ContentBlock): Omit<Attachment, "id"> | undefined {
  if (block.type === "image" || block.type === "audio") {
    const { type, mimeType, data } = block;
    return {
      kind: type,
      label: mimeType,
      bytes: Buffer.byteLength(data, "base64"),
      source: { type: "data", mimeType, data },
    };
  }
  if (block.type === "link") {
    const place = fileAt(block.uri);
    const kind = block.uri.endsWith("/") ? "folder" : "file";
    return place && { kind, label: block.name, source: { type: "path", ...place } };
  }
  if (block.type !== "resource" || block.text === undefined) return undefined;
  const { uri, text, mimeType } = block;
  return {
    kind: /^file:/i.test(uri) ? "file" : "text",
    label: uriFileName(uri),
    bytes: new TextEncoder().encode(text).length,
    source: { type: "text", text, uri, ...(mimeType !== undefined && { mimeType }) },
  };
}

/** The file and the lines that a link of a prompt leads to. Undefined if it leads to no file. */
function fileAt(uri: string): { readonly path: string; readonly line?: number; readonly endLine?: number } | undefined {
  const [, file = "", line, endLine] = /^(file:[^#]*)(?:#L(\d+)(?:-L(\d+))?)?$/i.exec(uri) ?? [];
  try {
    const path = fileURLToPath(file);
    return { path, ...(line && { line: Number(line) }), ...(endLine && { endLine: Number(endLine) }) };
  } catch {
    return undefined;
  }
}
