// Files that an agent deleted while the editor had unsaved text of them. They are under review as deleted files, although
// the document stays: nothing that the user types in it brings the file back before it is saved.
import { changeTime } from "../../editor/diskText.ts";
import { openTextOf } from "../../editor/openDocuments.ts";
import type { TurnTexts } from "../turns/turnTexts.ts";
import type { WindowReview } from "../windowReview.ts";

export interface UnsavedDeletionsOptions {
  readonly review: WindowReview;
  readonly texts: TurnTexts;
}

export class UnsavedDeletions {
  readonly #options: UnsavedDeletionsOptions;
  readonly #paths = new Set<string>();

  constructor(options: UnsavedDeletionsOptions) {
    this.#options = options;
  }

  /** An agent deleted the file. What it deleted is the text on disk, not the text in the editor. */
  async begin(path: string): Promise<void> {
    const { review, texts } = this.#options;
    this.#paths.add(path);
    if (review.tracked.has(path)) return;
    const deleted = texts.differences.get(path)?.before ?? (await texts.startText(path));
    if (typeof deleted === "string") texts.last.set(path, deleted);
  }

  /** Whether the file is known to be deleted and still is, so that a change of its document is none of the file. */
  async isDeleted(path: string): Promise<boolean> {
    return this.#options.review.textOf(path) === null && (await changeTime(path)) === undefined;
  }

  /** The file exists again. The document has the text that it had before, with the changes that waited for review. */
  async end(path: string): Promise<void> {
    if (!this.#paths.delete(path)) return;
    const open = openTextOf(path);
    if (open?.dirty) await this.#options.review.editorUndoRedo(path, open.text);
  }
}
