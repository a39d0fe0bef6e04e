// Stores the turn whose end is not compared with its start yet, so that the next window compares it after a reload.
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { TextStorage } from "../../session/log/sessionStore.ts";
import { unfinishedTurnFile } from "../storedFiles.ts";

/** The session of a turn. */
export interface SessionOfTurn {
  readonly id: string;
  readonly workspaceFolder: string;
}

/** A turn that has begun and may have ended. Times are in milliseconds since the epoch. */
export interface UnfinishedTurn {
  readonly turn: string;
  readonly title: string;
  readonly began: number;
  /** When the turn ended. While it runs, the last time when the review was stored. */
  readonly ended?: number;
  /** Whether the end was compared with the start, before the window closed. */
  readonly compared?: boolean;
  readonly session?: SessionOfTurn;
}

/** The turn is stored after each change of it. A failed write is logged: then only the next window lacks it. */
export class UnfinishedTurnStore {
  readonly #storage: TextStorage;
  readonly #log: Log;
  readonly #writes = new Sequencer();
  #current: UnfinishedTurn | undefined;

  constructor(storage: TextStorage, log: Log) {
    this.#storage = storage;
    this.#log = log;
  }

  /** What the last window stored. Undefined if its last turn was compared. Never rejects. */
  async read(): Promise<UnfinishedTurn | undefined> {
    try {
      const text = await this.#storage.read(unfinishedTurnFile);
      const turn = text ? (JSON.parse(text) as UnfinishedTurn) : undefined;
      this.#current ??= turn;
      return turn;
    } catch (thrown) {
      this.#log.error("The last turn's changes could not be read.", asError(thrown).message);
      return undefined;
    }
  }

  begin(turn: UnfinishedTurn): void {
    this.#write(turn);
  }

  /** Something more is known of the turn, unless the next one has begun. */
  update(turn: string, more: Pick<UnfinishedTurn, "ended" | "compared">): void {
    if (this.#current?.turn === turn) this.#write({ ...this.#current, ...more });
  }

  /** The turn's changes are in the review, and stored. */
  finish(turn: string): void {
    if (this.#current?.turn === turn) this.#write(undefined);
  }

  /** Resolves when everything is stored, or its loss was logged. */
  whenStored(): Promise<void> {
    return this.#writes.whenIdle();
  }

  #write(turn: UnfinishedTurn | undefined): void {
    this.#current = turn;
    this.#writes
      .queue(() => this.#storage.write(unfinishedTurnFile, turn ? JSON.stringify(turn) : ""))
      .catch((thrown: unknown) => this.#log.error("The turn could not be stored.", asError(thrown).message));
  }
}
