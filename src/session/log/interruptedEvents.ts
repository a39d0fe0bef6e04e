// What a reload of the window ends.
import { t } from "../../base/l10n.ts";
import type { SessionEvent } from "../events.ts";
import { isBusy, openQuestions, type SessionState } from "../state.ts";
import { endedProblemWait } from "../turnSummary.ts";

/**
 * Closes what was open, and adds a notice about a turn that ended with the window. Commands ended with the window too.
 * Notes on files are removed, because the new window detects them again. The attempts to connect end, too.
 */
export function interruptedEvents(state: SessionState, agentName: string): readonly SessionEvent[] {
  const { terminals, entries } = state;
  const asks = openQuestions(state);
  const events: SessionEvent[] = asks.map(({ id }) => ({ type: "askClosed", ask: id, answer: "cancelled" }));
  events.push(...endedWork(state));
  for (const { id, own, exit } of terminals.values()) {
    if (own && !exit) events.push({ type: "terminal", terminalId: id, exit: {} });
  }
  for (const entry of entries) {
    const files = entry.kind === "tool" || entry.kind === "notice" ? (entry.files ?? []) : [];
    for (const { path } of files) events.push({ type: "file", path, note: null });
  }
  const ended = endedProblemWait(state);
  if (ended) events.push(ended);
  events.push({ type: "connection", state: "closed" });
  if (isBusy(state) || asks.length > 0) {
    const title = t("The window was closed or reloaded while {0} was working.", agentName);
    events.push({ type: "notice", severity: "warning", title });
  }
  if (state.lost?.reconnects) {
    const message = t("The connection to {0} was lost. Retry, or send a message, to continue.", agentName);
    events.push({ type: "agentLost", problem: { message, next: ["retry", "showLog"] } });
  }
  return events;
}

/** Ends the turn and the background work of an agent that is gone. */
export function endedWork(state: SessionState): readonly SessionEvent[] {
  return [
    ...(isBusy(state) ? [{ type: "activity", state: "idle", stopReason: "cancelled", byParley: true } as const] : []),
    ...(state.background ? [{ type: "backgroundEnded" } as const] : []),
  ];
}
