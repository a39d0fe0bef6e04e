// Attachments of a draft that a reload keeps.
import { isAttachment } from "../../src/panel/intents.ts";
import type { Attachment } from "../../src/panel/protocol.ts";

/** Characters that an attachment weighs in what is kept. */
export function characterCount({ source }: Attachment): number {
  if (source.type === "data") return source.data.length;
  return source.type === "text" ? source.text.length : source.path.length;
}

/** Attachments out of what was kept; whatever is none is left out. */
export const restoredAttachments = (saved: unknown): readonly Attachment[] =>
  Array.isArray(saved) ? saved.filter(isAttachment) : [];
