// The log of a branch: a copy of the events of another session up to a message, closed as the log of an ended window is.
import type { Log } from "../../base/log.ts";
import { lastReportedChoices } from "../choices.ts";
import type { LoggedEvent, SessionEvent } from "../events.ts";
import { emptySession, isPrompt, type SessionState } from "../state.ts";
import { interruptedEvents } from "./interruptedEvents.ts";
import { nextState } from "./replay.ts";

export interface BranchOptions {
  /** The id of the branch, and of the session whose events are copied. */
  readonly session: string;
  readonly origin: string;
  /** The session whose events are copied, as it is now. The branch takes over its title and choices. */
  readonly state: SessionState;
  /** The id of the entry before which the copy ends. Absent: everything is copied. */
  readonly before?: string;
  /** Now, ms since the epoch. */
  readonly at: number;
  readonly log: Log;
}

/** The events that are replayed before other work of the extension host gets its turn, a few milliseconds. */
const eventsPerSlice = 500;

/**
 * The events of the branch. Prompts that waited are not part of it: they stay with the session that is copied. Undefined if
 * the events do not have the entry.
 */
export async function branchEvents(
  events: readonly LoggedEvent[],
  { session, origin, state: now, before, at, log }: BranchOptions,
): Promise<readonly LoggedEvent[] | undefined> {
  const count = before === undefined ? events.length : await countBefore(events, before, log);
  if (count === undefined) return undefined;
  const copied = events.slice(0, await countWithoutEmptyBranches(events.slice(0, count), log));
  let state = emptySession;
  let seq = 0;
  for (const [index, logged] of copied.entries()) {
    state = nextState(state, logged, log);
    seq = logged.seq + 1;
    if (index % eventsPerSlice === eventsPerSlice - 1) await new Promise(resolve => setImmediate(resolve));
  }
  // The session that wrote the last copied part: a branch that was copied itself, or the first session of all.
  const from = state.branches.at(-1)?.session ?? now.branches[0]?.from ?? origin;
  const after = state.entries.at(state.entries.length - 1)?.id ?? "";
  const agentName = now.agent?.name ?? "";
  const added: readonly SessionEvent[] = [
    { type: "branched", session, from, after },
    ...state.pendingPrompts.map(({ id: submission }) => ({ type: "promptWithdrawn", submission }) as const),
    // The notice is about a window that was closed.
    ...interruptedEvents(state, agentName).filter(({ type }) => type !== "notice"),
    { type: "titled", title: now.ownTitle },
    chosenNow(now),
  ];
  return [...copied, ...added.map((event, index) => ({ seq: seq + index, at, event }))];
}

/**
 * The number of events before the branches that have no entry of their own but notices and problems. What is copied from their beginning
 * parts where they do, so that all these branches are shown at one message.
 */
async function countWithoutEmptyBranches(events: readonly LoggedEvent[], log: Log): Promise<number> {
  if (!events.some(({ event }) => event.type === "branched")) return events.length;
  let state = emptySession;
  const starts: { readonly count: number; readonly entries: number }[] = [];
  for (const [index, logged] of events.entries()) {
    if (logged.event.type === "branched") starts.push({ count: index, entries: state.entries.length });
    state = nextState(state, logged, log);
    if (index % eventsPerSlice === eventsPerSlice - 1) await new Promise(resolve => setImmediate(resolve));
  }
  const lastOwn = [...state.entries].findLastIndex(({ kind }) => kind !== "notice" && kind !== "problem");
  return starts.find(({ entries }) => entries > lastOwn)?.count ?? events.length;
}

/** The choices of the session that is copied, also those that the user made after the message. */
function chosenNow(now: SessionState): SessionEvent {
  const { choices } = now;
  if (choices.length === 0 && !now.recordsChoices) return lastReportedChoices(now);
  return { type: "chosen", choices: choices.map(({ id, value }) => ({ id, value })) };
}

/** The number of events before the entry appears. A prompt that was sent into a turn appears where it was sent. */
async function countBefore(events: readonly LoggedEvent[], entry: string, log: Log): Promise<number | undefined> {
  let state = emptySession;
  const submitted = new Map<string, number>();
  for (const [index, logged] of events.entries()) {
    if (logged.event.type === "promptSubmitted") submitted.set(logged.event.submission, index);
    state = nextState(state, logged, log);
    const found = state.entries.get(entry);
    if (found) {
      const isLast = state.entries.position(entry) === state.entries.length - 1;
      const submission = found.kind === "message" ? found.submission : undefined;
      return isLast || submission === undefined ? index : (submitted.get(submission) ?? index);
    }
    if (index % eventsPerSlice === eventsPerSlice - 1) await new Promise(resolve => setImmediate(resolve));
  }
  return undefined;
}

/** The prompt that begins the next turn after the entry. Undefined after the last turn. */
export function promptAfter({ entries }: SessionState, entry: string): string | undefined {
  const position = entries.position(entry);
  for (let at = position + 1; at < entries.length; at++) {
    const next = entries.at(at);
    if (next && isPrompt(next)) return next.id;
  }
  return undefined;
}
