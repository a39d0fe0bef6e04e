// The lines of each session that wait for review, and its files.
import type { FileChanges } from "../hunk.ts";
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
    for (const { turns: ofHunks, added, removed } of linesByTurns(changes)) {
      for (const session of new Set(ofHunks.map(turn => sessions.get(turn)))) {
        if (session === undefined) continue;
        const before = lines.get(session) ?? { added: 0, removed: 0 };
        lines.set(session, { added: before.added + added, removed: before.removed + removed });
      }
    }
  }
  return lines;
}

/** The paths of the files with changes of the session that wait for review. */
export function filesOfSession({ files, turns }: Pick<Review, "files" | "turns">, session: string): readonly string[] {
  const own = new Set(turns.filter(turn => turn.session?.id === session).map(({ id }) => id));
  return files.filter(file => file.turns.some(turn => own.has(turn))).map(({ path }) => path);
}

/** The lines of the hunks that the same turns changed. */
interface LinesOfTurns extends ChangedLines {
  readonly turns: readonly string[];
}

/** Several lists and badges show the lines of thousands of hunks after each change. */
const known = new WeakMap<FileChanges, readonly LinesOfTurns[]>();

function linesByTurns(changes: FileChanges): readonly LinesOfTurns[] {
  const counted = known.get(changes);
  if (counted) return counted;
  const lines = new Map<string, LinesOfTurns>();
  for (const { base, text, turns } of changes.hunks) {
    const key = turns.join("\n");
    const { added, removed } = lines.get(key) ?? { added: 0, removed: 0 };
    lines.set(key, { turns, added: added + text.to - text.from, removed: removed + base.to - base.from });
  }
  const all = [...lines.values()];
  known.set(changes, all);
  return all;
}
