// Adds and updates messages, and appends their chunks.
import { jsonEqual } from "../base/jsonEqual.ts";
import type { MessageAuthor, ContentBlock, SessionEvent } from "./events.ts";
import { messageKey, type Entry, type Message, type SessionState } from "./state.ts";

/**
 * The content with a block appended. Adjacent text with the same annotations is joined, so the state does not depend on
 * how an agent splits its chunks. Empty text adds nothing.
 */
export function appendContent(old: readonly ContentBlock[], next: ContentBlock): readonly ContentBlock[] {
  if (next.type !== "text") return [...old, next];
  if (next.text === "") return old;
  const last = old.at(-1);
  if (last?.type !== "text" || !jsonEqual(last.annotations, next.annotations)) return [...old, next];
  return [...old.slice(0, -1), { ...last, text: last.text + next.text }];
}

/** Joins adjacent text in a list, as {@link appendContent} does. */
export const joinContent = (content: readonly ContentBlock[]): readonly ContentBlock[] =>
  content.reduce<readonly ContentBlock[]>(appendContent, []);

/** The message with the agent's id, also if the agent has named it after it was added. */
export function findMessage(state: SessionState, author: MessageAuthor, messageId: string): Message | undefined {
  const { entries, hasNamedMessages = false } = state;
  const key = messageKey(author, messageId);
  const canBeNamed = hasNamedMessages && author === "user";
  const entry = entries.get(key) ?? (canBeNamed ? entries.findLast(each => isNamed(each, key)) : undefined);
  return entry?.kind === "message" ? entry : undefined;
}

const isNamed = (entry: Entry, key: string): boolean => entry.kind === "message" && entry.namedKey === key;

/** The agent has named a message that the conversation shows already. */
export function nameMessage(
  state: SessionState,
  { author, messageId, shownAs }: Extract<SessionEvent, { type: "message" }>,
): SessionState {
  const shown = shownAs === undefined ? undefined : findMessage(state, author, shownAs);
  if (!shown?.unnamed || findMessage(state, author, messageId)) return state;
  const { unnamed: _, ...rest } = shown;
  const entries = state.entries.put({ ...rest, namedKey: messageKey(author, messageId) });
  return { ...state, entries, hasNamedMessages: true };
}

/**
 * The state with the message changed by `change`, which creates it if it is new. The echo of a prompt settles the prompt.
 * A new message without content is not added yet: its place in the transcript is where its first text arrives.
 */
export function upsertMessage(
  state: SessionState,
  message: Pick<
    Extract<SessionEvent, { type: "message" }>,
    "author" | "messageId" | "parent" | "shownAuthor" | "unnamed"
  >,
  at: number,
  change: (old: readonly ContentBlock[]) => readonly ContentBlock[],
): SessionState {
  const { author, messageId, parent, shownAuthor, unnamed } = message;
  const was = findMessage(state, author, messageId);
  const id = was?.id ?? messageKey(author, messageId);
  const content = change(was?.content ?? []);
  const isSame = was !== undefined && jsonEqual(was.content, content) && (shownAuthor ?? was.author) === was.author;
  if (isSame) return settlePrompt(state, author, messageId);
  if (was === undefined && content.length === 0) return settlePrompt(state, author, messageId);
  const submission = author === "user" ? state.pendingPrompts.find(s => s.messageId === messageId)?.id : undefined;
  const isRepeated = submission === undefined && state.connection?.state === "opening";
  const named = {
    ...{ ...(parent !== undefined && { parent }), ...(submission !== undefined && { submission }) },
    ...(unnamed && { unnamed }),
    ...(isRepeated && { isRepeated: true as const }),
  };
  const shown = shownAuthor !== undefined && { author: shownAuthor };
  const next: Message = was
    ? { ...was, ...shown, content, until: at, ...(submission !== undefined && { submission }) }
    : { kind: "message", id, author, ...shown, content, ...named, at, until: at };
  const latestMessage = author === "user" ? null : id;
  return settlePrompt({ ...state, entries: state.entries.put(next), latestMessage }, author, messageId);
}

function settlePrompt(state: SessionState, author: MessageAuthor, messageId: string): SessionState {
  if (author !== "user" || !state.pendingPrompts.some(s => s.messageId === messageId)) return state;
  return { ...state, pendingPrompts: state.pendingPrompts.filter(s => s.messageId !== messageId) };
}
