// The policy of one session: applies the user's rules and the list of sensitive files to questions.
import type { PermissionQuestion } from "../session/agent.ts";
import { questionFacts, type FactsContext } from "./questionFacts.ts";
import type { PolicyDecision } from "./permissionBroker.ts";
import {
  answerFromVerdict,
  evaluateRules,
  narrowestRule,
  type QuestionFacts,
  type RuleSet,
  type Verdict,
} from "./rules.ts";
import { looksSensitive, secretMatcher } from "./sensitiveFiles.ts";

export interface PermissionPolicyOptions {
  readonly rules: () => RuleSet;
  /** Globs of files that look like secrets, in addition to the built-in ones. */
  readonly sensitive: () => readonly string[];
  readonly context: () => FactsContext;
}

export interface RuleResult {
  readonly facts: QuestionFacts;
  readonly verdict: Verdict;
}

export class PermissionPolicy {
  readonly #options: PermissionPolicyOptions;

  constructor(options: PermissionPolicyOptions) {
    this.#options = options;
  }

  /** Whether there are no rules. */
  get isEmpty(): boolean {
    return this.#options.rules().rules.length === 0;
  }

  isSensitive(path: string): boolean {
    return looksSensitive(path, this.#options.sensitive(), this.#options.context().place);
  }

  /** Evaluates the rules for a question. Returns the verdict and the facts. Never rejects. */
  async evaluate(question: PermissionQuestion): Promise<RuleResult> {
    const facts = await questionFacts(question, this.#options.context());
    const all = { ...facts, isSensitive: secretMatcher(this.#options.sensitive(), facts.place) };
    return { facts: all, verdict: evaluateRules(this.#options.rules(), all) };
  }

  /** Decides about a question before the user sees it. */
  async decide(question: PermissionQuestion): Promise<PolicyDecision> {
    const { facts, verdict } = await this.evaluate(question);
    const decision = answerFromVerdict(verdict, question.options);
    if (decision) return { decision };
    const hasReason = verdict.rule !== undefined || this.#options.rules().problems.some(problem => problem.blocksAllow);
    return {
      ...(hasReason && { reason: verdict.reason }),
      ...(narrowestRule(facts) !== undefined && { always: true }),
    };
  }
}
