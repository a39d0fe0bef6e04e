// The questions that were closed because the agent is gone, not because anyone answered or withdrew them.
import { Refusal } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";

/** Counts these questions of a session. */
export class LostQuestions {
  #count = 0;

  /** The same answer. `signal` aborts with a Refusal if the agent withdraws the question, and otherwise if it is gone. */
  async watch<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const gone = (): void => {
      if (!(signal.reason instanceof Refusal)) this.#count++;
    };
    // Before the listener that closes the question.
    signal.addEventListener("abort", gone, { once: true });
    try {
      return await ask();
    } finally {
      signal.removeEventListener("abort", gone);
    }
  }

  /**
   * What became of the questions since the last call, as a sentence. Undefined if there were none. `open`: how many are still
   * open, although the agent is gone.
   */
  take(agentName: string, open: number): string | undefined {
    const count = this.#count + open;
    this.#count = 0;
    if (count === 0) return undefined;
    return count === 1
      ? t(
          "The question is closed, because the connection was lost. {0} asks again if it still needs an answer.",
          agentName,
        )
      : t(
          "{0} questions are closed, because the connection was lost. {1} asks again if it still needs answers.",
          count,
          agentName,
        );
  }
}
