// The user's changes to queued prompts. Prompts that the agent has do not change.
import type { ContentBlock } from "./events.ts";
import type { SessionState, PendingPrompt } from "./state.ts";

/** The text of a prompt: its first text block. The other blocks are attachments. */
export const promptText = (content: readonly ContentBlock[]): string => {
  const words = content.find(block => block.type === "text");
  return words?.type === "text" ? words.text : "";
};

/** The content with another text, and with all attachments. An empty text leaves only the attachments. */
export function withPromptText(content: readonly ContentBlock[], text: string): readonly ContentBlock[] {
  const at = content.findIndex(block => block.type === "text");
  const words: readonly ContentBlock[] = text.trim() === "" ? [] : [{ type: "text", text }];
  if (at < 0) return [...words, ...content];
  return [...content.slice(0, at), ...words, ...content.slice(at + 1)];
}

/** The state with another text in a queued prompt. */
export function editPrompt(state: SessionState, id: string, text: string): SessionState {
  const old = queuedPrompt(state, id);
  if (!old || promptText(old.content) === text) return state;
  const edited: PendingPrompt = { ...old, content: withPromptText(old.content, text) };
  return { ...state, pendingPrompts: state.pendingPrompts.map(s => (s === old ? edited : s)) };
}

/** The state with a queued prompt moved before another one, or to the end. */
export function movePrompt(state: SessionState, id: string, before: string | undefined): SessionState {
  const moved = queuedPrompt(state, id);
  if (!moved || before === id) return state;
  const others = state.pendingPrompts.filter(s => s !== moved);
  const at =
    before === undefined
      ? others.length
      : others.findIndex(s => s.id === before && s.messageId === undefined && !s.isSubmitted);
  if (at < 0) return state;
  const submissions = [...others.slice(0, at), moved, ...others.slice(at)];
  return submissions.every((s, i) => s === state.pendingPrompts[i]) ? state : { ...state, pendingPrompts: submissions };
}

/** The state with a queued prompt put on hold, or released. */
export function setOnHold(state: SessionState, id: string, onHold: boolean): SessionState {
  const old = queuedPrompt(state, id);
  if (!old || (old.isOnHold === true) === onHold) return state;
  const { isOnHold: _, ...released } = old;
  const changed: PendingPrompt = onHold ? { ...old, isOnHold: true } : released;
  return { ...state, pendingPrompts: state.pendingPrompts.map(s => (s === old ? changed : s)) };
}

/**
 * The prompt that is sent next. Undefined if there is none, and while the first one is on hold: the prompts behind it keep
 * their order, so they wait, too.
 */
export function nextPrompt({ pendingPrompts }: SessionState): PendingPrompt | undefined {
  const first = pendingPrompts.find(s => s.messageId === undefined);
  return first?.isOnHold ? undefined : first;
}

const queuedPrompt = (state: SessionState, id: string): PendingPrompt | undefined =>
  state.pendingPrompts.find(s => s.id === id && s.messageId === undefined && !s.isSubmitted);
