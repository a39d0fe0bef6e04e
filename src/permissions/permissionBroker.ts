// The open questions of a session. The state has the record and only this map has the promise, so that the model can be
// replayed. Invariant: every question is answered exactly once, by the first answer.
import { randomUUID } from "node:crypto";
import { Sequencer, untilAborted, withTimeout } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Disposable } from "../base/lifecycle.ts";
import type { AgentClient, PermissionQuestion } from "../session/agent.ts";
import type { QuestionAnswer, SessionEvent } from "../session/events.ts";

/** An answer that was given for the user, and its source. */
export interface PolicyAnswer {
  readonly option: string;
  /** Shown in the transcript: "Allowed by …". */
  readonly by: string;
}

/** The decision of a policy about a question. */
export interface PolicyDecision {
  /** The answer. Absent: the user is asked. An answer with an option that is not offered is ignored. */
  readonly decision?: PolicyAnswer;
  /** The reason, as a sentence, why the user is asked. */
  readonly reason?: string;
  /** The user's answer can be made a rule. */
  readonly always?: true;
  /** The question is an edit that the user can allow with all edits of the session. */
  readonly edits?: true;
}

/** A question that was answered. */
export interface AnsweredQuestion {
  readonly question: PermissionQuestion;
  readonly answer: QuestionAnswer;
  /** The rule that answered. Absent: the user answered, or it was `cancelled`. */
  readonly by?: string;
}

export interface PermissionBrokerOptions {
  /** Receives `askOpened` and `askClosed`. */
  readonly report: (event: SessionEvent) => void;
  /** The policy. If it fails, the user is asked. */
  readonly decide?: (question: PermissionQuestion) => Promise<PolicyDecision>;
  /** Called for each answer, for the permission log. */
  readonly onAnswered?: (decided: AnsweredQuestion) => void;
  readonly newId?: () => string;
}

interface OpenQuestion {
  readonly question: PermissionQuestion;
  readonly settle: (answer: QuestionAnswer) => void;
}

const policyFailure = (error: unknown): PolicyDecision => ({
  reason: t("The permission rules could not be applied: {0}", asError(error).message),
});

/**
 * The time limit of the rules for one question, in ms. A file system that does not respond must not block other
 * questions.
 */
const policyTimeout = 10_000;

function policyTookTooLong(): never {
  throw new Error("it took too long");
}

/** Asks the user, oldest question first, and settles every promise it returns. */
export class PermissionBroker implements Disposable, Pick<AgentClient, "requestPermission"> {
  readonly #options: PermissionBrokerOptions;
  readonly #open = new Map<string, OpenQuestion>();
  /** Questions that the policy is evaluating. */
  readonly #deciding = new Map<AbortController, PermissionQuestion>();
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

  /** Resolves with the answer, or with `cancelled` once the signal aborts or if it is aborted already. */
  async requestPermission(question: PermissionQuestion, signal: AbortSignal): Promise<QuestionAnswer> {
    if (this.#disposed || signal.aborted) return "cancelled";
    const { decide } = this.#options;
    if (!decide) return this.#answerOrAskUser(question, signal, {});
    const cancelled = new AbortController();
    this.#deciding.set(cancelled, question);
    // One after the other: the questions stay in the order they came.
    const policyDecision = this.#decisions
      .queue(() => withTimeout(decide(question), policyTimeout, policyTookTooLong))
      .catch(policyFailure);
    const known = await untilAborted(policyDecision, [signal, cancelled.signal], () => undefined);
    this.#deciding.delete(cancelled);
    if (this.#disposed || signal.aborted) return "cancelled";
    if (known === undefined || cancelled.signal.aborted) {
      // A single event, so that the question never appears as open.
      this.#options.report({ ...questionEvent(this.#newId(), question), answer: "cancelled" });
      return "cancelled";
    }
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
      // Opened before it is reported, because a listener may answer immediately.
      this.#open.set(questionId, { question, settle });
      signal.addEventListener("abort", abort, { once: true });
      const { reason, always, edits } = policyDecision;
      this.#options.report({
        ...questionEvent(questionId, question),
        ...(reason !== undefined && { reason }),
        ...(always && { always }),
        ...(edits && { edits }),
      });
    });
  }

  /** Reports a question that a rule answered. It is a single event, so that the question never appears as open. */
  record(question: PermissionQuestion, decision: PolicyAnswer): void {
    if (this.#disposed) return;
    const answer = { option: decision.option };
    this.#options.report({ ...questionEvent(this.#newId(), question), answer, by: decision.by });
    this.#options.onAnswered?.({ question, answer, by: decision.by });
  }

  #newId(): string {
    return this.#options.newId?.() ?? `ask_${randomUUID()}`;
  }

  /** Answers with one of the offered options. Any other option and any second answer are ignored. */
  answer(questionId: string, option: string): void {
    if (this.#offers(questionId, option)) this.#close(questionId, { option });
  }

  /** Answers one question with `cancelled`, because its request was cancelled. */
  cancel(questionId: string): void {
    this.#close(questionId, "cancelled");
  }

  /**
   * Answers the open questions with `cancelled`, because the turn was stopped or the agent is gone. With `fits`, only those
   * about which it returns true. A question that the policy is evaluating has no id yet.
   */
  cancelAll(fits: (question: PermissionQuestion, ask?: string) => boolean = () => true): void {
    for (const [one, question] of this.#deciding) if (fits(question)) one.abort();
    for (const [ask, { question }] of [...this.#open]) if (fits(question, ask)) this.#close(ask, "cancelled");
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

/** The question as an event, without the fields that only rules use. */
function questionEvent(questionId: string, question: PermissionQuestion): Extract<SessionEvent, { type: "askOpened" }> {
  const { title, description, toolCallId, options, subject } = question;
  return {
    type: "askOpened",
    ask: questionId,
    title,
    ...(description !== undefined && { description }),
    ...(toolCallId !== undefined && { toolCallId }),
    options,
    ...(subject && { subject }),
  };
}
