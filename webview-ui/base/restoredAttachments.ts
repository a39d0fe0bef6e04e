// The attachments of a draft that are restored after a reload.
import { isAttachment } from "../../src/panel/attachment.ts";
import type { Attachment } from "../../src/panel/protocol.ts";

/** How many characters an attachment adds to the saved state. */
export function characterCount({ source }: Attachment): number {
  if (source.type === "data") return source.data.length;
  return source.type === "text" ? source.text.length : source.path.length;
}

/** The attachments in the saved state. Anything that is not a valid attachment is skipped. */
export const restoredAttachments = (saved: unknown): readonly Attachment[] =>
  Array.isArray(saved) ? saved.filter(isAttachment) : [];
