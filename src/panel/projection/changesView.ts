// The changes to review, as a panel shows them.
import type { ViewChanges } from "../protocol.ts";
import { relativeLabel } from "../../base/pathLabel.ts";

interface UnreviewedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly unknown?: string;
  readonly canUndo?: boolean;
  readonly movedFrom?: string;
  readonly isOutside?: true;
  readonly isMeanwhile?: true;
  readonly isReviewed?: true;
  /** The ids of the turns that changed it. */
  readonly turns?: readonly string[];
}

interface SessionOfTurn {
  readonly id: string;
  readonly title: string;
}

/** The sessions of the changes, and the one that the panel shows. */
export interface SessionsOfChanges {
  /** Undefined: the panel shows no session. */
  readonly shown: string | undefined;
  /** The turns with changes to review, oldest first. */
  readonly turns: readonly { readonly id: string; readonly session?: SessionOfTurn }[];
  /** The title of an open session now. Empty: the session is not open, or has no title yet. */
  readonly titleOf?: (session: string) => string;
}

type Runs = ViewChanges["files"][number]["runs"];

/**
 * The content of the bar above the composer about files with changes to review. Null if there are none. `runsOf`: when
 * programs run a file. `sessions`: of each turn, to name the sessions that the panel does not show.
 */
export function changesView(
  files: readonly UnreviewedFile[],
  workspaceFolder: string,
  runsOf: (path: string) => Runs = () => undefined,
  sessions?: SessionsOfChanges,
): ViewChanges | null {
  if (files.length === 0) return null;
  const reviewed = files.filter(({ isReviewed }) => isReviewed).length;
  const others = sessions && changesOfOthers(files, sessions);
  return {
    files: files.map(({ path, added, removed, unknown, canUndo, movedFrom, isOutside, isMeanwhile }) => {
      const runs = runsOf(path);
      return {
        path,
        label: relativeLabel(path, workspaceFolder),
        added,
        removed,
        ...(unknown !== undefined && { unknown }),
        ...(canUndo === true && { canUndo }),
        ...(movedFrom !== undefined && { movedFrom: relativeLabel(movedFrom, workspaceFolder) }),
        ...(runs && { runs }),
        ...(isOutside && { isOutside }),
        ...(isMeanwhile && { isMeanwhile }),
      };
    }),
    added: files.reduce((sum, file) => sum + file.added, 0),
    removed: files.reduce((sum, file) => sum + file.removed, 0),
    ...(reviewed > 0 && { reviewed }),
    ...(others && { others }),
  };
}

/** The number of files of other sessions, and these sessions. Turns whose session is not known do not count. */
function changesOfOthers(
  files: readonly UnreviewedFile[],
  { shown, turns, titleOf = () => "" }: SessionsOfChanges,
): ViewChanges["others"] {
  const sessionOf = new Map(turns.map(({ id, session }) => [id, session]));
  const others = new Map<string, SessionOfTurn>();
  let count = 0;
  for (const file of files) {
    const ofFile = (file.turns ?? []).flatMap(turn => sessionOf.get(turn) ?? []).filter(({ id }) => id !== shown);
    if (ofFile.length > 0) count += 1;
    // The title at the start of the latest turn, if the session is not open.
    for (const { id, title } of ofFile) others.set(id, { id, title: titleOf(id) || title });
  }
  return count === 0 ? undefined : { files: count, sessions: [...others.values()] };
}
