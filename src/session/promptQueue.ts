// What the user changes of prompts that wait for their turn. What the agent has got stays as it is.
import type { Content } from "./events.ts";
import type { SessionState, Submission } from "./state.ts";

/** The words of a prompt: its first text. What follows went with it. */
export const promptText = (content: readonly Content[]): string => {
  const words = content.find(block => block.type === "text");
  return words?.type === "text" ? words.text : "";
};

/** The content with other words, and all that went with them. Without words it holds the rest alone. */
export function withWords(content: readonly Content[], text: string): readonly Content[] {
  const at = content.findIndex(block => block.type === "text");
  const words: readonly Content[] = text.trim() === "" ? [] : [{ type: "text", text }];
  if (at < 0) return [...words, ...content];
  return [...content.slice(0, at), ...words, ...content.slice(at + 1)];
}

/** The state with other words in a prompt that waits. */
export function editedPrompt(state: SessionState, id: string, text: string): SessionState {
  const old = waiting(state, id);
  if (!old || promptText(old.content) === text) return state;
  const edited: Submission = { ...old, content: withWords(old.content, text) };
  return { ...state, submissions: state.submissions.map(s => (s === old ? edited : s)) };
}

/** The state with a waiting prompt before another that waits, or behind all of them. */
export function movedPrompt(state: SessionState, id: string, before: string | undefined): SessionState {
  const moved = waiting(state, id);
  if (!moved || before === id) return state;
  const others = state.submissions.filter(s => s !== moved);
  const at = before === undefined ? others.length : others.findIndex(s => s.id === before && s.messageId === undefined);
  if (at < 0) return state;
  const submissions = [...others.slice(0, at), moved, ...others.slice(at)];
  return submissions.every((s, i) => s === state.submissions[i]) ? state : { ...state, submissions };
}

const waiting = (state: SessionState, id: string): Submission | undefined =>
  state.submissions.find(s => s.id === id && s.messageId === undefined);
