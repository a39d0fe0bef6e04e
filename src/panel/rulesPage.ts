// The boundary between the page of permission rules, an editor tab, and the extension host.
import {
  isListOf,
  isMessageOf,
  isNonNegativeInteger,
  isOneOf,
  isRecordOf,
  isString,
  optional,
  type Fields,
  type MessageOf,
} from "../base/validators.ts";

/** The lists of rules: the user settings, and the answers in this workspace. */
export const ruleScopes = ["user", "workspace"] as const;
export type RuleScope = (typeof ruleScopes)[number];

/** The conditions of a rule as a form has them: one value per line. */
export const ruleTexts = ["command", "path", "domain", "kind", "agent"] as const;

/** The fields of a rule as a form has them. */
export interface RuleFields {
  readonly effect: string;
  readonly command: readonly string[];
  readonly path: readonly string[];
  readonly domain: readonly string[];
  readonly kind: readonly string[];
  readonly agent: readonly string[];
}

/** A rule of one of the lists, valid or not. */
export interface RuleRow {
  /** The same as long as the rule is the same. */
  readonly id: string;
  readonly scope: RuleScope;
  readonly fields: RuleFields;
  /** The rule in a few words, for names of buttons. */
  readonly name: string;
  /** What is wrong with the rule, as a sentence. */
  readonly problem?: string;
}

/** The rules, as the page shows them. */
export interface RulesView {
  readonly rows: readonly RuleRow[];
  /** What Undo would undo, as a sentence. Absent: there is nothing to undo. */
  readonly undo?: string;
}

/** What can be tested. A rule decides about requests, so a file needs to be read or changed. */
export const testedRequests = ["command", "read", "edit", "fetch"] as const;
export type TestedRequest = (typeof testedRequests)[number];

/** How the rules answer a request. */
export interface TestResult {
  /** The agents, in words. Absent: all. */
  readonly agents?: string;
  readonly effect: "allow" | "ask" | "deny";
  readonly text: string;
  /** The rule that decides. */
  readonly row?: string;
  /** The text only says what to type. */
  readonly isHint?: true;
}

/** What the extension host sends to the page. `request` is that of the intent which it answers. */
export type RulesMessage =
  | { readonly type: "rules"; readonly view: RulesView }
  | { readonly type: "tested"; readonly request: number; readonly results: readonly TestResult[] }
  /** A rule was saved, or could not be: `problem` is a sentence. */
  | { readonly type: "saved"; readonly request: number; readonly row?: string; readonly problem?: string }
  /** A rule was deleted, or a change was undone, or it could not be done: `problem` is a sentence. */
  | { readonly type: "changed"; readonly row?: string; readonly problem?: string }
  | { readonly type: "reveal"; readonly row: string };

const isTexts = isListOf(isString);

/** Every intent of the page. */
const rulesIntents = {
  ready: {},
  test: { request: isNonNegativeInteger, tested: isOneOf(...testedRequests), text: isString },
  /** Replaces a rule, or adds one at the end of the list of its scope. */
  save: {
    request: isNonNegativeInteger,
    row: optional(isString),
    scope: isOneOf(...ruleScopes),
    fields: isRecordOf({
      effect: isString,
      command: isTexts,
      path: isTexts,
      domain: isTexts,
      kind: isTexts,
      agent: isTexts,
    }),
  },
  delete: { row: isString },
  undo: {},
  openSettings: {},
} as const satisfies Readonly<Record<string, Fields>>;

export type RulesIntent = MessageOf<typeof rulesIntents>;

/** Whether a message of the page is an intent. */
export const isRulesIntent = isMessageOf(rulesIntents);
