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
}

/** The events that are replayed before other work of the extension host gets its turn, a few milliseconds. */
const eventsPerSlice = 500;

/** Replays the events in slices. */
export async function replayInSlices(events: readonly LoggedEvent[], log: Log): Promise<Replayed> {
  const steps = replaySteps(events, log);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await new Promise(resolve => setImmediate(resolve));
  }
}

function* replaySteps(events: readonly LoggedEvent[], log: Log): Generator<void, Replayed, void> {
  let state = emptySession;
  let nextSeq = 0;
  let count = 0;
  for (const logged of joinChunks(events)) {
    state = nextState(state, logged, log);
    nextSeq = logged.seq + 1;
    if (++count % eventsPerSlice === 0) yield;
  }
  return { state, nextSeq };
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
