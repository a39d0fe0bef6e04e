// Asks before an agent gets a large conversation again: with the next prompt of a restored session, the agent reads all of
// it, which can use many tokens. The window remembers for which sessions the user chose to resume.
import { asError } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { roundMoney } from "../base/money.ts";
import type { HeadPart } from "../panel/headParts.ts";
import type { ViewResumeQuestion } from "../panel/protocol.ts";
import { sessionFileName, type LogStorage } from "../session/log/sessionStore.ts";
import type { ResumptionGate } from "../session/sessionServices.ts";
import type { SessionState } from "../session/state.ts";
import type { AskedSessions } from "./attention.ts";
import type { OpenSessions } from "./openSessions.ts";
import { sumUsage, usageRows } from "./sessionUsage.ts";

/** Above one of these, a conversation is large. 0: no limit. */
export interface ResumeLimits {
  /** The tokens that the agent reported last. */
  readonly tokens: number;
  /** The size of the log. */
  readonly bytes: number;
}

/**
 * The question about a session in this state, with a log of this size. Undefined if the conversation is not large, or if
 * nothing is known about it.
 */
export function resumeQuestion(
  state: Pick<SessionState, "usage" | "spending">,
  bytes: number | undefined,
  limits: ResumeLimits,
): ViewResumeQuestion | undefined {
  const used = state.usage?.used;
  const tokens = used !== undefined && used > 0 ? used : undefined;
  const isAbove = (value: number | undefined, limit: number): boolean =>
    limit > 0 && value !== undefined && value > limit;
  if (!isAbove(tokens, limits.tokens) && !isAbove(bytes, limits.bytes)) return undefined;
  const counted = sumUsage(usageRows(state.spending.turns)).costs;
  const reported = state.usage?.cost;
  // The agent counts the cost of its own session, of which Parley may not have seen each turn.
  const costs =
    counted.length === 0 && reported && reported.amount > 0
      ? [{ amount: roundMoney(reported.amount), currency: reported.currency }]
      : counted;
  return {
    ...(tokens !== undefined && { tokens }),
    ...(bytes !== undefined && { bytes }),
    ...(costs.length > 0 && { costs }),
  };
}

export interface ResumeQuestionsOptions {
  readonly open: Pick<OpenSessions, "onDidChange">;
  readonly storage: Pick<LogStorage, "size">;
  readonly limits: () => ResumeLimits;
  readonly log: Log;
}

/** The open questions of the window, and the answers that it remembers. */
export class ResumeQuestions implements AskedSessions, Disposable {
  readonly #options: ResumeQuestionsOptions;
  readonly #asked = new Map<string, ViewResumeQuestion>();
  /** The sessions that the user chose to resume. */
  readonly #resumed = new Set<string>();
  readonly #changed = new Emitter<void>();
  /** Fires when a question is asked or ends. */
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #listener: Disposable;
  /** What panels show of the session. */
  readonly head: HeadPart<"resumeQuestion"> = {
    values: { resumeQuestion: session => (session && this.#asked.get(session.id)) ?? null },
    onDidChange: this.onDidChange,
  };

  constructor(options: ResumeQuestionsOptions) {
    this.#options = options;
    this.#listener = options.open.onDidChange(change => {
      if (change.type === "closed") this.withdraw(change.session.id);
    });
  }

  /** The gate of a session that is opened from its log. */
  gateOf(id: string): ResumptionGate {
    return {
      mayContinue: async state => {
        const question = this.#resumed.has(id) ? undefined : await this.#question(id, state);
        if (!question) {
          this.withdraw(id);
          return true;
        }
        this.#asked.set(id, question);
        this.#changed.fire();
        return false;
      },
    };
  }

  async #question(id: string, state: SessionState): Promise<ViewResumeQuestion | undefined> {
    const { storage, limits, log } = this.#options;
    const size = storage.size(sessionFileName(id)).catch((error: unknown) => {
      log.warn("The size of a session log is not known.", asError(error).message);
      return undefined;
    });
    return resumeQuestion(state, await size, limits());
  }

  /** Whether the session waits for the user's answer. */
  isAsking(id: string): boolean {
    return this.#asked.has(id);
  }

  /** The user chose to resume the session, in this window for good. */
  allow(id: string): void {
    this.#resumed.add(id);
    this.withdraw(id);
  }

  /** Removes the question, if there is one. The next prompt asks again. */
  withdraw(id: string): void {
    if (this.#asked.delete(id)) this.#changed.fire();
  }

  dispose(): void {
    this.#listener.dispose();
    this.#changed.dispose();
  }
}
