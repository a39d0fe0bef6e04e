// What both sides of the benchmark of the review in VS Code know.

/** The number of files that are undone. */
export const undoneFiles = 200;

/** The commands of the helper, by their titles. */
export const helperCommands = {
  undoAll: "Bench: Undo All",
  undoLast: "Bench: Undo Last Decision",
  undoRestore: "Bench: Take Back the Restore",
  keepAll: "Bench: Keep All",
  show: "Bench: Show Large File",
  hide: "Bench: Hide Files",
  watch: "Bench: Watch the Extension Host",
  watchTurn: "Bench: Look at the Next Turn",
  report: "Bench: Report",
} as const;

export type HelperCommand = keyof typeof helperCommands;

/** What the helper writes after each command. */
export interface HelperOutcome {
  readonly command: HelperCommand;
  /** When the command began and when it was done (ms since the epoch). */
  readonly began: number;
  readonly ended: number;
  /** Since `watch`, for `report`. */
  readonly stretches?: Stretches;
  /** The open tabs. */
  readonly tabs: number;
}

/** The longest work of the extension host between two looks at its timers (ms). */
export interface Stretches {
  /** Of VS Code and all extensions, by the clock. */
  readonly whole: number;
  /** The most work of Parley in one of them: what its functions do and call, as far as the thread had a processor. */
  readonly own: number;
}

export const largeFile = "large.txt";

/** The file that marks the start of the turn. It is outside the workspace, so that it is not reviewed. */
export const markFile = "../marks.ndjson";
