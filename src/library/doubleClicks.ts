// Recognizes double clicks. VS Code reports only single clicks on the rows of a list.
import type { Clock } from "../base/log.ts";

/** Two clicks on one row within this time are a double click. Milliseconds. */
export const maxDoubleClickTime = 500;

export class DoubleClicks {
  readonly #clock: Pick<Clock, "now">;
  #last: { readonly id: string; readonly at: number } | undefined;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Notes a click. True if it is the second one. */
  isSecond(id: string): boolean {
    const at = this.#clock.now();
    const last = this.#last;
    const isSecond = last?.id === id && at - last.at <= maxDoubleClickTime;
    this.#last = isSecond ? undefined : { id, at };
    return isSecond;
  }
}
