// Retries that the agent reports: one line in a turn, until the turn goes on.
import { withNotice } from "./activity.ts";
import type { SessionEvent } from "./events.ts";
import { isBusy, type LastRetry, type SessionState } from "./state.ts";

type Report = Omit<Extract<SessionEvent, { type: "notice" }>, "type">;

/** Shows a retry. An agent repeats its latest report with later updates, also in later turns. These show nothing. */
export function withRetry(state: SessionState, { turn, ...report }: Report, at: number): SessionState {
  const { title, description } = report;
  const last = state.lastRetry;
  const lastRetry: LastRetry = {
    title,
    ...(description !== undefined && { description }),
    ...(turn !== undefined && { turn }),
    notice: null,
    turnStart: state.turnStart,
  };
  if (isRepeated(state, lastRetry)) return turn === undefined || turn === last?.turn ? state : { ...state, lastRetry };
  const shown = last && isOfTurn(state, last) && last.notice !== null ? state.entries.get(last.notice) : undefined;
  if (!shown) {
    const next = withNotice(state, report, at);
    return { ...next, lastRetry: { ...lastRetry, notice: next.entries.at(-1)?.id ?? null } };
  }
  if (last && hasSameText(last, lastRetry) && last.turn === turn) return state;
  const entries = state.entries.put({ kind: "notice", id: shown.id, ...report, at: shown.at });
  return { ...state, entries, lastRetry: { ...lastRetry, notice: shown.id } };
}

/** Hides the line of a retry once the turn goes on. A turn that fails or is stopped keeps it. */
export function endRetry(state: SessionState, event: SessionEvent): SessionState {
  const last = state.lastRetry;
  if (!last || last.notice === null || !isOfTurn(state, last) || !goesOn(event)) return state;
  const shown = state.entries.get(last.notice);
  return {
    ...state,
    entries: shown?.kind === "notice" ? state.entries.put({ ...shown, over: true }) : state.entries,
    lastRetry: { ...last, notice: null },
  };
}

/** Whether the latest that the agent reported of its turn is that it tries again. */
export const isRetrying = (state: SessionState): boolean =>
  state.lastRetry !== null && state.lastRetry.notice !== null && isOfTurn(state, state.lastRetry);

const isOfTurn = (state: SessionState, { turnStart }: LastRetry): boolean => turnStart === state.turnStart;

const hasSameText = (one: LastRetry, other: LastRetry): boolean =>
  one.title === other.title && one.description === other.description;

/** Whether the report is about an earlier turn, or says again what the turn has gone on from. */
function isRepeated(state: SessionState, report: LastRetry): boolean {
  const last = state.lastRetry;
  if (report.turn !== undefined && !isBusy(state)) return true;
  if (!last || last.turn !== report.turn) return false;
  if (report.turn !== undefined && !isOfTurn(state, last)) return true;
  if (!hasSameText(last, report)) return false;
  // Without an id of its turn, the same text can also be about the turn that has just begun.
  return isOfTurn(state, last) ? last.notice === null : !isBusy(state) || hasAnswer(state);
}

function hasAnswer({ entries }: SessionState): boolean {
  const latest = entries.at(-1);
  return latest?.kind === "tool" || (latest?.kind === "message" && latest.author !== "user");
}

/** Whether the agent itself works on, not a sub-agent, or has finished the turn. */
function goesOn(event: SessionEvent): boolean {
  switch (event.type) {
    case "message":
    case "messageChunk":
      return event.author !== "user" && event.parent === undefined;
    case "tool":
    case "plan":
      return event.parent === undefined;
    case "activity":
      return event.state === "idle" && event.problem === undefined && (event.stopReason ?? "end_turn") === "end_turn";
    default:
      return false;
  }
}
