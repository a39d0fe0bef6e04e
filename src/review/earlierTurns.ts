// Undoes what one turn changed in hunks that an earlier turn changed too, and leaves the earlier turn's text. Pure.
import { meanwhileTurn } from "../history/author.ts";
import { applyAgentEdit, undoHunks, type UndoResult } from "./fileChanges.ts";
import type { FileChanges, Hunk, LineRange } from "./hunk.ts";
import { applySplices } from "./hunkUpdates.ts";
import type { ReviewTarget, SharedTurn } from "./review.ts";
import { textLinesOf } from "./textLines.ts";

/** The hunks of the turns that other turns changed too. Undoing them undoes the text of those turns as well. */
export function hunksOfSeveralTurns({ hunks }: FileChanges, ...own: readonly string[]): readonly Hunk[] {
  return hunks.filter(
    ({ turns }) =>
      turns.some(one => own.includes(one)) &&
      turns.some(one => !own.includes(one)) &&
      // An undo of a turn leaves these.
      (own.includes(meanwhileTurn) || !turns.includes(meanwhileTurn)),
  );
}

/** What an undo of the turns in these files would undo of other turns. Undefined: nothing. */
export function sharedTurnOf(
  turns: readonly string[],
  files: readonly { readonly changes: FileChanges; readonly history: readonly FileChanges[] }[],
): SharedTurn | undefined {
  const shared = files.filter(({ changes }) => hunksOfSeveralTurns(changes, ...turns).length > 0);
  if (shared.length === 0) return undefined;
  const hunks = shared.reduce((sum, { changes }) => sum + hunksOfSeveralTurns(changes, ...turns).length, 0);
  const [turn, ...more] = turns;
  const isKnown = ({ changes, history }: (typeof files)[number]): boolean =>
    turn !== undefined && more.length === 0 && undoOnlyTurn(changes, turn, history) !== undefined;
  return { hunks, isEarlierKnown: shared.every(isKnown) };
}

/**
 * The changes without those of a turn: its own hunks are undone, and hunks that other turns changed too have the text
 * from before the turn again. Undefined if that text is not known.
 * @param history earlier states of the file, newest last
 */
export function undoOnlyTurn(
  changes: FileChanges,
  turn: string,
  history: readonly FileChanges[],
): FileChanges | undefined {
  const { base, text } = changes;
  const before = history.findLast(({ hunks }) => !hunks.some(hunk => hunk.turns.includes(turn)));
  // After a decision or an edit of the user outside of hunks, the lines of the two states do not correspond.
  if (base === null || text === null || !before || before.text === null || before.base !== base) return undefined;
  const [bases, earlier] = [textLinesOf(base), textLinesOf(before.text)];
  const splices: { readonly range: LineRange; readonly text: string }[] = [];
  for (const hunk of changes.hunks) {
    if (!hunk.turns.includes(turn)) continue;
    if (hunk.shared) return undefined;
    if (hunk.turns.length === 1) splices.push({ range: hunk.text, text: bases.slice(hunk.base) });
    else {
      const range = textRange(before.hunks, hunk.base);
      if (!range) return undefined;
      splices.push({ range: hunk.text, text: earlier.slice(range) });
    }
  }
  const after = applySplices(textLinesOf(text), splices);
  const other = changes.hunks.flatMap(({ turns }) => turns).find(one => one !== turn) ?? turn;
  const undone = applyAgentEdit(changes, after, other);
  const without = (turns: readonly string[]): readonly string[] => {
    const left = turns.filter(one => one !== turn);
    return left.length > 0 ? left : turns;
  };
  return { ...undone, hunks: undone.hunks.map(hunk => ({ ...hunk, turns: without(hunk.turns) })) };
}

/** A file after an undo of some of its hunks, or of one turn only. */
export function undoneFile(
  { changes, history }: { readonly changes: FileChanges; readonly history: readonly FileChanges[] },
  ids: readonly string[],
  target: ReviewTarget,
): Pick<UndoResult, "changes" | "left"> {
  const only = target.kind === "turn" && target.keepsEarlier && undoOnlyTurn(changes, target.turn, history);
  return only ? { changes: only, left: [] } : undoHunks(changes, ids);
}

/** The lines of the text for lines of the base. Undefined if a border is within a hunk. */
function textRange(hunks: readonly Hunk[], { from, to }: LineRange): LineRange | undefined {
  let [start, end] = [from, to];
  for (const { base, text } of hunks) {
    const growth = text.to - text.from - (base.to - base.from);
    if (base.to < from || (base.to === from && base.from < base.to && from < to)) {
      start += growth;
      end += growth;
    } else if (base.from > to || (base.from === to && base.from < base.to)) break;
    else if (base.from < from || base.to > to) return undefined;
    else end += growth;
  }
  return { from: start, to: end };
}
