// Turns content blocks into the parts that a panel paints, and finds the block of a painted part.
import type { ContentBlock } from "../../session/events.ts";
import { shownContent } from "../../session/fileNotes.ts";
import type { SessionState } from "../../session/state.ts";
import { imageSize } from "./imageSize.ts";
import type { ViewMedia, ViewPart } from "../protocol.ts";
import { rawBody } from "./rawBody.ts";

/** The characters of one text that are sent to the panel. The rest is counted. */
const maxTextLength = 400_000;
/**
 * The base64 characters of one image or sound that are sent to the panel: 4.5 MB of a file. Larger ones open in an
 * editor.
 */
const maxMediaLength = 6_000_000;

/** Blocks other than text never grow, and parsing the header of an image is expensive. */
const partsByBlock = new WeakMap<ContentBlock, ViewPart>();

/** The part that a panel paints for a content block. */
export function viewPart(block: ContentBlock): ViewPart {
  const old = partsByBlock.get(block);
  if (old) return old;
  const audience = block.annotations?.audience;
  const part: ViewPart = {
    ...barePart(block),
    ...(audience && !audience.includes("user") && { forAgent: true as const }),
  };
  if (block.type !== "text") partsByBlock.set(block, part);
  return part;
}

function barePart(block: ContentBlock): ViewPart {
  switch (block.type) {
    case "text":
      return cutText(block.text);
    case "image":
      return {
        type: "image",
        mimeType: block.mimeType,
        ...(block.uri !== undefined && { uri: block.uri }),
        ...media(block.data),
        ...imageSize(block.data),
      };
    case "audio":
      return { type: "audio", mimeType: block.mimeType, ...media(block.data) };
    case "link": {
      const { title, annotations: _, ...link } = block;
      return { ...link, name: title ?? block.name };
    }
    case "resource":
      return resourcePart(block);
    case "other":
      return { type: "placeholder", kind: block.kind };
    default:
      return block satisfies never;
  }
}

function resourcePart(block: Extract<ContentBlock, { type: "resource" }>): ViewPart {
  const { uri, mimeType, text, blob } = block;
  const shown = blob !== undefined && /^(?:image|audio)\//.test(mimeType ?? "");
  const about = { type: "resource" as const, uri, ...(mimeType !== undefined && { mimeType }) };
  if (text !== undefined) {
    const cut = text.length - maxTextLength;
    return { ...about, text: text.slice(0, maxTextLength), ...(cut > 0 && { cut }) };
  }
  if (blob === undefined) return about;
  return { ...about, ...(shown ? { ...media(blob), ...imageSize(blob) } : {}), bytes: bytesOf(blob) };
}

const media = (data: string): ViewMedia => (data.length <= maxMediaLength ? { data } : { bytes: bytesOf(data) });

const bytesOf = (base64: string): number =>
  Math.max(0, Math.floor((base64.length * 3) / 4) - (/={1,2}$/.exec(base64)?.[0].length ?? 0));

const cutText = (text: string): ViewPart =>
  text.length <= maxTextLength
    ? { type: "text", text }
    : // Rounded, so that a text that keeps growing beyond the limit is not sent again for each chunk.
      {
        type: "text",
        text: text.slice(0, maxTextLength),
        cut: Math.ceil((text.length - maxTextLength) / 100_000) * 100_000,
      };

/** The full content block behind part `part` of an entry. Undefined if there is none. */
export function contentAt(state: SessionState, entryId: string, part: number): ContentBlock | undefined {
  const entry = state.entries.get(entryId);
  switch (entry?.kind) {
    case "message":
      return entry.content[part];
    case "compaction":
      return entry.summary[part];
    case "tool": {
      const content = shownContent(entry);
      const item = content[part];
      if (item) return item.type === "content" ? item.content : undefined;
      const body = part === content.length ? rawBody({ ...entry.fields, content }) : undefined;
      return body === undefined ? undefined : { type: "text", text: body };
    }
    default:
      return undefined;
  }
}
