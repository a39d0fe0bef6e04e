// Projections and replays in one piece. Parley itself shares entries between views, and replays in slices.
import type { Log } from "../../../src/base/log.ts";
import type { HeadInputs } from "../../../src/panel/headParts.ts";
import { Projector } from "../../../src/panel/projection/projector.ts";
import type { ViewEntries } from "../../../src/panel/patch.ts";
import type { View, ViewEntry } from "../../../src/panel/protocol.ts";
import type { LoggedEvent } from "../../../src/session/events.ts";
import { joinChunks } from "../../../src/session/log/joinChunks.ts";
import { nextState, type Replayed } from "../../../src/session/log/replay.ts";
import { emptySession, type SessionState } from "../../../src/session/state.ts";

/** A projector whose views have their entries in an array, like the panel. */
export class WholeProjector extends Projector {
  #copied: { readonly from: ViewEntries; readonly entries: readonly ViewEntry[] } | undefined;

  /** The view as the panel holds it. The array is the same as long as no entry changes. */
  project(state: SessionState, inputs: HeadInputs): View {
    const { head, entries } = this.projectShared(state, inputs);
    if (this.#copied?.from !== entries) this.#copied = { from: entries, entries: [...entries] };
    return { head, entries: this.#copied.entries };
  }
}

/** Replays the events at once. */
export function replayAtOnce(events: readonly LoggedEvent[], log: Log): Replayed {
  let state = emptySession;
  let nextSeq = 0;
  let lastAt = 0;
  for (const logged of joinChunks(events)) {
    state = nextState(state, logged, log);
    nextSeq = logged.seq + 1;
    lastAt = logged.at;
  }
  return { state, nextSeq, lastAt };
}
