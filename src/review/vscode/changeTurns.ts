// Finds the turn of a change while turns of several sessions overlap, and notifies of the first change of a file in each.
import { changeTime, folderChangeTime } from "../../editor/diskText.ts";
import type { ChangedStates, TouchListener } from "../changeListeners.ts";
import { unknownTurn, type RunningTurns } from "../turns/runningTurns.ts";
import type { WindowReview } from "../windowReview.ts";

export interface ChangeTurnsOptions {
  readonly review: WindowReview;
  readonly turns: RunningTurns;
  /** The turn whose agent writes the file through Parley at this moment. */
  readonly writing: (path: string) => string | undefined;
  readonly touches: TouchListener;
  readonly states?: ChangedStates;
}

export class ChangeTurns {
  readonly #options: ChangeTurnsOptions;
  /** The files that each turn has changed. */
  readonly #touched = new Map<string, Set<string>>();
  /** The turns of the last changes of files. */
  readonly #last = new Map<string, string>();

  constructor(options: ChangeTurnsOptions) {
    this.#options = options;
  }

  /** A turn begins while no other one runs. */
  turnBegan(): void {
    this.#touched.clear();
    this.#last.clear();
  }

  /** The turn of the last change of the file. */
  async of(path: string): Promise<string> {
    const { turns, review, writing } = this.#options;
    const written = writing(path);
    if (written !== undefined || !turns.isOverlap) return written ?? turns.latest;
    const time = (await changeTime(path)) ?? (await folderChangeTime(path));
    const turn = turns.authorOf(path, time, Date.now());
    if (turn === unknownTurn) review.nameTurn(turn, "");
    return turn;
  }

  /** The start of the turn has the texts before its changes. Any of the turns that overlap can have made unknown ones. */
  startOf(turn: string): string {
    return turn === unknownTurn ? this.#options.turns.first : turn;
  }

  /** An agent reports a change of the file: if it was attributed to no agent, it is this one's. */
  async reported(path: string): Promise<void> {
    const { review } = this.#options;
    if (!review.file(path)?.turns.includes(unknownTurn)) return;
    const turn = await this.of(path);
    if (turn === unknownTurn) return;
    review.attributed(path, unknownTurn, turn);
    this.#last.set(path, turn);
  }

  /** Like {@link touch}, for the turn of the last change of the file, with which it resolves. */
  async touchNow(path: string, before: string | null | undefined): Promise<string> {
    const turn = await this.of(path);
    this.touch(path, before, turn);
    return turn;
  }

  /** Like {@link touchNow}, for a file whose text is that of its last change, of which this is a late report. */
  async touchUnchanged(path: string, text: string | null | undefined): Promise<string> {
    const found = await this.of(path);
    const turn = found === unknownTurn ? (this.#last.get(path) ?? found) : found;
    this.touch(path, text, turn);
    return turn;
  }

  /** Notifies of the agent's first change of the file in the turn. */
  touch(path: string, before: string | null | undefined, turn: string): void {
    const { states, touches } = this.#options;
    this.#last.set(path, turn);
    const touched = this.#touched.get(turn) ?? new Set();
    this.#touched.set(turn, touched);
    if (touched.has(path)) return;
    touched.add(path);
    states?.touched(turn, path, before);
    touches.touched({ turn, path, before });
  }
}
