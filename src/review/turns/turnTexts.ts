// What is known of the texts of files in the turns that overlap: those before the agent's first change, and those
// that the review has seen on disk.
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { FactSink } from "../../history/facts.ts";
import { RunningTurns, type ReportsOfTurns } from "../../history/runningTurns.ts";
import type { FileDifference, TurnStart } from "./turnStart.ts";

export interface TurnTextsOptions {
  /** What is known of the files when the turn began. */
  readonly start: (turn: string) => Promise<TurnStart>;
  readonly facts: FactSink;
  readonly log: Log;
}

export class TurnTexts {
  readonly #options: TurnTextsOptions;
  /** The last text seen of files that are not followed, while a turn runs. */
  readonly last = new Map<string, string | null>();
  /** The turns, with what their agents reported. */
  readonly turns = new RunningTurns();
  /** The differences between the start and the end of a turn. */
  readonly differences = new Map<string, FileDifference>();
  /** The texts on disk that were attributed in this turn. */
  readonly onDisk = new Map<string, string | null>();
  /** The files without a known text whose deletion was attributed in this turn, while they are missing. */
  readonly deleted = new Set<string>();
  /** The texts before changes by others that can turn out to be the agent's, see {@link TurnReports.isLeft}. */
  readonly unsure = new Map<string, string | null>();

  constructor(options: TurnTextsOptions) {
    this.#options = options;
  }

  /** The turn that began last. */
  get turn(): string {
    return this.turns.latest;
  }

  get reports(): ReportsOfTurns {
    return this.turns.reports;
  }

  /** A turn of the session begins, as in {@link RunningTurns.begin}. Returns whether it overlaps no other one. */
  begin(turn: string, session: string, now: number, folder?: string): boolean {
    const isAlone = this.turns.begin(turn, session, now, folder);
    if (isAlone) this.#clear();
    return isAlone;
  }

  /** Adds a turn of an earlier window. */
  addEnded(turn: string, session: string, began: number, ended: number): void {
    this.turns.addEnded(turn, session, began, ended);
    this.#clear();
  }

  #clear(): void {
    this.last.clear();
    this.differences.clear();
    this.onDisk.clear();
    this.deleted.clear();
    this.unsure.clear();
  }

  /** The text before the agent's first edit in the turn; undefined if it is not certain. */
  async base(path: string, after: string | null, turn: string): Promise<string | null | undefined> {
    const seen = this.last.get(path);
    if (seen !== undefined && seen !== after && !this.reports.containsReportedEdit(path, seen)) return seen;
    const reversed = this.reports.before(path, after);
    if (reversed !== undefined) return reversed;
    const difference = this.differences.get(path);
    return difference?.before !== undefined ? difference.before : this.startText(path, turn);
  }

  /** The text of a file when the turn began, or the first of the turns. Null: it did not exist. Undefined: unknown. */
  async startText(path: string, turn = this.turns.firstOf(path)): Promise<string | null | undefined> {
    const text = await this.#askStart(path, turn, start => start.textAt(path));
    this.#options.facts.note({ type: "startKnown", path, turn, ...(text !== undefined && { text }) });
    return text;
  }

  /**
   * Whether a file or a link is known to have been at the path when the first turn began. If its text is unknown, it was no
   * text.
   */
  async wasThere(path: string): Promise<boolean> {
    const state = await this.#askStart(path, this.turns.firstOf(path), start => start.stateAt(path));
    return state !== undefined && state.kind !== "missing";
  }

  /** The files at a path when the first turn began. Undefined: unknown. */
  filesAt(path: string): Promise<readonly string[] | undefined> {
    return this.#askStart(path, this.turns.firstOf(path), start => start.filesAt(path));
  }

  async #askStart<T>(path: string, turn: string, ask: (start: TurnStart) => Promise<T>): Promise<T | undefined> {
    try {
      return await ask(await this.#options.start(turn));
    } catch (thrown) {
      this.#options.log.warn(`The state of ${path} before the turn could not be read.`, asError(thrown).message);
      return undefined;
    }
  }
}
