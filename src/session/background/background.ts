// Background work: what an agent does outside of a turn. Version 1 of the protocol reports neither its begin nor its end,
// so it begins with the first message, tool call or question, and ends when nothing is open and the agent is quiet.
// Version 2 reports all of it as a list.
import type { BackgroundWork, SessionEvent } from "../events.ts";
import { jsonEqual } from "../../base/jsonEqual.ts";
import { isBusy, isFinal, isPrompt, toolKey, type Entry, type SessionState } from "../state.ts";

/** Whether the agent works, on a turn or in the background. */
export const isWorking = (state: SessionState): boolean => isBusy(state) || state.background !== null;

/** Whether a tool call or a question of the background work is open. */
export function isBackgroundOpen({ background, entries, questions }: SessionState): boolean {
  if (!background) return false;
  if (background.reported) return true;
  return (
    background.calls.some(id => isOpenCall(entries.get(id))) ||
    questions.some(ask => ask.background && ask.answer === undefined)
  );
}

const isOpenCall = (entry: Entry | undefined): boolean =>
  entry?.kind === "tool" && !entry.closed && !isFinal(entry.fields.status);

/** Whether the question belongs to the background work. `ask` is its id, if it has one already. */
export const isBackgroundQuestion = (state: SessionState, toolCallId?: string, ask?: string): boolean =>
  ask === undefined
    ? isBackgroundCall(state, toolCallId)
    : state.questions.some(each => each.id === ask && each.background === true);

/** Whether Stop ends the work that a new question belongs to. Reported background work goes on, with its questions. */
export const isStopped = (state: SessionState, toolCallId: string | undefined): boolean =>
  state.cancelling && !(state.background?.reported && isBackgroundQuestion(state, toolCallId));

/**
 * The state with background work begun or continued if the event, which led from `before` to `after`, is part of it. A
 * turn ends background work that has nothing open.
 */
export function trackBackground(
  before: SessionState,
  after: SessionState,
  event: SessionEvent,
  at: number,
): SessionState {
  if (before === after) return after;
  const next = after.entries.length > before.entries.length ? withNewEntry(after, event, at) : after;
  const asked = event.type === "askOpened" && event.answer === undefined ? withNewQuestion(next, at) : next;
  return asked.background && isBusy(asked) && !isBackgroundOpen(asked) ? { ...asked, background: null } : asked;
}

function withNewEntry(state: SessionState, { type }: SessionEvent, at: number): SessionState {
  if (type !== "message" && type !== "messageChunk" && type !== "tool" && type !== "toolChunk") return state;
  const entry = state.entries.at(-1);
  if (!entry || isPrompt(entry)) return state;
  if (entry.kind === "message") return isOutsideTurn(state) ? begun(state, at) : state;
  if (entry.kind !== "tool" || !(isOutsideTurn(state) || isBackgroundCall(state, entry.parent))) return state;
  const entries = state.entries.put({ ...entry, background: true });
  return begun({ ...state, entries }, at, isOpenCall(entry) ? [entry.id] : []);
}

function withNewQuestion(state: SessionState, at: number): SessionState {
  const asked = state.questions.at(-1);
  if (!asked || !(isOutsideTurn(state) || isBackgroundCall(state, asked.toolCallId))) return state;
  const questions = state.questions.map(ask => (ask === asked ? { ...ask, background: true as const } : ask));
  return begun({ ...state, questions }, at);
}

/** A conversation that an agent repeats while it opens the session is no work. */
const isOutsideTurn = (state: SessionState): boolean => !isBusy(state) && state.connection?.state === "ready";

function isBackgroundCall({ entries }: SessionState, toolCallId: string | undefined): boolean {
  const callOf = (id: string | undefined): Entry | undefined =>
    id === undefined ? undefined : entries.get(toolKey(id));
  const entry = callOf(toolCallId);
  if (entry?.kind !== "tool") return false;
  // A sub-agent may work on after the turn of its parent.
  const parent = callOf(entry.parent);
  return (
    entry.background === true ||
    entry.fields.subAgent === true ||
    (parent?.kind === "tool" && parent.fields.subAgent === true)
  );
}

function begun(state: SessionState, at: number, calls: readonly string[] = []): SessionState {
  const { background } = state;
  if (background && calls.length === 0) return state;
  const known = background?.calls ?? [];
  return { ...state, background: { ...background, since: background?.since ?? at, calls: [...known, ...calls] } };
}

/** Applies a report of all background work. Its calls stay open after the turn. */
export function reportBackground(
  state: SessionState,
  work: readonly BackgroundWork[] | undefined,
  at: number,
): SessionState {
  if (work === undefined) return state;
  if (work.length === 0) return state.background?.reported ? endBackground(state, at) : state;
  let { entries } = state;
  const keys = work.flatMap(({ toolCallId }) => (toolCallId === undefined ? [] : [toolKey(toolCallId)]));
  for (const key of keys) {
    const entry = entries.get(key);
    if (entry?.kind === "tool" && !entry.background) entries = entries.put({ ...entry, background: true });
  }
  const { background } = state;
  if (entries === state.entries && jsonEqual(background?.reported, work)) return state;
  const calls = [...new Set([...(background?.calls ?? []), ...keys])];
  return { ...state, entries, background: { since: background?.since ?? at, calls, reported: work } };
}

/** The state without background work. Marks the calls that are still open; the agent may still report how they ended. */
export function endBackground(state: SessionState, at: number): SessionState {
  if (!state.background) return state;
  let { entries } = state;
  for (const id of state.background.calls) {
    const entry = entries.get(id);
    if (entry?.kind === "tool" && isOpenCall(entry)) entries = entries.put({ ...entry, closed: true, ended: at });
  }
  return { ...state, entries, background: null };
}
