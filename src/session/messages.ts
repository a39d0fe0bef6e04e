// How messages are upserted and chunks appended.
import { same } from "../base/jsonEqual.ts";
import type { Author, Content } from "./events.ts";
import { messageKey, type Message, type SessionState } from "./state.ts";

/** Adjacent text of a kind joins, so however an agent splits its chunks the state is the same. Empty text adds nothing. */
export function append(old: readonly Content[], next: Content): readonly Content[] {
  if (next.type !== "text") return [...old, next];
  if (next.text === "") return old;
  const last = old.at(-1);
  if (last?.type !== "text" || !same(last.annotations, next.annotations)) return [...old, next];
  return [...old.slice(0, -1), { ...last, text: last.text + next.text }];
}

/** Joins adjacent text of a whole list, as {@link append} would have. */
export const joined = (content: readonly Content[]): readonly Content[] =>
  content.reduce<readonly Content[]>(append, []);

/**
 * The state with the message changed by `change`, made if it is new. A user message that is a submission's settles it.
 * A new message without content is not placed: nothing was said yet, and its place is where its first word comes.
 */
export function upsertMessage(
  state: SessionState,
  message: { readonly author: Author; readonly messageId: string; readonly parent?: string },
  at: number,
  change: (old: readonly Content[]) => readonly Content[],
): SessionState {
  const { author, messageId, parent } = message;
  const id = messageKey(author, messageId);
  const old = state.entries.get(id);
  const was = old?.kind === "message" ? old : undefined;
  const content = change(was?.content ?? []);
  if (was !== undefined && same(was.content, content)) return settled(state, author, messageId);
  if (was === undefined && content.length === 0) return settled(state, author, messageId);
  const submission = author === "user" ? state.submissions.find(s => s.messageId === messageId)?.id : undefined;
  const named = { ...(parent !== undefined && { parent }), ...(submission !== undefined && { submission }) };
  const next: Message = was
    ? { ...was, content, until: at, ...(submission !== undefined && { submission }) }
    : { kind: "message", id, author, content, ...named, at, until: at };
  return settled({ ...state, entries: state.entries.put(next) }, author, messageId);
}

function settled(state: SessionState, author: Author, messageId: string): SessionState {
  if (author !== "user" || !state.submissions.some(s => s.messageId === messageId)) return state;
  return { ...state, submissions: state.submissions.filter(s => s.messageId !== messageId) };
}
