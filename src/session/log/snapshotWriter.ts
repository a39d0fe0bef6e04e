// Writes the snapshots of an open session: when a turn ends after many events, and when the session is closed.
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { LoggedEvent } from "../events.ts";
import type { SessionState } from "../state.ts";
import { writeSnapshot, type OpenLogOptions } from "./openLog.ts";
import type { Replayed } from "./replay.ts";

/** A snapshot covers at least this many events more than the one before. Fewer are replayed within milliseconds. */
const eventsPerSnapshot = 5000;

export class SnapshotWriter {
  readonly #options: OpenLogOptions;
  readonly #state: () => SessionState;
  #last: LoggedEvent | undefined;
  #eventsSince: number;
  readonly #writes = new Sequencer();

  /** `replayed`: the number of events that were replayed when the session was opened. */
  constructor(options: OpenLogOptions, state: () => SessionState, replayed: number) {
    this.#options = options;
    this.#state = state;
    this.#eventsSince = replayed;
  }

  /** Call this for each event of the session, before it is applied. */
  logged(logged: LoggedEvent): void {
    this.#last = logged;
    this.#eventsSince++;
    const { event } = logged;
    // The event is applied after it is logged.
    if (event.type === "activity" && event.state === "idle") queueMicrotask(() => void this.#writeIfLong());
  }

  /** Writes a last snapshot if it is due, and resolves when every snapshot is written. Never rejects. */
  async whenWritten(): Promise<void> {
    await this.#writeIfLong();
    await this.#writes.whenIdle();
  }

  async #writeIfLong(): Promise<void> {
    if (this.#eventsSince < eventsPerSnapshot || !this.#last) return;
    this.#eventsSince = 0;
    try {
      await this.#writes.queue(() => writeSnapshot(this.#options, () => this.#current()));
    } catch (error) {
      this.#options.log.warn("The snapshot of a session could not be saved.", asError(error).message);
    }
  }

  #current(): Replayed {
    const { seq, at } = this.#last ?? { seq: -1, at: 0 };
    return { state: this.#state(), nextSeq: seq + 1, lastAt: at };
  }
}
