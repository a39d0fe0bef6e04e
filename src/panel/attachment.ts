// The check of an attachment, from which its type in protocol.ts derives. Drafts that the panel restores use it too.
import {
  isAnyOf,
  isListOf,
  isNonNegativeInteger,
  isOneOf,
  isRecordOf,
  isString,
  optional,
} from "../base/validators.ts";
import { attachmentKinds, type AttachmentKind } from "./mentionKinds.ts";

const isAttachmentSource = isAnyOf(
  /** A file or folder, read when the prompt is sent. Lines are 1-based and inclusive. */
  isRecordOf({
    type: isOneOf("path"),
    path: isString,
    line: optional(isNonNegativeInteger),
    endLine: optional(isNonNegativeInteger),
  }),
  /** A text, captured when it was attached. */
  isRecordOf({ type: isOneOf("text"), text: isString, uri: optional(isString), mimeType: optional(isString) }),
  /** `data` is base64. */
  isRecordOf({ type: isOneOf("data"), mimeType: isString, data: isString }),
);

/** Whether a value is an attachment without unknown fields. */
export const isAttachment = isRecordOf({
  /** Unique within a draft. */
  id: isString,
  kind: isOneOf(...(Object.keys(attachmentKinds) as readonly AttachmentKind[])),
  label: isString,
  detail: optional(isString),
  /** The size of the content for the agent, if it is known before the prompt is sent. */
  bytes: optional(isNonNegativeInteger),
  source: isAttachmentSource,
});

/** Whether a value is a list of attachments. */
export const isAttachmentList = isListOf(isAttachment);
