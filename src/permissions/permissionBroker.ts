// A session's open questions. The state keeps the record; only this map keeps the promise, so the model stays
// replayable. Invariant: every question is answered exactly once, whoever comes first.
import { randomUUID } from "node:crypto";
import { Sequencer, untilAborted, withTimeout } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { AgentClient, PermissionQuestion } from "../session/agent.ts";
import type { QuestionAnswer, SessionEvent } from "../session/events.ts";

/** What answered a question in the user's place, and in whose name. */
export interface PolicyAnswer {
  readonly option: string;
  /** Shown in the transcript: "Allowed by …". */
  readonly by: string;
}

/** What a standing policy says to a question. */
export interface PolicyDecision {
  /** The answer. Absent: the user is asked. One for an option that is not offered is ignored. */
  readonly decision?: PolicyAnswer;
  /** Why the user is asked all the same, as a sentence. */
  readonly reason?: string;
  /** A rule can be made of the user's answer. */
  readonly always?: true;
}

/** A question that was answered. */
export interface AnsweredQuestion {
  readonly question: PermissionQuestion;
  readonly answer: QuestionAnswer;
  /** The rule that answered. Absent: the user, or nobody when `cancelled`. */
  readonly by?: string;
}

export interface PermissionBrokerOptions {
  /** Receives `askOpened` and `askClosed`. */
  readonly report: (event: SessionEvent) => void;
  /** A standing policy. When it fails the user is asked. */
  readonly decide?: (question: PermissionQuestion) => Promise<PolicyDecision>;
  /** Told of each answer that was given: what an audit log keeps. */
  readonly onAnswered?: (decided: AnsweredQuestion) => void;
  readonly newId?: () => string;
}

interface OpenQuestion {
  readonly question: PermissionQuestion;
  readonly settle: (answer: QuestionAnswer) => void;
}

const policyFailure = (error: unknown): PolicyDecision => ({
  reason: `The permission rules could not be applied: ${asError(error).message}`,
});

/** How long rules may take over one question: a file system that does not answer must not hold up the others. Ms. */
const policyTimeout = 10_000;

function policyTookTooLong(): never {
  throw new Error("it took too long");
}

/** Asks the user, oldest question first, and settles every promise it hands out. */
export class PermissionBroker implements Disposable, Pick<AgentClient, "requestPermission"> {
  readonly #options: PermissionBrokerOptions;
  readonly #open = new Map<string, OpenQuestion>();
  /** Questions that the policy is at. */
  readonly #deciding = new Set<AbortController>();
  readonly #decisions = new Sequencer();
  #disposed = false;

  constructor(options: PermissionBrokerOptions) {
    this.#options = options;
  }

  /** The ids of the open questions, oldest first. */
  get openQuestionIds(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** An open question as it was asked. */
  question(questionId: string): PermissionQuestion | undefined {
    return this.#open.get(questionId)?.question;
  }

  /** Resolves with the answer, or with `cancelled` once the signal aborts, also when it already has. */
  async requestPermission(question: PermissionQuestion, signal: AbortSignal): Promise<QuestionAnswer> {
    if (this.#disposed || signal.aborted) return "cancelled";
    const { decide } = this.#options;
    if (!decide) return this.#answerOrAskUser(question, signal, {});
    const cancelled = new AbortController();
    this.#deciding.add(cancelled);
    // One after the other: the questions stay in the order they came.
    const policyDecision = this.#decisions
      .queue(() => withTimeout(decide(question), policyTimeout, policyTookTooLong))
      .catch(policyFailure);
    const known = await untilAborted(policyDecision, [signal, cancelled.signal], () => undefined);
    this.#deciding.delete(cancelled);
    if (known === undefined || this.#disposed || signal.aborted || cancelled.signal.aborted) return "cancelled";
    return this.#answerOrAskUser(question, signal, known);
  }

  #answerOrAskUser(
    question: PermissionQuestion,
    signal: AbortSignal,
    policyDecision: PolicyDecision,
  ): Promise<QuestionAnswer> {
    const { decision } = policyDecision;
    if (decision && question.options.some(({ id }) => id === decision.option)) {
      this.record(question, decision);
      return Promise.resolve({ option: decision.option });
    }
    return new Promise(resolve => {
      const questionId = this.#newId();
      const abort = (): void => this.#close(questionId, "cancelled");
      const settle = (answer: QuestionAnswer): void => {
        signal.removeEventListener("abort", abort);
        resolve(answer);
      };
      // Open before it is reported: whoever hears of it may answer at once.
      this.#open.set(questionId, { question, settle });
      signal.addEventListener("abort", abort, { once: true });
      const { reason, always } = policyDecision;
      this.#options.report({
        ...questionEvent(questionId, question),
        ...(reason !== undefined && { reason }),
        ...(always && { always }),
      });
    });
  }

  /** Reports a question that a rule answered. In one event, so that it is never seen open. */
  record(question: PermissionQuestion, decision: PolicyAnswer): void {
    if (this.#disposed) return;
    const answer = { option: decision.option };
    this.#options.report({ ...questionEvent(this.#newId(), question), answer, by: decision.by });
    this.#options.onAnswered?.({ question, answer, by: decision.by });
  }

  #newId(): string {
    return this.#options.newId?.() ?? `ask_${randomUUID()}`;
  }

  /** Answers with one of the offered options. Anything else, and a second answer, changes nothing. */
  answer(questionId: string, option: string): void {
    if (this.#offers(questionId, option)) this.#close(questionId, { option });
  }

  /** Answers `cancelled` to one question: its request was called back. */
  cancel(questionId: string): void {
    this.#close(questionId, "cancelled");
  }

  /** Answers `cancelled` to every open question: the turn was stopped, or the agent is gone. */
  cancelAll(): void {
    for (const one of this.#deciding) one.abort();
    for (const ask of this.openQuestionIds) this.#close(ask, "cancelled");
  }

  dispose(): void {
    this.#disposed = true;
    this.cancelAll();
  }

  #offers(questionId: string, option: string): boolean {
    return this.#open.get(questionId)?.question.options.some(offered => offered.id === option) ?? false;
  }

  #close(questionId: string, answer: QuestionAnswer): void {
    const open = this.#open.get(questionId);
    if (!open) return;
    this.#open.delete(questionId);
    try {
      this.#options.report({ type: "askClosed", ask: questionId, answer });
    } finally {
      open.settle(answer);
    }
    this.#options.onAnswered?.({ question: open.question, answer });
  }
}

/** The question as an event; what only rules look at stays out of it. */
function questionEvent(questionId: string, question: PermissionQuestion): Extract<SessionEvent, { type: "askOpened" }> {
  const { title, toolCallId, options, subject } = question;
  return {
    type: "askOpened",
    ask: questionId,
    title,
    ...(toolCallId !== undefined && { toolCallId }),
    options,
    ...(subject && { subject }),
  };
}
