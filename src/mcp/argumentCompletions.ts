// Completes arguments while the user types: only the latest request is sent, after a pause.
import type { Clock } from "../base/log.ts";
import type { FormValue } from "../session/forms/form.ts";
import type { ArgumentCompleter } from "./promptQuestions.ts";
import { textValues } from "./promptForm.ts";

/** The pause in typing before the server is asked (ms). */
export const completionDelay = 150;

/** Debounces the requests of all fields together, because the user types in one. */
export class ArgumentCompletions {
  readonly #clock: Pick<Clock, "after">;
  #latest: AbortController | undefined;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The values, or undefined if a later request has replaced this one. */
  async complete(
    complete: ArgumentCompleter,
    field: string,
    typed: string,
    others: readonly { readonly field: string; readonly value: FormValue }[],
  ): Promise<readonly string[] | undefined> {
    this.#latest?.abort(new Error("A later request replaces it."));
    const request = new AbortController();
    this.#latest = request;
    await new Promise<void>(resolve => {
      const timer = this.#clock.after(completionDelay, resolve);
      request.signal.addEventListener("abort", () => {
        timer.dispose();
        resolve();
      });
    });
    if (request.signal.aborted) return undefined;
    const values = textValues(others.map(each => [each.field, each.value] as const));
    try {
      const found = await complete(field, { ...values, [field]: typed }, request.signal);
      return this.#latest === request ? found : undefined;
    } catch (error) {
      if (request.signal.aborted) return undefined;
      throw error;
    }
  }
}
