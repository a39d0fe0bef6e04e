// Who made the last change of a file on disk: a table of evidence, of which the first row that fits decides. The editor
// and the disk don't report authors. Pure. All times are in ms since the epoch.
import { t } from "../base/l10n.ts";
import { clockTick, maxReportDelay, type Period } from "./turnTimes.ts";

/** A tool call that can write, or a terminal of the agent. */
export interface CallEvidence {
  /** From its first report to its end. Both are the same if it was reported once, after its end. */
  readonly ran: Period;
  /** When it waited for the user's permission. */
  readonly waited: readonly Period[];
  /** It names the file. */
  readonly namesFile: boolean;
  /** Its title, its input or its command contains the word git. */
  readonly namesGit: boolean;
}

/** A turn that runs, or whose changes can still be noticed. */
export interface TurnEvidence {
  readonly turn: string;
  readonly ran: Period;
  readonly calls: readonly CallEvidence[];
  /** The turn is of an earlier window, so its calls are not known. */
  readonly isEarlier: boolean;
  /** Changes of the turn can still be noticed: it runs, has just ended, or is being compared with its start. */
  readonly canBeReported: boolean;
}

/** What is known of the last change of a file. */
export interface ChangeEvidence {
  /**
   * When it was made. Of a deletion: when it was made at the latest. Of a file that was moved here: when that was.
   * Undefined: not known.
   */
  readonly time: number | undefined;
  /** The comparison of a turn with its start shows the change. */
  readonly isCompared: boolean;
  /** The file is gone, and can have been deleted in a turn although `time` is after it. */
  readonly isGone: boolean;
  /** The user moves, deletes or creates the file in the editor, or did so in the turn, and the agent has not changed it since. */
  readonly isUsers: boolean;
  /** The user saved this text in another window. */
  readonly isSavedElsewhere: boolean;
  /** The user has accepted or undone the change. */
  readonly isDecided: boolean;
  /** The file is as git put it there since the turn began, or git deleted it. */
  readonly isGits: boolean;
  /** The turns that are known, the first one first. */
  readonly turns: readonly TurnEvidence[];
}

/** The turn of changes that no agent reported while several were working. */
export const unknownTurn = "unknown-agent";

/** The turn of changes that were made while a turn ran, but no tool call. They can be the user's. */
export const meanwhileTurn = "changed-meanwhile";

/** Who made a change, and why Parley thinks so. `agent`: in which turn, {@link unknownTurn} if it is one of several. */
export type Author =
  | { readonly kind: "agent"; readonly turn: string; readonly why: string }
  | { readonly kind: OtherAuthor; readonly why: string };

type OtherAuthor = "user" | "git" | "meanwhile" | "nobody";

/**
 * A call began this long before its first report at most, because the agent and the window can be busy. A call that was
 * reported once was reported after it, see {@link maxReportDelay}.
 */
const maxStartDelay = 500;

/** Whether the time is in the period, with the inaccuracy of file systems. */
const includes = ({ from, to = Infinity }: Period, time: number, before = clockTick, after = clockTick): boolean =>
  time >= from - before && time <= to + after;

/** Whether the call ran at the time. A call that waits for permission does not run. */
export function ranAt({ ran, waited }: CallEvidence, time: number, after = clockTick): boolean {
  const before = ran.from === ran.to ? maxReportDelay : maxStartDelay;
  // The clock of the file system can be behind.
  const waits = waited.some(({ from, to = Infinity }) => time > from + clockTick && time < to - clockTick);
  return includes(ran, time, before, after) && !waits;
}

/** The turns in which the change can have been made. */
function turnsAt({ time, turns, isCompared, isGone }: ChangeEvidence): readonly TurnEvidence[] {
  if (!isCompared && !turns.some(({ canBeReported }) => canBeReported)) return [];
  if (time === undefined) return whenAny(turns.filter(({ ran }) => ran.to === undefined)) ?? turns;
  const within = turns.filter(({ ran }) => includes(ran, time));
  // The folder of a file that is gone can have changed after the turn.
  return within.length === 0 && isGone ? turns : within;
}

/** The turns with a call for which `test` holds, of those in which the change can have been made. */
function turnsWith(
  evidence: ChangeEvidence,
  test: (call: CallEvidence, time: number | undefined) => boolean,
): readonly TurnEvidence[] {
  const turns = turnsAt(evidence);
  // A time outside of the turns is not that of the change.
  const isKnown = turns.some(({ ran }) => evidence.time !== undefined && includes(ran, evidence.time));
  const time = isKnown ? evidence.time : undefined;
  return turns.filter(({ calls }) => calls.some(call => test(call, time)));
}

const whenAny = (turns: readonly TurnEvidence[]): readonly TurnEvidence[] | undefined =>
  turns.length > 0 ? turns : undefined;

const isRunningAt = (call: CallEvidence, time: number | undefined): boolean => time === undefined || ranAt(call, time);

/** Whether a call that names the file ran at the time, also a call that reports after its turn, but none before its turn. */
export const isReportedAt = ({ time, turns }: Pick<ChangeEvidence, "time" | "turns">): boolean =>
  time !== undefined &&
  turns.some(
    ({ ran, calls }) => time >= ran.from - clockTick && calls.some(call => call.namesFile && ranAt(call, time)),
  );

interface Row {
  readonly why: () => string;
  /** The turns of the agents that can have made the change, or who else did. Undefined: the row does not fit. */
  readonly author: (evidence: ChangeEvidence) => OtherAuthor | readonly TurnEvidence[] | undefined;
}

/** The evidence, strongest first. */
const rows: readonly Row[] = [
  {
    why: () => t("You moved, deleted or created the file in the editor."),
    author: ({ isUsers }) => (isUsers ? "user" : undefined),
  },
  {
    why: () => t("You kept or undid the change."),
    author: ({ isDecided }) => (isDecided ? "user" : undefined),
  },
  {
    why: () => t("You saved the file in another window."),
    author: ({ isSavedElsewhere }) => (isSavedElsewhere ? "user" : undefined),
  },
  {
    why: () => t("A tool call that names the file ran."),
    author: ({ time, turns }) =>
      whenAny(turns.filter(one => time !== undefined && isReportedAt({ time, turns: [one] }))),
  },
  {
    why: () => t("Git put the file there, and no tool call that names git ran."),
    author: evidence =>
      evidence.isGits && turnsWith(evidence, (call, time) => call.namesGit && isRunningAt(call, time)).length === 0
        ? "git"
        : undefined,
  },
  {
    why: () => t("No turn ran."),
    author: evidence => (turnsAt(evidence).length === 0 ? "nobody" : undefined),
  },
  {
    why: () => t("The tool calls of the turn are not known."),
    author: evidence => whenAny(turnsAt(evidence).filter(({ isEarlier }) => isEarlier)),
  },
  {
    why: () => t("A tool call ran."),
    author: evidence => whenAny(turnsWith(evidence, isRunningAt)),
  },
  {
    why: () => t("A tool call that names the file had just ended."),
    author: evidence =>
      whenAny(turnsWith(evidence, (call, time) => call.namesFile && ranAt(call, time ?? -Infinity, maxReportDelay))),
  },
];

/** Who made the change: the first row of the table that fits. Otherwise it was made meanwhile, while no call ran. */
export function authorOf(evidence: ChangeEvidence): Author {
  for (const { author, why } of rows) {
    const found = author(evidence);
    if (found === undefined) continue;
    if (typeof found === "string") return { kind: found, why: why() };
    return { kind: "agent", turn: onlyTurn(found), why: why() };
  }
  return { kind: "meanwhile", why: t("No tool call ran.") };
}

/** The only turn, or the only one whose calls name the file. Otherwise it is not known. */
function onlyTurn(turns: readonly TurnEvidence[]): string {
  const naming = turns.filter(({ calls }) => calls.some(({ namesFile }) => namesFile));
  const [only, other] = turns.length === 1 ? turns : naming;
  return only && !other ? only.turn : unknownTurn;
}
