// Ends background work when the agent is quiet, because version 1 of the protocol has no message for its end.
import type { Disposable } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import type { SessionState } from "../state.ts";
import { isBackgroundOpen } from "./background.ts";

/** Background work without an open call or question ends after this time without anything new. Milliseconds. */
const quietTime = 3000;

export class QuietTimer implements Disposable {
  readonly #clock: Clock;
  readonly #onQuiet: () => void;
  #timer: Disposable | undefined;
  #lastChange = 0;

  constructor(clock: Clock, onQuiet: () => void) {
    this.#clock = clock;
    this.#onQuiet = onQuiet;
  }

  /** Call this after each change of the state. */
  stateChanged(state: SessionState): void {
    if (state.background === null || isBackgroundOpen(state)) return this.dispose();
    this.#lastChange = this.#clock.now();
    this.#timer ??= this.#clock.after(quietTime, () => this.#check());
  }

  /** Every chunk of text is a change, so the timer is not replaced for each of them. */
  #check(): void {
    const rest = this.#lastChange + quietTime - this.#clock.now();
    this.#timer = rest > 0 ? this.#clock.after(Math.min(rest, quietTime), () => this.#check()) : undefined;
    if (rest <= 0) this.#onQuiet();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }
}
