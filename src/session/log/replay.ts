// The state of a session from the events of its log. A long log is replayed in slices, so that the extension host stays
// responsive.
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { LoggedEvent } from "../events.ts";
import { joinChunks } from "./joinChunks.ts";
import { reduce } from "../reduce.ts";
import { emptySession, type SessionState } from "../state.ts";

/** The conversation of an earlier window. */
export interface Replayed {
  readonly state: SessionState;
  /** The number of the next event. */
  readonly nextSeq: number;
  /** When the last event happened, ms since the epoch. */
  readonly lastAt: number;
}

/** The events that are replayed before other work of the extension host gets its turn, a few milliseconds. */
const eventsPerSlice = 500;

/** Replays the events in slices. They follow those of `earlier`. */
export async function replayInSlices(
  events: readonly LoggedEvent[],
  log: Log,
  earlier: Replayed = { state: emptySession, nextSeq: 0, lastAt: 0 },
): Promise<Replayed> {
  const steps = replaySteps(events, log, earlier);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise(resolve => setImmediate(resolve));
  }
}

function* replaySteps(events: readonly LoggedEvent[], log: Log, earlier: Replayed): Generator<void, Replayed, void> {
  let { state, nextSeq, lastAt } = earlier;
  let count = 0;
  for (const logged of joinChunks(events)) {
    state = nextState(state, logged, log);
    nextSeq = logged.seq + 1;
    lastAt = logged.at;
    if (++count % eventsPerSlice === 0) yield;
  }
  return { state, nextSeq, lastAt };
}

/** An event that fails, by a bug or in a log of a newer version, stays in the log; the session continues without it. */
export function nextState(state: SessionState, logged: LoggedEvent, log: Log): SessionState {
  try {
    return reduce(state, logged);
  } catch (error) {
    log.error(`The event ${logged.event.type} could not be applied.`, asError(error).stack);
    return state;
  }
}
