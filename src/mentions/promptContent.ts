// The content of a prompt with attachments: the text, then a content block for each attachment.
import { blockBytes, maxPromptBytes, mebibytes, promptLineBytes } from "../acp/promptSize.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { ContentBlock } from "../session/events.ts";
import type { Attachment, AttachmentSource } from "../panel/protocol.ts";
import type { SessionState } from "../session/state.ts";
import { commaSeparated } from "../base/sentences.ts";

type PathSource = Extract<AttachmentSource, { readonly type: "path" }>;

/** The content at the path of an attachment as the user sees it, including unsaved changes. */
export type PathContent =
  | { readonly kind: "text"; readonly uri: string; readonly text: string; readonly mimeType?: string }
  /** Too large, or not a text. */
  | { readonly kind: "file"; readonly uri: string; readonly size: number; readonly mimeType?: string }
  | { readonly kind: "folder"; readonly uri: string }
  | { readonly kind: "missing" };

/** Reads attachments. Text beyond `mostBytes` need not be read, because it is not embedded. */
export type ReadPath = (source: PathSource, mostBytes: number) => Promise<PathContent>;

/** The bytes of text that one attachment may embed. Larger attachments become links. */
export const maxEmbeddedBytes = 256 * 1024;
/** The same limit for all attachments of a prompt together. */
export const maxTotalEmbeddedBytes = 1024 * 1024;
/** The bytes of an image or a sound, in base64. */
export const maxDataLength = 5 * 1024 * 1024;

/** The content to send, or the reason, as a sentence, why the prompt must not be sent. */
export type PromptContent = { readonly content: readonly ContentBlock[] } | { readonly unsent: string };

export interface PromptContentOptions {
  /**
   * The content that the agent accepts. Null if it is not known yet. The session then checks before it sends the
   * prompt.
   */
  readonly accepts: SessionState["accepts"];
  readonly agentName: string;
  readonly read: ReadPath;
}

/** The content of a prompt. Attachments keep their order. Nothing is left out silently. */
export async function promptContent(
  text: string,
  attachments: readonly Attachment[],
  options: PromptContentOptions,
): Promise<PromptContent> {
  const content: ContentBlock[] = text.trim() === "" ? [] : [{ type: "text", text }];
  let bytesLeft = maxTotalEmbeddedBytes;
  for (const attachment of attachments) {
    const made = await blockOf(attachment, bytesLeft, options);
    if ("unsent" in made) return made;
    if (made.block.type === "resource") bytesLeft -= byteLength(made.block.text ?? "");
    content.push(made.block);
  }
  const unsent = tooLargeReason(content, attachments);
  return unsent === undefined ? { content } : { unsent };
}

/**
 * Why the prompt is too large for agents, and what to remove: the largest attachments, as few as possible. Undefined if
 * it is not too large. The last blocks of the content are the attachments.
 */
function tooLargeReason(content: readonly ContentBlock[], attachments: readonly Attachment[]): string | undefined {
  const size = promptLineBytes(content);
  if (size <= maxPromptBytes) return undefined;
  const blocks = content.slice(content.length - attachments.length);
  const largestFirst = attachments
    .map(({ label }, i) => ({ label, bytes: blocks[i] ? blockBytes(blocks[i]) : 0 }))
    .sort((a, b) => b.bytes - a.bytes);
  const toRemove: string[] = [];
  let left = size;
  for (const { label, bytes } of largestFirst) {
    if (left <= maxPromptBytes) break;
    left -= bytes;
    toRemove.push(`“${label}” (${mebibytes(bytes)})`);
  }
  const limit = t(
    "The message is too large to send: its size is {0}, and the limit is {1}.",
    mebibytes(size),
    mebibytes(maxPromptBytes),
  );
  // Attachments can't make up for a text that is too long by itself.
  if (left > maxPromptBytes) return t("{0} Shorten the text.", limit);
  return t("{0} Remove {1}, or attach less.", limit, listed(toRemove));
}

/** The items as a part of a sentence: "a, b and c". */
const listed = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : t("{0} and {1}", commaSeparated(items.slice(0, -1)), items.at(-1) ?? "");

type BlockResult = { readonly block: ContentBlock } | { readonly unsent: string };

async function blockOf(attachment: Attachment, bytesLeft: number, options: PromptContentOptions): Promise<BlockResult> {
  const { source, label } = attachment;
  switch (source.type) {
    case "data":
      return dataBlock(attachment, source, options);
    case "text": {
      const { text, mimeType } = source;
      if (byteLength(text) > Math.min(maxEmbeddedBytes, bytesLeft)) {
        return {
          unsent: t("“{0}” is too large to send ({1}). Remove it or attach less.", label, sizeText(byteLength(text))),
        };
      }
      const uri = source.uri ?? `parley:/${encodeURIComponent(label)}`;
      return { block: { type: "resource", uri, text, ...(mimeType !== undefined && { mimeType }) } };
    }
    case "path":
      return pathBlock(attachment, source, bytesLeft, options);
    default:
      return source satisfies never;
  }
}

function dataBlock(
  { label }: Attachment,
  { mimeType, data }: Extract<AttachmentSource, { readonly type: "data" }>,
  { accepts, agentName }: PromptContentOptions,
): BlockResult {
  const kind = mimeType.startsWith("image/") ? "image" : mimeType.startsWith("audio/") ? "audio" : undefined;
  if (!kind || !/^[\w.+-]+\/[\w.+-]+$/.test(mimeType)) {
    return { unsent: t("“{0}” is neither an image nor audio, so it cannot be sent. Remove it.", label) };
  }
  if (accepts && !accepts[kind]) {
    const what = kind === "image" ? t("images") : t("audio");
    return { unsent: t("{0} does not take {1}. Remove “{2}” and send again.", agentName, what, label) };
  }
  if (data.length > maxDataLength) {
    return {
      unsent: t("“{0}” is too large to send ({1}). Remove it or attach a smaller one.", label, sizeText(data.length)),
    };
  }
  return { block: { type: kind, mimeType, data } };
}

async function pathBlock(
  { label }: Attachment,
  source: PathSource,
  bytesLeft: number,
  { accepts, read }: PromptContentOptions,
): Promise<BlockResult> {
  const maxBytes = accepts?.embeddedContext === false ? 0 : Math.min(maxEmbeddedBytes, bytesLeft);
  let found: PathContent;
  try {
    found = await read(source, maxBytes);
  } catch (error) {
    return { unsent: t("“{0}” could not be read: {1}", label, asError(error).message) };
  }
  if (found.kind === "missing") {
    return { unsent: t("“{0}” no longer exists. Remove it or attach it again.", label) };
  }
  const uri = `${found.uri}${linesFragment(source)}`;
  const type = found.kind !== "folder" && found.mimeType !== undefined ? { mimeType: found.mimeType } : {};
  if (found.kind === "text" && byteLength(found.text) <= maxBytes) {
    return { block: { type: "resource", uri, text: found.text, ...type } };
  }
  const size = found.kind === "file" ? { size: found.size } : {};
  return { block: { type: "link", uri, name: label, ...type, ...size } };
}

/** The lines of a location as the fragment of its URI: "#L3" or "#L3-L9". */
export function linesFragment({ line, endLine }: { readonly line?: number; readonly endLine?: number }): string {
  if (line === undefined) return "";
  return endLine === undefined || endLine === line ? `#L${line}` : `#L${line}-L${endLine}`;
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** A size for people to read: "12 KB". */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
