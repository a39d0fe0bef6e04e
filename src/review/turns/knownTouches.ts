// The changes of files by the turns that made them: several turns can have made a change that no agent reported, so it
// counts as a change of each. What was changed meanwhile counts as a change by others.
import { Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { FileState } from "../../files/fileState.ts";
import { meanwhileTurn, unknownTurn } from "../../history/author.ts";
import type { FileTouch, TouchListener } from "../changeListeners.ts";

/** A file that the agent of a session changed for the first time in a turn. `path`: resolved. */
export interface AgentChange {
  readonly session: string;
  readonly path: string;
}

export class KnownTouches implements Required<TouchListener>, Disposable {
  readonly #touches: TouchListener;
  readonly #sessions: ReadonlyMap<string, { readonly id: string }>;
  readonly #busyTurns: () => readonly string[];
  readonly #changed = new Emitter<AgentChange>();
  /** Fires if it is known which session's turn made the change. */
  readonly onDidChangeFile: Event<AgentChange> = this.#changed.event;

  /**
   * @param sessions the sessions of turns.
   * @param busyTurns the turns that run.
   */
  constructor(
    touches: TouchListener,
    sessions: ReadonlyMap<string, { readonly id: string }>,
    busyTurns: () => readonly string[],
  ) {
    this.#touches = touches;
    this.#sessions = sessions;
    this.#busyTurns = busyTurns;
  }

  touched(file: FileTouch): void {
    this.#each(file.turn, turn => this.#touches.touched({ ...file, turn }));
    // `unknownTurn` and `meanwhileTurn` have no session.
    const session = this.#sessions.get(file.turn)?.id;
    if (session !== undefined) this.#changed.fire({ session, path: file.path });
  }

  touchedAgain(file: FileTouch): void {
    this.#each(file.turn, turn => this.#touches.touchedAgain?.({ ...file, turn }));
  }

  written(path: string, after: string | null, turn: string): void {
    this.#each(turn, one => this.#touches.written(path, after, one));
  }

  stateBefore(turn: string, path: string, state: FileState): void {
    this.#each(turn, one => this.#touches.stateBefore?.(one, path, state));
  }

  stateWritten(path: string, state: FileState, turn: string): void {
    this.#each(turn, one => this.#touches.stateWritten?.(path, state, one));
  }

  #each(turn: string, run: (turn: string) => void): void {
    if (turn === meanwhileTurn) return;
    for (const one of turn === unknownTurn ? this.#busyTurns() : [turn]) run(one);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
