// Tests the rules with a request that the user types: which rule decides, and why. Nothing is run.
import { t } from "../base/l10n.ts";
import type { TestedRequest, TestResult } from "../panel/rulesPage.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import { whyNotAllowed } from "./nearMiss.ts";
import type { RuleResult } from "./policy.ts";
import { shortQuote } from "../base/text.ts";
import type { Rule, RuleSet } from "./rules.ts";

/** A request in words of the user. */
export interface TypedRequest {
  readonly tested: TestedRequest;
  readonly text: string;
}

/** The number of agents that rules name and that are tested. */
const maxAgents = 20;

/** What a session asks when the agent requests this. A string is a sentence: the text is no such request. */
export function questionFor({ tested, text }: TypedRequest, home: string): PermissionQuestion | string {
  const typed = text.trim();
  if (typed === "") return tested === "command" ? t("Type a command line.") : t("Type what the agent asks for.");
  const question = { title: "", options: [] };
  switch (tested) {
    case "command":
      return { ...question, tool: { kind: "execute", rawInput: { command: text } } };
    case "read":
    case "edit": {
      const path = typed.replace(/^~(?=[\\/])/, home);
      return { ...question, tool: { kind: tested, rawInput: { path } } };
    }
    case "fetch":
      if (!URL.canParse(typed)) return t("Type a whole address, such as “https://example.com”.");
      return { ...question, tool: { kind: "fetch", rawInput: { url: typed } } };
    default:
      return tested satisfies never;
  }
}

/**
 * How the rules answer a question, for each of the agents that they distinguish. `evaluate` applies the rules as in a
 * session of this agent; no agent has an empty id. `rowOf` finds the row of a rule.
 */
export async function testRules(
  question: PermissionQuestion,
  set: RuleSet,
  evaluate: (question: PermissionQuestion, agent: string) => Promise<RuleResult>,
  rowOf: (rule: Rule) => string | undefined,
): Promise<readonly TestResult[]> {
  const resultFor = async (agent: string): Promise<TestResult> => {
    const { facts, verdict } = await evaluate(question, agent);
    const why = verdict.rule ? verdict.reason : (whyNotAllowed(set, facts) ?? verdict.reason);
    const row = verdict.rule && rowOf(verdict.rule);
    return { effect: verdict.effect, text: verdictText(verdict.effect, why), ...(row !== undefined && { row }) };
  };
  const named = [...new Set(set.rules.flatMap(({ agent }) => agent ?? []))].slice(0, maxAgents);
  const others = await resultFor("");
  const own: TestResult[] = [];
  for (const agent of named) {
    const result = await resultFor(agent);
    if (result.effect !== others.effect || result.text !== others.text)
      own.push({ ...result, agents: t("Agent {0}", shortQuote(agent)) });
  }
  return own.length === 0 ? [others] : [...own, { ...others, agents: t("Other agents") }];
}

function verdictText(effect: TestResult["effect"], reason: string): string {
  if (effect === "allow") return t("You are not asked. {0}", reason);
  return effect === "deny" ? t("Parley denies the request. {0}", reason) : t("You are asked. {0}", reason);
}
