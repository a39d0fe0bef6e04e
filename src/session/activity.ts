// Prompts on their way, activity, connection and loss of the agent, and the effects of the end of a turn.
import { jsonEqual } from "../base/jsonEqual.ts";
import type { SessionEvent } from "./events.ts";
import { closeOpenTools } from "./toolCalls.ts";
import {
  isBusy,
  messageKey,
  type Notice,
  type ProblemEntry,
  type SessionState,
  type PendingPrompt,
  type TurnEnd,
} from "./state.ts";

/** Whether the agent worked on a turn before the change and no longer does after it. */
export const turnEnded = (before: SessionState, after: SessionState): boolean => isBusy(before) && !isBusy(after);

type Activity = Extract<SessionEvent, { type: "activity" }>;

/** Applies an activity report. It is a snapshot, so repeating it changes nothing. Going idle ends the turn. */
export function setActivity(state: SessionState, event: Activity, at: number): SessionState {
  const was = state.activity;
  if (was.state === event.state && (event.stopReason === undefined || was.stopReason === event.stopReason))
    return state;
  const activity = {
    state: event.state,
    since: at,
    ...(event.stopReason !== undefined && { stopReason: event.stopReason }),
  };
  if (event.state !== "idle") return { ...state, activity };
  return endTurn({ ...state, activity, cancelling: false }, event, at);
}

function endTurn(state: SessionState, event: Activity, at: number): SessionState {
  const next = closeOpenTools(state, at);
  if (event.problem !== undefined) return withProblem(next, event.problem, at);
  if (event.stopReason === undefined || event.stopReason === "end_turn") return next;
  const minted = next.generatedIds + 1;
  const entry: TurnEnd = { kind: "turnEnd", id: `e:${minted}`, stopReason: event.stopReason, at };
  return { ...next, generatedIds: minted, entries: next.entries.put(entry) };
}

/** The state with the failure as an entry, at its place in the conversation. */
export function withProblem(state: SessionState, problem: ProblemEntry["problem"], at: number): SessionState {
  const minted = state.generatedIds + 1;
  return {
    ...state,
    generatedIds: minted,
    entries: state.entries.put({ kind: "problem", id: `p:${minted}`, problem, at }),
  };
}

/** The acceptance of a prompt and its echo come in either order: the second one settles the prompt. */
export function acceptPrompt(state: SessionState, promptId: string, messageId: string): SessionState {
  const shown = state.entries.get(messageKey("user", messageId));
  if (shown?.kind === "message") {
    const sent = state.pendingPrompts.some(s => s.id === promptId);
    const entries = sent ? state.entries.put({ ...shown, submission: promptId }) : state.entries;
    return withoutPrompt(sent ? { ...state, entries } : state, promptId);
  }
  if (!state.pendingPrompts.some(s => s.id === promptId && s.messageId !== messageId)) return state;
  return {
    ...state,
    pendingPrompts: state.pendingPrompts.map((s): PendingPrompt => (s.id === promptId ? { ...s, messageId } : s)),
  };
}

/** Removes a refused prompt from the queue. Its text stays in the conversation, followed by the reason. */
export function failPrompt(
  state: SessionState,
  event: Extract<SessionEvent, { type: "promptFailed" }>,
  at: number,
): SessionState {
  const submission = state.pendingPrompts.find(s => s.id === event.submission);
  if (submission === undefined) return state;
  const shown = state.entries.put({
    kind: "message",
    id: messageKey("user", `refused:${submission.id}`),
    author: "user",
    content: submission.content,
    at,
    until: at,
  });
  return withProblem(withoutPrompt({ ...state, entries: shown }, submission.id), event.problem, at);
}

export function withoutPrompt(state: SessionState, id: string): SessionState {
  if (!state.pendingPrompts.some(s => s.id === id)) return state;
  return { ...state, pendingPrompts: state.pendingPrompts.filter(s => s.id !== id) };
}

/** The agent is gone: closes tool calls and questions. The conversation and unsent prompts stay. */
export function markAgentLost(state: SessionState, problem: ProblemEntry["problem"], at: number): SessionState {
  const closed = closeOpenTools(state, at);
  return {
    ...closed,
    lost: problem,
    connection: { state: "closed" },
    cancelling: false,
    questions: closed.questions.map(ask => (ask.answer === undefined ? { ...ask, answer: "cancelled" } : ask)),
    activity: { state: "idle", stopReason: "lost", since: at },
  };
}

/** Applies a step of connecting. Reconnecting after a loss turns its banner into a notice in the transcript. */
export function setConnection(
  state: SessionState,
  event: Extract<SessionEvent, { type: "connection" }>,
  at: number,
): SessionState {
  const connection = { state: event.state, ...(event.detail !== undefined && { detail: event.detail }) };
  const accepts = event.accepts ?? state.accepts;
  const starts = state.starts + (event.state === "ready" && state.connection?.state !== "ready" ? 1 : 0);
  if (state.lost === null || event.state === "closed") {
    const isSame = jsonEqual(state.connection, connection) && jsonEqual(state.accepts, accepts);
    return isSame ? state : { ...state, connection, accepts, starts };
  }
  const next = { ...state, connection, accepts, starts, lost: null };
  return state.entries.length === 0 ? next : withNotice(next, { severity: "error", title: state.lost.message }, at);
}

export function withNotice(state: SessionState, notice: Omit<Notice, "kind" | "id" | "at">, at: number): SessionState {
  const minted = state.generatedIds + 1;
  return {
    ...state,
    generatedIds: minted,
    entries: state.entries.put({ kind: "notice", id: `n:${minted}`, ...notice, at }),
  };
}
