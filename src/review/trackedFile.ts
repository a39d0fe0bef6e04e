// A file as the review of a window tracks it, and what a decision is about.
import type { Work } from "../base/lineDiff.ts";
import { meanwhileTurn } from "../history/author.ts";
import {
  applyAgentEdit,
  applyAgentEditWork,
  isSettled,
  lineCounts,
  track,
  trackWork,
  undoHunks,
} from "./fileChanges.ts";
import type { FileChanges, Hunk } from "./hunk.ts";
import type { ReviewedFile, ReviewTarget } from "./review.ts";

export interface TrackedFile {
  readonly path: string;
  readonly changes: FileChanges;
  /** Earlier states, newest last, for undo and redo in the editor. */
  readonly history: readonly FileChanges[];
  /** The user edited a file that the agent created. */
  readonly mixed: boolean;
  readonly unknown?: string;
  /** The agent did not change the text: it is that from before, with the user's edits. Only together with `unknown`. */
  readonly hasSameText?: true;
  /** Where the file was before an agent moved it, and in which turn it was moved. */
  readonly movedFrom?: MoveOrigin;
  /** A file without hunks was changed while no tool call ran, see {@link meanwhileTurn}. */
  readonly isMeanwhile?: true;
  /** The user has marked this text as reviewed, without a decision. */
  readonly isReviewed?: true;
}

export interface MoveOrigin {
  readonly path: string;
  readonly turn: string;
}

/** A file of a decision, and those of its hunks that the decision is about. */
export interface ChosenFile {
  readonly file: TrackedFile;
  readonly ids: readonly string[];
  /** The decision is about the file, not about some of its hunks. */
  readonly isWhole: boolean;
  /** The decision is also about the move of the file. */
  readonly isMove: boolean;
}

/** Whether the file needs a decision. */
export const awaitsReview = ({ changes, unknown, movedFrom }: TrackedFile): boolean =>
  unknown !== undefined || !isSettled(changes) || (movedFrom !== undefined && changes.text !== null);

/** The file, as one whose text the user has not marked as reviewed. */
export function withoutReviewedMark<File extends { readonly isReviewed?: true }>(file: File): Omit<File, "isReviewed"> {
  const { isReviewed: _, ...rest } = file;
  return rest;
}

/** Whether undoing these hunks would delete a file that also contains the user's text. */
export const deletesOwnEdits = ({ file, ids }: ChosenFile): boolean =>
  file.mixed && ids.length > 0 && !undoHunks(file.changes, ids).changes.text;

/** The turns of a decision on turns. */
export const turnsOf = (target: Extract<ReviewTarget, { kind: "turn" | "turns" }>): readonly string[] =>
  target.kind === "turn" ? [target.turn] : target.turns;

/** Whether the hunk has lines that were changed meanwhile, perhaps by the user. */
export const isOfMeanwhile = ({ turns }: Pick<Hunk, "turns">): boolean => turns.includes(meanwhileTurn);

/** A file that was changed meanwhile, and is decided on as a whole. */
export const meanwhileField = (turn: string): { readonly isMeanwhile?: true } =>
  turn === meanwhileTurn ? { isMeanwhile: true } : {};

/**
 * What an undo of these files would undo. What was changed meanwhile can be the user's, so that only an undo of the file,
 * of its hunks or of {@link meanwhileTurn} undoes it.
 */
export function undoableFiles(files: Iterable<TrackedFile>, target: ReviewTarget): readonly ChosenFile[] {
  const chosen = chosenFiles(files, target);
  if (target.kind === "file" || target.kind === "hunks") return chosen;
  if (target.kind !== "all" && turnsOf(target).includes(meanwhileTurn)) return chosen;
  return chosen.flatMap(one => {
    const { file, isMove } = one;
    const others = new Set(file.changes.hunks.filter(hunk => !isOfMeanwhile(hunk)).map(({ id }) => id));
    const ids = one.ids.filter(id => others.has(id));
    const isOwnMove = isMove && file.movedFrom?.turn !== meanwhileTurn;
    const isWhole = one.isWhole && ids.length === one.ids.length && isOwnMove === isMove && !file.isMeanwhile;
    return isWhole || ids.length > 0 || isOwnMove ? [{ file, ids, isWhole, isMove: isOwnMove }] : [];
  });
}

/** The hunks of a decision, by file. Hunks that no longer exist are skipped. */
export function chosenFiles(files: Iterable<TrackedFile>, target: ReviewTarget): readonly ChosenFile[] {
  const all = [...files].filter(awaitsReview);
  const idsOf = (file: TrackedFile, test: (hunk: Hunk) => boolean): readonly string[] =>
    file.changes.hunks.filter(test).map(hunk => hunk.id);
  const whole = (file: TrackedFile): ChosenFile => ({
    file,
    ids: idsOf(file, () => true),
    isWhole: true,
    isMove: file.movedFrom !== undefined,
  });
  switch (target.kind) {
    case "all":
      return all.map(whole);
    case "turn":
    case "turns": {
      const turns = turnsOf(target);
      return all
        .map(file => {
          const ids = idsOf(file, hunk => hunk.turns.some(turn => turns.includes(turn)));
          const { movedFrom } = file;
          const isWhole = file.isMeanwhile === true && turns.includes(meanwhileTurn);
          return { file, ids, isWhole, isMove: movedFrom !== undefined && turns.includes(movedFrom.turn) };
        })
        .filter(({ ids, isMove, isWhole }) => ids.length > 0 || isMove || isWhole);
    }
    case "file":
      return all.filter(file => file.path === target.path).map(whole);
    case "hunks":
      return all
        .filter(file => file.path === target.path)
        .map(file => ({
          file,
          ids: idsOf(file, hunk => target.ids.includes(hunk.id)),
          isWhole: false,
          isMove: false,
        }));
    default:
      return target satisfies never;
  }
}

/** The file, with the changes of a turn as another turn's. */
export function withTurn(file: TrackedFile, from: string, to: string): TrackedFile {
  const renamed = (changes: FileChanges): FileChanges => ({
    ...changes,
    hunks: changes.hunks.map(hunk => ({
      ...hunk,
      turns: [...new Set(hunk.turns.map(turn => (turn === from ? to : turn)))],
    })),
  });
  const { movedFrom, isMeanwhile: wasMeanwhile, ...rest } = file;
  return {
    ...rest,
    ...(wasMeanwhile && meanwhileField(from === meanwhileTurn ? to : meanwhileTurn)),
    changes: renamed(file.changes),
    history: file.history.map(renamed),
    ...(movedFrom && { movedFrom: { ...movedFrom, turn: movedFrom.turn === from ? to : movedFrom.turn } }),
  };
}

/** What an agent moved. */
export interface AgentMove {
  readonly from: string;
  readonly to: string;
  readonly turn: string;
  /** The text before the turn. Undefined: it is not a text. */
  readonly before: string | undefined;
  /** What to show if the file is not a text, as a sentence. */
  readonly why: string;
}

/**
 * A file that an agent moved, made of the file that is gone, if it is tracked, and the file that was created. Undefined
 * if a decision or the user was faster, so that they are no longer one file.
 */
export function* movedFileWork(
  source: TrackedFile | undefined,
  target: TrackedFile | undefined,
  { from, to, turn, before, why }: AgentMove,
): Work<TrackedFile | undefined> {
  if (!target || !awaitsReview(target) || (target.unknown === undefined && target.changes.base !== null))
    return undefined;
  const movedFrom = { path: from, turn };
  const earlier = source?.history.findLast(({ text }) => text !== null);
  if (source && source.unknown === undefined) {
    if (source.changes.text !== null) return undefined;
    // Otherwise the deletion was kept, or the user's.
    if (source.changes.base === null && (!earlier || earlier.base !== null)) return undefined;
  }
  const { text } = target.changes;
  // The text before the deletion has what the user typed before it.
  const base = source?.changes.base ?? before;
  const isText = target.unknown === undefined && source?.unknown === undefined;
  if (!isText || text === null || (!earlier && base === undefined))
    return { path: to, changes: track(text, text, turn), history: [], mixed: false, unknown: why, movedFrom };
  const changes = yield* earlier ? applyAgentEditWork(earlier, text, turn) : trackWork(base ?? "", text, turn);
  return { path: to, changes, history: earlier ? [earlier] : [], mixed: false, movedFrom };
}

/** A file that was created where another one was before that is gone: the change from one to the other. */
export function replacingFile(gone: TrackedFile, created: TrackedFile): TrackedFile {
  if (created.unknown !== undefined || created.changes.base !== null) return created;
  const { path, changes } = created;
  const turn = changes.hunks[0]?.turns.at(-1) ?? "";
  const nextId = Math.max(changes.nextId, gone.changes.nextId);
  // It is decided on as a whole, so it has no hunks.
  if (gone.unknown !== undefined) {
    const whole = { ...track(changes.text, changes.text, turn), nextId };
    return { path, changes: whole, mixed: false, history: [], unknown: gone.unknown };
  }
  return { ...created, changes: applyAgentEdit({ ...gone.changes, nextId }, changes.text, turn) };
}

/** What is known of a file besides its changes. */
export interface FileFacts {
  /** All turns, oldest first. */
  readonly turns: readonly string[];
  /** The exact state before the agent's first change is known. */
  readonly hasEarlier: boolean;
  /** In that state, there was no file. */
  readonly wasMissing: boolean;
  /** The file is outside the workspace folders. */
  readonly isOutside: boolean;
}

/** The file as the surfaces show it. */
export function reviewedFile(
  { path, changes, unknown, movedFrom, isMeanwhile, isReviewed }: TrackedFile,
  { turns, hasEarlier, wasMissing, isOutside }: FileFacts,
): ReviewedFile {
  const isCreated = !movedFrom && (unknown === undefined ? changes.base === null : wasMissing);
  const own = new Set([
    ...changes.hunks.flatMap(hunk => hunk.turns),
    ...(movedFrom ? [movedFrom.turn] : []),
    ...(isMeanwhile ? [meanwhileTurn] : []),
  ]);
  const isAllMeanwhile =
    own.has(meanwhileTurn) && changes.hunks.every(isOfMeanwhile) && (!movedFrom || movedFrom.turn === meanwhileTurn);
  return {
    path,
    changes,
    ...lineCounts(changes),
    turns: [...own].sort((a, b) => turns.indexOf(a) - turns.indexOf(b)),
    ...(movedFrom && { movedFrom: movedFrom.path }),
    ...(isOutside && { isOutside }),
    ...(isCreated && { isCreated }),
    ...(isAllMeanwhile && { isMeanwhile: true as const }),
    ...(isReviewed && { isReviewed }),
    ...(unknown !== undefined && { unknown, canUndo: movedFrom !== undefined || hasEarlier }),
  };
}
