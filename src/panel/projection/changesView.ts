// What is to be reviewed, as a panel shows it.
import type { ViewChanges } from "../protocol.ts";
import { relativeLabel } from "./labels.ts";

interface UnreviewedFile {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly unknown?: string;
}

/** What the bar above the composer shows of files that wait for review; null when there are none. */
export function changesView(files: readonly UnreviewedFile[], workspaceFolder: string): ViewChanges | null {
  if (files.length === 0) return null;
  return {
    files: files.map(({ path, added, removed, unknown }) => ({
      path,
      label: relativeLabel(path, workspaceFolder),
      added,
      removed,
      ...(unknown !== undefined && { unknown }),
    })),
    added: files.reduce((sum, file) => sum + file.added, 0),
    removed: files.reduce((sum, file) => sum + file.removed, 0),
  };
}
