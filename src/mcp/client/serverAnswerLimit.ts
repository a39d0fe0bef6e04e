// The time limit for answers of a server. It does not run while the user fills in a form that the server has sent.
import { t } from "../../base/l10n.ts";

/** The client's own limit must not end a request: it would count the user's time. The longest time of a timer (ms). */
const noLimit = 2 ** 31 - 1;

/** A request was not answered in time. */
export class AnswerTimeout extends Error {
  override name = "AnswerTimeout";
  constructor() {
    super(t("The server did not answer in time."));
  }
}

export class ServerAnswerLimit {
  readonly #ms: number;
  #openForms = 0;
  #lastForm = 0;

  /** `ms` is the limit in milliseconds. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Runs the request. After the limit, aborts its signal and rejects with an AnswerTimeout. */
  async apply<T>(
    signal: AbortSignal,
    request: (options: { readonly signal: AbortSignal; readonly timeout: number }) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController();
    const start = Date.now();
    let timer: NodeJS.Timeout | undefined;
    const check = (): void => {
      const since = this.#openForms > 0 ? Date.now() : Math.max(start, this.#lastForm);
      const left = since + this.#ms - Date.now();
      if (left <= 0) late.abort(new AnswerTimeout());
      else timer = setTimeout(check, left);
    };
    check();
    try {
      return await request({ signal: AbortSignal.any([signal, late.signal]), timeout: noLimit });
    } catch (error) {
      throw late.signal.aborted ? new AnswerTimeout() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Asks the user. No limit runs meanwhile. */
  async whileAsking<T>(ask: () => Promise<T>): Promise<T> {
    this.#openForms++;
    try {
      return await ask();
    } finally {
      this.#openForms--;
      this.#lastForm = Date.now();
    }
  }
}
