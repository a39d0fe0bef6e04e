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
}

type Runs = ViewChanges["files"][number]["runs"];

/**
 * The content of the bar above the composer about files with changes to review. Null if there are none. `runsOf`: when
 * programs run a file.
 */
export function changesView(
  files: readonly UnreviewedFile[],
  workspaceFolder: string,
  runsOf: (path: string) => Runs = () => undefined,
): ViewChanges | null {
  if (files.length === 0) return null;
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
  };
}
