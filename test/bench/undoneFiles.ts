// What both sides of the benchmark of Undo All know.

/** The number of files that are undone. */
export const undoneFiles = 200;

/** Times as the helper measured them (ms), and the tabs that were left open. */
export interface UndoAllTimes {
  readonly undo: readonly number[];
  readonly back: readonly number[];
  readonly tabs: number;
}
