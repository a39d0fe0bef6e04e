// Lists folders that the agent deleted and whose files are not known, so that nothing vanishes without a word.
import { t } from "../../base/l10n.ts";
import { isFolder } from "../../editor/diskText.ts";
import type { TouchListener } from "../changeListeners.ts";
import type { WindowReview } from "../windowReview.ts";

export interface GoneFoldersOptions {
  readonly review: Pick<WindowReview, "agentChangedWithoutBase" | "isTracked" | "vanished">;
  readonly touches: TouchListener;
}

export class GoneFolders {
  readonly #options: GoneFoldersOptions;
  readonly #paths = new Set<string>();

  constructor(options: GoneFoldersOptions) {
    this.#options = options;
  }

  /** The agent of the turn deleted the folder. No turn: no agent did. */
  deleted(path: string, turn: string | undefined): void {
    if (turn === undefined) return;
    const { review, touches } = this.#options;
    this.#paths.add(path);
    touches.touched({ turn, path, before: undefined });
    const why = t(
      "A command deleted this folder. Its files are not known, or not all of them, so Undo cannot restore it.",
    );
    review.agentChangedWithoutBase(path, null, turn, why);
  }

  /** Whether the path is such a folder that waits for review. One that is there again does not. */
  async includes(path: string): Promise<boolean> {
    if (!this.#paths.has(path)) return false;
    const { review } = this.#options;
    if (review.isTracked(path) && !(await isFolder(path))) return true;
    this.#paths.delete(path);
    review.vanished(path);
    return false;
  }
}
