// The files of an open session: its log, and snapshots of it.
import type { LoggedEvent } from "../events.ts";
import type { SessionState } from "../state.ts";
import { SessionWriter, type LogStorage, type SessionWriterOptions } from "./sessionStore.ts";
import { SnapshotWriter } from "./snapshotWriter.ts";

export interface SessionFileOptions extends SessionWriterOptions {
  readonly storage: LogStorage;
  /** The version of Parley. */
  readonly version: string;
  /** The session as it is now. */
  readonly state: () => SessionState;
  /** The number of events that were replayed when the session was opened. */
  readonly replayed: number;
}

/** Stores one session. */
export class SessionFile {
  readonly #writer: SessionWriter;
  readonly #snapshots: SnapshotWriter;

  constructor(options: SessionFileOptions) {
    this.#writer = new SessionWriter(options);
    this.#snapshots = new SnapshotWriter(options, options.state, options.replayed);
  }

  write(logged: LoggedEvent): void {
    this.#writer.write(logged);
    this.#snapshots.logged(logged);
  }

  /** Resolves when everything written so far is stored, or the failure is logged. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Resolves when everything is stored, or the failure is logged. Call this when the session has ended. */
  async close(): Promise<void> {
    await this.#writer.flush();
    await this.#snapshots.whenWritten();
  }
}
