// Stores the turns whose ends are not compared with their starts yet, so that the next window compares them after a reload.
import { Sequencer } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { TextStorage } from "../../session/log/sessionStore.ts";
import type { TurnSession } from "../review.ts";
import { unfinishedTurnFile } from "../storedFiles.ts";

/** The session of a turn, with its title when the turn began. */
export interface SessionOfTurn extends TurnSession {
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

/** The turns are stored after each change of them. A failed write is logged: then only the next window lacks it. */
export class UnfinishedTurnStore {
  readonly #storage: TextStorage;
  readonly #log: Log;
  readonly #writes = new Sequencer();
  #turns: readonly UnfinishedTurn[] = [];
  /** Those of the last window. The first turn of this window replaces them. */
  #earlier: readonly UnfinishedTurn[] = [];
  #hasBegun = false;

  constructor(storage: TextStorage, log: Log) {
    this.#storage = storage;
    this.#log = log;
  }

  /** What the last window stored, the first turn first. Empty if its turns were compared. Never rejects. */
  async read(): Promise<readonly UnfinishedTurn[]> {
    try {
      const text = await this.#storage.read(unfinishedTurnFile);
      // Earlier versions of Parley stored only one turn.
      const stored = text ? (JSON.parse(text) as UnfinishedTurn | readonly UnfinishedTurn[]) : [];
      const turns = ([stored].flat() as readonly UnfinishedTurn[]).map(withSessionTitle);
      if (!this.#hasBegun) this.#earlier = turns;
      return turns;
    } catch (thrown) {
      this.#log.error("The last turn's changes could not be read.", asError(thrown).message);
      return [];
    }
  }

  /** A turn begins. It replaces the turns that `isOver` names. */
  begin(turn: UnfinishedTurn, isOver: (turn: string) => boolean): void {
    this.#hasBegun = true;
    this.#earlier = [];
    this.#turns = [...this.#turns.filter(one => !isOver(one.turn)), turn];
    this.#write();
  }

  /** Something more is known of the turn, unless another one has replaced it. */
  update(turn: string, more: Pick<UnfinishedTurn, "ended" | "compared">): void {
    const updated = (turns: readonly UnfinishedTurn[]): readonly UnfinishedTurn[] =>
      turns.map(one => (one.turn === turn ? { ...one, ...more } : one));
    if (![...this.#turns, ...this.#earlier].some(one => one.turn === turn)) return;
    this.#turns = updated(this.#turns);
    this.#earlier = updated(this.#earlier);
    this.#write();
  }

  /** The turn's changes are in the review, and stored. */
  finish(turn: string): void {
    const isOther = (one: UnfinishedTurn): boolean => one.turn !== turn;
    if ([...this.#turns, ...this.#earlier].every(isOther)) return;
    this.#turns = this.#turns.filter(isOther);
    this.#earlier = this.#earlier.filter(isOther);
    this.#write();
  }

  /** Resolves when everything is stored, or its loss was logged. */
  whenStored(): Promise<void> {
    return this.#writes.whenIdle();
  }

  #write(): void {
    const turns = [...this.#earlier, ...this.#turns];
    this.#writes
      .queue(() => this.#storage.write(unfinishedTurnFile, turns.length > 0 ? JSON.stringify(turns) : ""))
      .catch((thrown: unknown) => this.#log.error("The turn could not be stored.", asError(thrown).message));
  }
}

/** Earlier versions of Parley stored no title of the session. */
function withSessionTitle(turn: UnfinishedTurn): UnfinishedTurn {
  const { session } = turn as { readonly session?: Partial<SessionOfTurn> & Omit<SessionOfTurn, "title"> };
  return session ? { ...turn, session: { ...session, title: session.title ?? "" } } : turn;
}
