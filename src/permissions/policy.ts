// One session's standing policy: the user's rules and the list of sensitive files, applied to questions.
import type { PermissionQuestion } from "../session/agent.ts";
import { questionFacts, type FactsContext } from "./questionFacts.ts";
import type { Standing } from "./permissionBroker.ts";
import { answerFor, decide, ruleFor, type QuestionFacts, type RuleSet, type Verdict } from "./rules.ts";
import { looksSensitive, secretsAt } from "./sensitiveFiles.ts";

export interface PolicyOptions {
  readonly rules: () => RuleSet;
  /** Globs of files that look like secrets, beside the built-in ones. */
  readonly sensitive: () => readonly string[];
  readonly context: () => FactsContext;
}

export interface Judgement {
  readonly facts: QuestionFacts;
  readonly verdict: Verdict;
}

export class PermissionPolicy {
  readonly #options: PolicyOptions;

  constructor(options: PolicyOptions) {
    this.#options = options;
  }

  /** Whether there are no rules at all. */
  get isEmpty(): boolean {
    return this.#options.rules().rules.length === 0;
  }

  isSensitive(path: string): boolean {
    return looksSensitive(path, this.#options.sensitive(), this.#options.context().place);
  }

  /** What the rules say to a question, and what they saw in it. Never rejects. */
  async judge(question: PermissionQuestion): Promise<Judgement> {
    const facts = await questionFacts(question, this.#options.context());
    const all = { ...facts, isSensitive: secretsAt(this.#options.sensitive(), facts.place) };
    return { facts: all, verdict: decide(this.#options.rules(), all) };
  }

  /** What the broker does about a question before the user sees it. */
  async standing(question: PermissionQuestion): Promise<Standing> {
    const { facts, verdict } = await this.judge(question);
    const decision = answerFor(verdict, question.options);
    if (decision) return { decision };
    const hasReason = verdict.rule !== undefined || this.#options.rules().problems.some(problem => problem.guards);
    return {
      ...(hasReason && { reason: verdict.reason }),
      ...(ruleFor(facts) !== undefined && { always: true }),
    };
  }
}
