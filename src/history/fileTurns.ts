// What the turns know about one file, for the reducer of its record.
import type { TurnEvidence } from "./author.ts";
import { meanwhileTurn, unknownTurn } from "./author.ts";
import type { RunningTurns } from "./runningTurns.ts";

export interface FileTurns {
  /** In ms since the epoch. */
  readonly now: number;
  readonly evidence: readonly TurnEvidence[];
  /** The turns that began first and last. */
  readonly first: string;
  readonly latest: string;
  readonly isBusy: boolean;
  /** Several turns can have made a change. */
  readonly isOverlap: boolean;
  /** A call named the file. */
  readonly isNamed: boolean;
  /** A call of the file had not ended when its turn ended, and has not reported since. */
  readonly isLeft: boolean;
  /** Whether the time is before all turns. */
  readonly isBefore: (time: number) => boolean;
  /** Whether the text has an edit of the file that a call reported. */
  readonly containsEdit: (text: string | null) => boolean;
  /** The text before the reported edits. Null: there was no file. Undefined: it cannot be determined. */
  readonly before: (after: string | null) => string | null | undefined;
}

/** What is known at a time, in ms since the epoch. */
export const turnsOfFile = (turns: RunningTurns, path: string, now: number): FileTurns => ({
  now,
  evidence: turns.evidenceFor(path, now),
  first: turns.first,
  latest: turns.latest,
  isBusy: turns.isBusy,
  isOverlap: turns.isOverlap,
  isNamed: turns.reports.isNamed(path),
  isLeft: turns.reports.isLeft(path),
  isBefore: time => turns.isBefore(time),
  containsEdit: text => turns.reports.containsReportedEdit(path, text),
  before: after => turns.reports.before(path, after),
});

/** The turn whose start has the texts before the changes of a turn. Any of them can have made those of an unknown one. */
export const startTurnOf = (turn: string, { first }: Pick<FileTurns, "first">): string =>
  turn === unknownTurn || turn === meanwhileTurn ? first : turn;
