// The lists of permission rules as they are stored, with the changes that the page of rules makes, and how to undo them.
// Pure. Stored lists may contain anything: what is not a rule is kept until the user changes or deletes it.
import { jsonEqual } from "../base/jsonEqual.ts";
import { ruleTexts, type RuleFields, type RuleRow, type RuleScope } from "../panel/rulesPage.ts";
import { ruleOutline } from "./ruleProblems.ts";
import { describeRule, readRules, type Rule } from "./rules.ts";

/** A change of one rule. Without `before` it adds one, and without `after` it deletes one. */
export interface RuleChange {
  readonly scope: RuleScope;
  /** The place in the list, as far as it is still the same. */
  readonly index: number;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The list with a change. Undefined: it doesn't contain the rule that the change is about. */
export function changedList(
  list: readonly unknown[],
  { index, before, after }: RuleChange,
): readonly unknown[] | undefined {
  const added = after === undefined ? [] : [after];
  if (before === undefined) return list.toSpliced(Math.min(index, list.length), 0, ...added);
  const places = list.flatMap((value, at) => (jsonEqual(value, before) ? [at] : []));
  // Of equal rules, the one that is nearest to where it was.
  const [at] = places.sort((a, b) => Math.abs(a - index) - Math.abs(b - index));
  return at === undefined ? undefined : list.toSpliced(at, 1, ...added);
}

/** The change that undoes a change. */
export function undoOf({ scope, index, before, after }: RuleChange): RuleChange {
  return {
    ...{ scope, index },
    ...(after !== undefined && { before: after }),
    ...(before !== undefined && { after: before }),
  };
}

/** The rows of a stored list. `problemText` changes the sentence about a rule. */
export function rowsOf(
  scope: RuleScope,
  stored: unknown,
  problemText: (message: string) => string = message => message,
): readonly RuleRow[] {
  const { problems } = readRules(stored);
  if (!Array.isArray(stored)) {
    return problems.map(({ message }) => {
      return { id: rowId(scope, stored, 0), scope, fields: noFields, name: message, problem: problemText(message) };
    });
  }
  const list = stored as readonly unknown[];
  return list.map((value, index) => {
    const problem = problems.find(one => one.index === index)?.message;
    const name =
      problem === undefined ? describeRule(value as Rule) : ruleOutline(value).trim() || JSON.stringify(value);
    return {
      id: rowId(scope, value, list.slice(0, index).filter(other => jsonEqual(other, value)).length),
      ...{ scope, name, fields: fieldsOf(value) },
      ...(problem !== undefined && { problem: problemText(problem) }),
    };
  });
}

/** `earlier`: the number of equal rules before it. */
const rowId = (scope: RuleScope, value: unknown, earlier: number): string =>
  `${scope} ${earlier} ${JSON.stringify(value)}`;

const noFields: RuleFields = { effect: "", command: [], path: [], domain: [], kind: [], agent: [] };

/** The fields of a stored value, as far as it has them. */
export function fieldsOf(value: unknown): RuleFields {
  if (typeof value !== "object" || value === null) return noFields;
  const stored = value as Readonly<Record<string, unknown>>;
  const texts = (field: string): readonly string[] => [stored[field]].flat().filter(text => typeof text === "string");
  const { effect } = stored;
  return {
    effect: typeof effect === "string" ? effect : "",
    ...{ command: texts("command"), path: texts("path"), domain: texts("domain") },
    ...{ kind: texts("kind"), agent: texts("agent") },
  };
}

/** The value to store for the fields of a form. Blank lines don't count, nor do blanks around a value. */
export function valueOf(fields: RuleFields): Readonly<Record<string, string | readonly string[]>> {
  const value: Record<string, string | readonly string[]> = { effect: fields.effect };
  for (const name of ruleTexts) {
    const texts = fields[name].map(text => text.trim()).filter(text => text !== "");
    const [first] = texts;
    if (first !== undefined) value[name] = texts.length === 1 ? first : texts;
  }
  return value;
}
