// Reports of changes that the review noticed before, without a text before them. The reports provide that text.
import type { WindowReview } from "../windowReview.ts";
import type { TurnTexts } from "./turnTexts.ts";

export interface LateReportsOptions {
  readonly review: WindowReview;
  readonly texts: TurnTexts;
  /** The turn of the last change of a file. */
  readonly turnOf: (path: string) => Promise<string>;
}

export class LateReports {
  readonly #options: LateReportsOptions;
  /** The turns of the last changes of files whose text before is unknown. */
  readonly #withoutBase = new Map<string, string>();

  constructor(options: LateReportsOptions) {
    this.#options = options;
  }

  /** The review noticed a change of the turn without a text before it. */
  noticed(path: string, turn: string): void {
    this.#withoutBase.set(path, turn);
  }

  /** Uses a report of the file that came later. Returns whether there is one. */
  async use(path: string, text: string | null): Promise<boolean> {
    const { review, texts, turnOf } = this.#options;
    const file = review.file(path);
    if (file?.unknown === undefined || file.canUndo) return false;
    const base = texts.reports.before(path, text);
    if (base === undefined) return false;
    const noticedIn = file.changes.text === text ? this.#withoutBase.get(path) : undefined;
    await review.agentChanged(path, base, text, noticedIn ?? (await turnOf(path)));
    this.#withoutBase.delete(path);
    return true;
  }
}
