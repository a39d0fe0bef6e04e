// The changes of one session that wait for review. Sessions can change the same file.
import type { Review, ReviewedFile } from "../review/review.ts";

/** The files with changes of the session, with its own hunks only. A hunk that several sessions changed is of each of them. */
export function changesOfSession(
  { files, turns }: Pick<Review, "files" | "turns">,
  session: string,
): readonly ReviewedFile[] {
  const own = new Set(turns.filter(turn => turn.session?.id === session).map(({ id }) => id));
  const isOwn = (of: { readonly turns: readonly string[] }): boolean => of.turns.some(turn => own.has(turn));
  return files.filter(isOwn).map(file => {
    const { changes } = file;
    // A file without hunks is a change as a whole.
    return changes.hunks.every(isOwn) ? file : { ...file, changes: { ...changes, hunks: changes.hunks.filter(isOwn) } };
  });
}
