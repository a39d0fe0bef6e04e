// The stored conversations that the composer offers after `@`, by their titles.
import { t } from "../base/l10n.ts";
import { visibleLine } from "../base/lines.ts";
import { localDay } from "../base/localDay.ts";
import type { Attachment } from "../panel/protocol.ts";

/** A conversation to offer. */
export interface MentionedConversation {
  readonly id: string;
  /** Empty if it has none. */
  readonly title: string;
  readonly agentName: string;
  /** When it was used last, ms since the epoch. */
  readonly updated: number;
}

/** The stored conversations, which belong to rooms above this one. */
export interface MentionedConversations {
  /** Resolves when the list has been read. Never rejects. */
  load(): Promise<void>;
  /** The conversations to offer, the latest first. */
  list(): readonly MentionedConversation[];
  /** The whole conversation. Rejects with a sentence if it was deleted or cannot be read. */
  attachment(id: string): Promise<Attachment>;
  /** Its digest: the task, decisions, changed files, and what is open. Rejects as {@link attachment} does. */
  digest(id: string): Promise<Attachment>;
}

/** A conversation whose title fits what the user typed, and the offsets in {@link conversationLabel} that match. */
export interface ConversationMatch {
  readonly conversation: MentionedConversation;
  readonly matches: readonly number[];
}

/** After this prefix, only conversations are offered. */
export const conversationPrefix = "conversation:";
/** After this prefix, only digests of conversations are offered. */
export const digestPrefix = "digest:";

/** A longer title is cut. UTF-16 units. */
const maxLabelLength = 60;

/** The title of a conversation on one short line. */
export function conversationLabel(title: string): string {
  const line = visibleLine(title);
  if (line === "") return t("New Conversation");
  if (line.length <= maxLabelLength) return line;
  return `${line.slice(0, maxLabelLength).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The name of the digest of a conversation with this {@link conversationLabel}. */
export const digestLabel = (label: string): string => t("Digest of “{0}”", label);

/** The agent of a conversation, and the day. `at`: ms since the epoch. */
export const conversationDetail = (agentName: string, at: number): string =>
  `${visibleLine(agentName)} · ${localDay(at)}`;

/**
 * At most `limit` conversations whose title contains the words: those with a word that begins with them first. A hyphen also
 * stands for a blank, which cannot be typed after `@`. `atWordStart`: only those.
 */
export function matchingConversations(
  words: string,
  conversations: readonly MentionedConversation[],
  { limit, atWordStart = false }: { readonly limit: number; readonly atWordStart?: boolean },
): readonly ConversationMatch[] {
  const wanted = words.trim().toLowerCase();
  const found = conversations.flatMap(
    (conversation): readonly (ConversationMatch & { readonly isStart: boolean })[] => {
      const title = conversationLabel(conversation.title).toLowerCase();
      if (wanted === "") return [{ conversation, matches: [], isStart: true }];
      const at = placeOf(title, wanted);
      if (!at || (atWordStart && !at.isStart)) return [];
      const matches = Array.from({ length: wanted.length }, (_, i) => at.index + i);
      return [{ conversation, matches, isStart: at.isStart }];
    },
  );
  const sorted = [...found.filter(({ isStart }) => isStart), ...found.filter(({ isStart }) => !isStart)];
  return sorted.slice(0, limit).map(({ conversation, matches }) => ({ conversation, matches }));
}

function placeOf(title: string, wanted: string): { readonly index: number; readonly isStart: boolean } | undefined {
  let first: number | undefined;
  for (const words of new Set([wanted, wanted.replaceAll("-", " ")])) {
    for (let at = title.indexOf(words); at >= 0; at = title.indexOf(words, at + 1)) {
      if (!/[\p{L}\p{N}]$/u.test(title.slice(Math.max(0, at - 2), at))) return { index: at, isStart: true };
      first ??= at;
    }
  }
  return first === undefined ? undefined : { index: first, isStart: false };
}
