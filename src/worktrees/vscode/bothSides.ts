// Diffs of the two sides of a file: that of a worktree, read-only, and the local one, which can be edited.
import { join } from "node:path";
import * as vscode from "vscode";
import { t } from "../../base/l10n.ts";
import { openDiff, openDiffs } from "../../editor/editorItems.ts";
import { ReadOnlyTexts } from "../../editor/readOnlyTexts.ts";
import type { BringBackEntry } from "../bringBack.ts";
import type { WorktreeRecord } from "../worktreeRecords.ts";

const scheme = "parley-worktree";

/** More sides are not kept for open diffs. */
const maxTexts = 200;

/** Creates the documents for the sides of worktrees. The caller disposes them. */
export const createSideTexts = (): ReadOnlyTexts =>
  new ReadOnlyTexts({ scheme, maxTexts, placeholder: t("This text is no longer available. Open the diff again.") });

/** Whether both sides are texts, or missing. */
export const canShowSides = ({ local, theirs }: BringBackEntry): boolean =>
  local.text !== undefined && theirs.text !== undefined;

/** Opens the diffs of these files, as one tab if they are several. What is no text is left out. */
export async function showBothSides(
  record: WorktreeRecord,
  entries: readonly BringBackEntry[],
  texts: ReadOnlyTexts,
  options: vscode.TextDocumentShowOptions = {},
): Promise<void> {
  const sides = entries.filter(canShowSides).map(({ path, from, local, theirs }) => {
    const at = join(record.origin, from ?? path);
    // A file with unsaved text can be shown although it is gone.
    const isThere = local.state.kind !== "missing" || local.isUnsaved;
    return {
      file: vscode.Uri.file(at),
      left: texts.add(join(record.origin, path), theirs.text ?? ""),
      right: isThere ? vscode.Uri.file(at) : texts.add(at, ""),
      path,
    };
  });
  const [first] = sides;
  if (first && sides.length === 1)
    return openDiff(first.left, first.right, t("{0} (Worktree ↔ Local File)", first.path), options);
  if (first)
    await openDiffs(
      t("Worktree ↔ Local Files: {0}", record.branch),
      sides.map(({ file, left, right }) => [file, left, right] as const),
    );
}
