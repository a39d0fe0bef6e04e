// Finds the turn of a change, and notifies of the first change of a file in each. Keeps the changes that were made
// meanwhile, because a tool call that reports later may have made them.
import { meanwhileTurn, unknownTurn } from "../../history/author.ts";
import type { RunningTurns } from "../../history/runningTurns.ts";
import type { ChangedStates, TouchListener } from "../changeListeners.ts";
import type { WindowReview } from "../windowReview.ts";
import { turnOf, type ChangeAuthor, type DatedAuthor } from "./changeAuthor.ts";

export interface ChangeTurnsOptions {
  readonly review: WindowReview;
  readonly turns: RunningTurns;
  readonly author: Pick<ChangeAuthor, "of">;
  /** The turn whose agent writes the file through Parley at this moment. */
  readonly writing: (path: string) => string | undefined;
  readonly touches: TouchListener;
  readonly states?: ChangedStates;
}

/** The changes of a file that were made while no tool call ran. */
interface MeanwhileChanges {
  /** The text before the first one. */
  readonly before: string | null | undefined;
  /** When they were made, as far as it is known. */
  readonly times: readonly (number | undefined)[];
}

/** The times of more changes of a file are not kept, and no tool call can explain all of them. */
const maxTimes = 20;

export class ChangeTurns {
  readonly #options: ChangeTurnsOptions;
  /** The files that each turn has changed. */
  readonly #touched = new Map<string, Set<string>>();
  /** The turns of the last changes of files. */
  readonly #last = new Map<string, string>();
  readonly #meanwhile = new Map<string, MeanwhileChanges>();

  constructor(options: ChangeTurnsOptions) {
    this.#options = options;
  }

  /** A turn begins while no other one runs. */
  turnBegan(): void {
    this.#touched.clear();
    this.#last.clear();
    this.#meanwhile.clear();
  }

  /** The turn of the last change of the file. `known`: its author, if it has been found out just now. */
  async of(path: string, known?: DatedAuthor): Promise<string> {
    const { turns, review, writing, author } = this.#options;
    const written = writing(path);
    if (written !== undefined) return written;
    const found = known ?? (await author.of(path));
    const turn = turnOf(found) ?? (turns.isOverlap ? unknownTurn : turns.latest);
    if (turn === unknownTurn || turn === meanwhileTurn) review.nameTurn(turn, "");
    if (turn === meanwhileTurn) this.#noteTime(path, found.time);
    // The call that is reported now can have made the earlier changes, too, so their text is the one before the call.
    else if (turn !== unknownTurn) await this.#explain(path);
    return turn;
  }

  #noteTime(path: string, time: number | undefined): void {
    const { before, times } = this.#meanwhile.get(path) ?? { before: undefined, times: [] };
    if (!times.includes(time)) this.#meanwhile.set(path, { before, times: [...times, time].slice(0, maxTimes + 1) });
  }

  /** The start of the turn has the texts before its changes. Any of the turns that overlap can have made unknown ones. */
  startOf(turn: string): string {
    return turn === unknownTurn || turn === meanwhileTurn ? this.#options.turns.first : turn;
  }

  /** The files with changes that no agent is known to have made. */
  get openPaths(): readonly string[] {
    return [...this.#meanwhile.keys()];
  }

  /** An agent reports a call: a change of the file that was attributed to no agent can be this one's. */
  async reported(path: string): Promise<void> {
    const { review } = this.#options;
    const { turns = [] } = review.file(path) ?? {};
    if (turns.includes(meanwhileTurn)) await this.#explain(path);
    else this.#meanwhile.delete(path);
    if (!turns.includes(unknownTurn)) return;
    const turn = await this.of(path);
    if (turn === unknownTurn || turn === meanwhileTurn) return;
    review.attributed(path, unknownTurn, turn);
    this.#last.set(path, turn);
  }

  /** The changes made meanwhile are an agent's after all, if a tool call ran at all of their times. */
  async #explain(path: string): Promise<void> {
    const { review, author, touches, states } = this.#options;
    const changes = this.#meanwhile.get(path);
    if (!changes || changes.times.length > maxTimes) return;
    let turn: string | undefined;
    for (const time of changes.times) {
      const found = await author.of(path, time);
      if (found.kind !== "agent") return;
      turn = turn === undefined || turn === found.turn ? found.turn : unknownTurn;
    }
    if (turn === undefined || this.#meanwhile.get(path) !== changes) return;
    this.#meanwhile.delete(path);
    if (turn === unknownTurn) review.nameTurn(turn, "");
    review.attributed(path, meanwhileTurn, turn);
    this.touch(path, changes.before, turn);
    const text = review.textOf(path);
    if (text !== undefined) touches.written(path, text, turn);
    states?.written(turn, path);
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
    // The last change was made before the call that runs now.
    const isNobodys = found === unknownTurn || found === meanwhileTurn || this.#meanwhile.has(path);
    const turn = isNobodys ? (this.#last.get(path) ?? found) : found;
    this.touch(path, text, turn);
    return turn;
  }

  /** Notifies of a change of the file by the agent. `before`: its text before the change. */
  touch(path: string, before: string | null | undefined, turn: string): void {
    const { states, touches } = this.#options;
    this.#last.set(path, turn);
    const touched = this.#touched.get(turn) ?? new Set();
    this.#touched.set(turn, touched);
    if (touched.has(path)) return touches.touchedAgain?.({ turn, path, before });
    touched.add(path);
    const meanwhile = this.#meanwhile.get(path);
    if (turn === meanwhileTurn && meanwhile) this.#meanwhile.set(path, { ...meanwhile, before });
    states?.touched(turn, path, before);
    touches.touched({ turn, path, before });
  }
}
