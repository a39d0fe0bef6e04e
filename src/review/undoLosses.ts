// What an undo could not bring back, before it is done.
import { undoHunks } from "./fileChanges.ts";
import type { UndoLoss } from "./review.ts";
import { ownEditsRefusal, sharedLinesRefusal, type EarlierFileStates } from "./reviewDecision.ts";
import { deletesOwnEdits, type ChosenFile } from "./trackedFile.ts";

/** The files that an undo would leave as they are, with the reasons. */
export function undoLossesOf(
  chosen: readonly ChosenFile[],
  earlier: EarlierFileStates | undefined,
): readonly UndoLoss[] {
  return chosen.flatMap(one => {
    const { path, unknown } = one.file;
    if (one.isMove) return [];
    if (unknown !== undefined && !(one.isWhole && earlier?.has(path))) return [{ path, why: unknown }];
    if (deletesOwnEdits(one)) return [{ path, why: ownEditsRefusal(path).message }];
    const { changes, left } = undoHunks(one.file.changes, one.ids);
    const isStuck = left.length > 0 && changes.text === one.file.changes.text;
    return isStuck ? [{ path, why: sharedLinesRefusal(path, left).message }] : [];
  });
}
