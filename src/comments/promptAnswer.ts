// Reads the answer to a prompt from the state of its session. Pure.
import { jsonEqual } from "../base/jsonEqual.ts";
import type { ContentBlock } from "../session/events.ts";
import { nextPrompt } from "../session/promptQueue.ts";
import { contentText, isBusy, isPrompt, openQuestions, type Entry, type SessionState } from "../session/state.ts";
import type { SessionWork } from "./lineComment.ts";

/**
 * How far the agent is. `waiting`: it waits for the user. `queued`: the prompt is not sent yet. `gone`: the session does not
 * have the prompt, because the user withdrew it. `done`, `stopped` and `failed` are ends.
 */
export type AnswerPhase = "queued" | "working" | "waiting" | "done" | "stopped" | "failed" | "gone";

/** Whether the agent has not finished yet. */
export const isUnfinished = (phase: AnswerPhase | undefined): boolean =>
  phase === "queued" || phase === "working" || phase === "waiting";

export interface PromptAnswer {
  /** The agent's messages, without those of its sub-agents. */
  readonly text: string;
  readonly phase: AnswerPhase;
}

/** The answer to the prompt with this id, as far as it has arrived. */
export function promptAnswer(state: SessionState, prompt: string): PromptAnswer {
  const sent = sentAgain(state, prompt);
  const at = positionOf(state, sent);
  if (at === undefined) {
    const isPending = state.pendingPrompts.some(({ id }) => id === sent);
    return { text: "", phase: isPending ? pendingPhase(state, sent) : "gone" };
  }
  const texts: string[] = [];
  let end: AnswerPhase | undefined;
  for (let i = at; i < state.entries.length && end === undefined; i++) {
    const entry = state.entries.at(i) as Entry;
    // A prompt that was sent into the turn, or that of the next turn.
    if (i > at && isPrompt(entry)) end = "done";
    else {
      if (entry.kind === "message" && entry.author === "agent" && entry.parent === undefined)
        texts.push(contentText(entry.content).trim());
      end = endWith(entry);
    }
  }
  const text = texts.filter(one => one !== "").join("\n\n");
  return { text, phase: end ?? runningPhase(state) };
}

/** The id of the latest prompt with the same content, if the agent refused this one, for example until the user signs in. */
export function sentAgain({ entries, pendingPrompts }: SessionState, prompt: string): string {
  const refused = entries.findLast(one => one.kind === "message" && one.submission === prompt);
  if (refused?.kind !== "message" || !refused.excluded) return prompt;
  const isSame = ({ content }: { readonly content: readonly ContentBlock[] }): boolean =>
    jsonEqual(content, refused.content);
  const last = entries.findLast(one => one.kind === "message" && one.submission !== undefined && isSame(one));
  return pendingPrompts.findLast(isSame)?.id ?? (last?.kind === "message" ? last.submission : undefined) ?? prompt;
}

/** Whether a prompt waits until the turn in progress ends. One that was sent into the turn does not. */
export function isQueuedPrompt(state: SessionState, prompt: string): boolean {
  const id = sentAgain(state, prompt);
  if (!state.pendingPrompts.some(one => one.id === id)) return false;
  const isSteered = state.awaitedTurns.some(one => one.id === id && one.isSteered);
  return !isSteered && !(isBusy(state) && state.turnPrompt === id);
}

/** The turn in progress, and whether the prompt waits until it ends. */
export const sessionWork = (state: SessionState, prompt: string | undefined): Omit<SessionWork, "hasTurn"> => ({
  running: isBusy(state) ? (state.turnPrompt ?? undefined) : undefined,
  isQueued: prompt !== undefined && isQueuedPrompt(state, prompt),
});

function positionOf({ entries }: SessionState, prompt: string): number | undefined {
  const entry = entries.findLast(one => one.kind === "message" && one.submission === prompt);
  return entry && entries.position(entry.id);
}

/** The end of the turn, if the entry is its last one. */
function endWith(entry: Entry): AnswerPhase | undefined {
  if (entry.kind === "turnEnd" && !entry.over) return entry.stopReason === "cancelled" ? "stopped" : "failed";
  if (entry.kind === "problem" || entry.excluded) return "failed";
  return entry.turn ? "done" : undefined;
}

function runningPhase(state: SessionState): AnswerPhase {
  if (openQuestions(state).length > 0) return "waiting";
  if (isBusy(state)) return "working";
  return state.lost === null ? "done" : "failed";
}

function pendingPhase(state: SessionState, id: string): AnswerPhase {
  if (state.signIn !== null || state.lost !== null || state.queuePaused) return "waiting";
  // Without present work, the prompt waits only until the agent is ready and the turn is prepared.
  const isNext = !isBusy(state) && nextPrompt(state)?.id === id;
  return isNext || !isQueuedPrompt(state, id) ? "working" : "queued";
}

/** A longer answer loses its end in a thread. The chat has all of it. Characters. */
const maxAnswerLength = 20_000;

/** The answer as a thread shows it. */
export const cutAnswer = (text: string): string =>
  text.length <= maxAnswerLength ? text : `${text.slice(0, maxAnswerLength).replace(/[\ud800-\udbff]$/, "")}…`;
