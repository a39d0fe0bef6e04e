// Mentions: texts in the message that stand for attachments, such as `@sum.js`. A mention and its chip are one thing.
import { isNameEnd } from "../../src/base/spacelessScripts.ts";
import type { Completion, MentionKind } from "../../src/panel/mentionKinds.ts";
import type { Attachment } from "../../src/panel/protocol.ts";

/** A mention in a text. Offsets in UTF-16 units. */
export interface FoundMention {
  readonly mention: string;
  readonly start: number;
  readonly end: number;
}

/** Where the text has one of these mentions. A longer mention has precedence: `@a.ts 2` does not contain `@a.ts`. */
export function findMentions(text: string, mentions: Iterable<string>): readonly FoundMention[] {
  const longestFirst = [...new Set(mentions)].sort((a, b) => b.length - a.length);
  const found: FoundMention[] = [];
  if (longestFirst.length === 0) return found;
  for (let start = text.indexOf("@"); start >= 0;) {
    const mention = longestFirst.find(one => text.startsWith(one, start) && endsAt(text, start + one.length));
    const end = start + (mention ?? "@").length;
    if (mention !== undefined) found.push({ mention, start, end });
    start = text.indexOf("@", end);
  }
  return found;
}

/** Four UTF-16 units show whether a word or path continues. */
const endsAt = (text: string, at: number): boolean => isNameEnd(text.slice(at, at + 4));

/** The attachments that belong to a draft with this text: those without mentions, and those that it mentions. */
export function mentioned(text: string, attachments: readonly Attachment[]): readonly Attachment[] {
  const found = new Set(findMentions(text, mentionsOf(attachments)).map(({ mention }) => mention));
  return attachments.filter(one => isIndependent(one) || one.mentions?.some(mention => found.has(mention)));
}

/** The mentions of all these attachments. */
export const mentionsOf = (attachments: readonly Attachment[]): readonly string[] =>
  attachments.flatMap(({ mentions = [] }) => mentions);

/** Whether the user also attached it without a mention. */
const isIndependent = ({ mentions, stays }: Attachment): boolean => mentions === undefined || stays === true;

/** One attachment instead of two with the same content, with the mentions of both. */
export function joinedAttachment(one: Attachment, other: Attachment): Attachment {
  const mentions = [...new Set(mentionsOf([one, other]))];
  if (mentions.length === 0) return one;
  const { stays: _, ...joined } = { ...one, mentions };
  return isIndependent(one) || isIndependent(other) ? { ...joined, stays: true } : joined;
}

/** The attachment without its mentions, so that it stays whatever the text is. */
export function withoutMentions({ mentions: _, stays: _stays, ...attachment }: Attachment): Attachment {
  return attachment;
}

/** These kinds name the same content whenever they are chosen. Others are captured when they are chosen. */
const pathKinds: ReadonlySet<MentionKind> = new Set(["file", "folder", "editor", "symbol"]);

/**
 * The text to insert for a chosen completion: its label, with its location if the label stands for something else in this
 * draft. `known` are the mentions of the draft, with the keys of their completions if they are known.
 */
export function mentionFor(
  { key, kind, label, detail }: Completion,
  known: ReadonlyMap<string, string | undefined>,
): string {
  const isPath = pathKinds.has(kind);
  const isFree = (mention: string): boolean => !known.has(mention) || (isPath && known.get(mention) === key);
  const short = `@${label}`;
  if (isFree(short)) return short;
  if (isPath && kind !== "symbol") return `@${detail ?? "."}/${label}`;
  const long = detail === undefined ? short : `@${label} (${detail})`;
  let mention = long;
  for (let n = 2; !isFree(mention); n++) mention = `${long} ${n}`;
  return mention;
}
