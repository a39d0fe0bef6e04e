// Checks texts against the regular expressions that an agent set for the fields of a form. The expressions are hostile.
import { runWithTimeLimit } from "../find/findTimeLimit.ts";

/** The time limit for the patterns of a form together, in ms. The extension host is blocked for it. */
const maxFormTime = 100;
/** The time limit of one pattern, in ms, so that one does not take the time of all others. */
const maxMatchTime = 50;
/** In characters. Nothing stops the engine while it translates a pattern: 10,000 characters can take a second. */
const maxPatternLength = 1000;

/** Runs `work` for at most `ms` milliseconds. */
export type LimitedRun = (ms: number, work: () => void) => { readonly isDone: boolean };

/** The patterns of one form that is being sent. They share a time limit. */
export class PatternChecker {
  readonly #run: LimitedRun;
  readonly #now: () => number;
  #timeLeft = maxFormTime;

  constructor(run: LimitedRun = runWithTimeLimit, now: () => number = () => performance.now()) {
    this.#run = run;
    this.#now = now;
  }

  /**
   * Whether the text matches the pattern anywhere, as in JSON Schema. `unknown`: the pattern is no regular expression or
   * too long, it did not finish in 50 ms, or the patterns before it took 100 ms.
   */
  match(pattern: string, text: string): "matches" | "differs" | "unknown" {
    if (this.#timeLeft <= 0 || pattern.length > maxPatternLength) return "unknown";
    const began = this.#now();
    let isMatch = false;
    try {
      const { isDone } = this.#run(Math.min(maxMatchTime, Math.ceil(this.#timeLeft)), () => {
        isMatch = new RegExp(pattern, "u").test(text);
      });
      if (!isDone) return "unknown";
    } catch {
      return "unknown"; // Not a regular expression.
    } finally {
      this.#timeLeft -= this.#now() - began;
    }
    return isMatch ? "matches" : "differs";
  }
}
