// The reducer and its list of entries alone: the time per event, and whether it depends on the number of earlier
// events.
import type { LoggedEvent, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { median, ms, ratio, type Report } from "./report.ts";

const rounds = 7;

/** A chunk of an agent's message. */
export function chunk(messageId: string, text: string): SessionEvent {
  return { type: "messageChunk", author: "agent", messageId, content: { type: "text", text } };
}

/** The state after the events, applied in order. */
export function fold(events: readonly SessionEvent[], from: SessionState = emptySession): SessionState {
  let state = from;
  for (const [seq, event] of events.entries()) state = reduce(state, { seq, at: seq, event } satisfies LoggedEvent);
  return state;
}

interface Work {
  readonly title: string;
  readonly count: number;
  readonly events: (count: number) => readonly SessionEvent[];
}

const works: readonly Work[] = [
  {
    title: "separate messages",
    count: 10_000,
    events: count => Array.from({ length: count }, (_, i) => chunk(`m${i}`, "A short message.")),
  },
  {
    title: "chunks into one message",
    count: 100_000,
    events: count => Array.from({ length: count }, () => chunk("m", "Twelve chars")),
  },
  {
    title: "updates of 1,000 tool calls in turn",
    count: 100_000,
    events: count =>
      Array.from({ length: count }, (_, i) => ({
        type: "tool",
        toolCallId: `t${i % 1000}`,
        patch: { title: `Step ${i}`, status: "in_progress" },
      })),
  },
];

/** Reduces many events, and twice as many, which takes a linear model twice the time. */
export function run(): Promise<Report> {
  const rows = works.map(({ title, count, events }) => {
    const once = timed(events(count));
    const twice = timed(events(count * 2));
    const each = `${((once * 1000) / count).toFixed(2)} µs`;
    return [`${count.toLocaleString("en")} ${title}`, ms(once), each, ratio(twice / once)];
  });
  return Promise.resolve({ tables: [{ columns: ["events", "time", "per event", "time of twice as many"], rows }] });
}

function timed(events: readonly SessionEvent[]): number {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    const state = fold(events);
    const elapsed = performance.now() - started;
    // Read the result, so that the engine cannot skip the work.
    if (state.entries.length === 0) throw new Error("Nothing was folded.");
    return elapsed;
  });
  return median(times.slice(1));
}
