// The lines of each session that wait for review.
import type { Review } from "../review.ts";

/** The numbers of added and removed lines. */
export interface ChangedLines {
  readonly added: number;
  readonly removed: number;
}

/** The changed lines by the ids of sessions. Lines that several sessions changed count for each of them. */
export function linesBySession({ files, turns }: Pick<Review, "files" | "turns">): ReadonlyMap<string, ChangedLines> {
  const sessions = new Map(turns.map(({ id, session }) => [id, session?.id]));
  const lines = new Map<string, ChangedLines>();
  for (const { changes } of files) {
    for (const { base, text, turns: ofHunk } of changes.hunks) {
      for (const session of new Set(ofHunk.map(turn => sessions.get(turn)))) {
        if (session === undefined) continue;
        const { added, removed } = lines.get(session) ?? { added: 0, removed: 0 };
        lines.set(session, { added: added + text.to - text.from, removed: removed + base.to - base.from });
      }
    }
  }
  return lines;
}
