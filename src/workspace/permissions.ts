// A session's open questions. The state keeps the record; only this map keeps the promise, so the model stays
// replayable. Invariant: every question is answered exactly once, whoever comes first.
import { randomUUID } from "node:crypto";
import type { Disposable } from "../base/lifecycle.ts";
import type { AgentClient, PermissionQuestion } from "../session/agent.ts";
import type { AskAnswer, SessionEvent } from "../session/events.ts";

/** What answered a question in the user's place, and in whose name. */
export interface Decision {
  readonly option: string;
  /** Shown in the transcript: "Allowed by …". */
  readonly by: string;
}

export interface BrokerOptions {
  /** Receives `askOpened` and `askClosed`. */
  readonly report: (event: SessionEvent) => void;
  /** A standing policy. Undefined: the user is asked. A decision for an option that is not offered is ignored. */
  readonly decide?: (question: PermissionQuestion) => Decision | undefined;
  readonly newId?: () => string;
}

interface OpenQuestion {
  readonly question: PermissionQuestion;
  readonly settle: (answer: AskAnswer) => void;
}

/** Asks the user, oldest question first, and settles every promise it hands out. */
export class PermissionBroker implements Disposable, Pick<AgentClient, "requestPermission"> {
  readonly #options: BrokerOptions;
  readonly #open = new Map<string, OpenQuestion>();
  #disposed = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  /** The ids of the open questions, oldest first. */
  get openAsks(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** Resolves with the answer, or with `cancelled` once the signal aborts, also when it already has. */
  async requestPermission(question: PermissionQuestion, signal: AbortSignal): Promise<AskAnswer> {
    if (this.#disposed || signal.aborted) return "cancelled";
    const ask = this.#options.newId?.() ?? `ask_${randomUUID()}`;
    const decision = this.#options.decide?.(question);
    return new Promise(resolve => {
      const abort = (): void => this.#close(ask, "cancelled");
      const settle = (answer: AskAnswer): void => {
        signal.removeEventListener("abort", abort);
        resolve(answer);
      };
      // Open before it is reported: whoever hears of it may answer at once.
      this.#open.set(ask, { question, settle });
      signal.addEventListener("abort", abort, { once: true });
      this.#options.report({ type: "askOpened", ask, ...question });
      if (decision && this.#offers(ask, decision.option)) this.#close(ask, { option: decision.option }, decision.by);
    });
  }

  /** Answers with one of the offered options. Anything else, and a second answer, changes nothing. */
  answer(ask: string, option: string): void {
    if (this.#offers(ask, option)) this.#close(ask, { option });
  }

  /** Answers `cancelled` to one question: its request was called back. */
  cancel(ask: string): void {
    this.#close(ask, "cancelled");
  }

  /** Answers `cancelled` to every open question: the turn was stopped, or the agent is gone. */
  cancelAll(): void {
    for (const ask of this.openAsks) this.#close(ask, "cancelled");
  }

  dispose(): void {
    this.#disposed = true;
    this.cancelAll();
  }

  #offers(ask: string, option: string): boolean {
    return this.#open.get(ask)?.question.options.some(offered => offered.id === option) ?? false;
  }

  #close(ask: string, answer: AskAnswer, by?: string): void {
    const open = this.#open.get(ask);
    if (!open) return;
    this.#open.delete(ask);
    try {
      this.#options.report({ type: "askClosed", ask, answer, ...(by !== undefined && { by }) });
    } finally {
      open.settle(answer);
    }
  }
}
