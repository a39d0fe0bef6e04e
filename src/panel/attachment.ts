// The check of an attachment, from which its type in protocol.ts derives. Drafts that the panel restores use it too.
import {
  isAnyOf,
  isListOf,
  isNonNegativeInteger,
  isOneOf,
  isRecordOf,
  isString,
  isTrue,
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
  /** What the preview of a text shows instead of its beginning. */
  preview: optional(isString),
  /** The texts that stand for it in the message, such as `@sum.js`. Without one of them in the text, it is not sent. */
  mentions: optional(isListOf(isString)),
  /** It looks like a secret, so its content is not shown. */
  secret: optional(isTrue),
  /** It was also attached without a mention, so it is sent without one, too. */
  stays: optional(isTrue),
});

/** Whether a value is a list of attachments. */
export const isAttachmentList = isListOf(isAttachment);
