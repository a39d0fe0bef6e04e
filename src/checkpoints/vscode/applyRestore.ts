// Carries out a restore: records it, changes the files, and puts back what waited for review in them.
import { forEachLimited } from "../../base/async.ts";
import { Refusal } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { quotePath } from "../../base/text.ts";
import { withCancellableProgress } from "../../editor/cancellableProgress.ts";
import { diskText } from "../../editor/diskText.ts";
import { missingFolders, type FileState } from "../../files/fileState.ts";
import { linkOnPath, stateAtPath } from "../../files/standing.ts";
import type { Documents } from "../../files/ports.ts";
import { throwFailures } from "../../review/reviewDecision.ts";
import type { ReviewStore } from "../../review/vscode/reviewStore.ts";
import type { Checkpoints } from "../checkpoints.ts";
import type { CurrentFiles, FileRestore, RestorePlan } from "../restorePlanner.ts";

/** How many files are read at the same time. */
const maxConcurrentReads = 16;

/** The part of the review that a restore needs. */
export type RestoredReview = Pick<ReviewStore, "restoreFiles" | "settled" | "snapshot">;

/**
 * Changes these files of the plan. What cannot be changed is no obstacle for the others, and rejects with its names
 * afterwards. `onRestored` runs as soon as there is something to undo.
 */
export async function applyRestore(
  checkpoints: Checkpoints,
  review: RestoredReview,
  plan: RestorePlan,
  files: readonly FileRestore[],
  roots: () => readonly string[],
  onRestored: () => void = () => {},
): Promise<void> {
  const [then, states, snapshot] = await Promise.all([
    checkpoints.reviewAt(plan.checkpoint),
    statesOf(files, roots()),
    review.snapshot(),
  ]);
  const id = await checkpoints.recordRestore(plan, files, states, snapshot);
  const steps = files.map(({ path, now, to, state }) => ({ path, before: now, after: to, ...(state && { state }) }));
  const { failed } = await withCancellableProgress(t("Restoring files"), steps.length, options =>
    review.restoreFiles(steps, then, options),
  );
  // The files that could not be restored are as before, so undoing the restore leaves them as they are.
  if (failed.size === files.length) checkpoints.discardRestore(id);
  else onRestored();
  throwFailures(failed);
  checkpoints.completeRestore(plan);
}

async function statesOf(
  files: readonly FileRestore[],
  roots: readonly string[],
): Promise<ReadonlyMap<string, FileState>> {
  const states = new Map<string, FileState>();
  await forEachLimited(files, maxConcurrentReads, async ({ path }) => {
    const state = await stateAtPath(path, roots);
    if (state)
      states.set(path, state.kind === "missing" ? { ...state, newFolders: await missingFolders(path) } : state);
  });
  return states;
}

/** The files as the user sees them. Links in the folders are not followed. */
export const currentFiles = (documents: Documents, roots: () => readonly string[]): CurrentFiles => ({
  async text(path) {
    const { kind, unsaved } = await documents.stat(path);
    if (kind === "missing" || kind === "folder" || (await linkOnPath(path, roots())) !== undefined) return null;
    if (unsaved) return documents.read(path);
    // Binary for the review is binary here too. VS Code takes some binary files for UTF-16.
    const text = kind === "file" ? await diskText(path) : undefined;
    if (text === undefined) throw new Refusal("invalid", t("{0} is not a text.", quotePath(path)));
    return text;
  },
  state: path => stateAtPath(path, roots()),
});
