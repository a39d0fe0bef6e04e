// Small changes that can repair a small bug: swapped operators, off-by-one bounds, wrong start values. Pure.
import type { Definition } from "./outline.ts";
import { blank, lineAt } from "./sourceText.ts";

/** One small change to a source file. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
  readonly line: number;
  /** The kind of mistake that the change repairs, as text for the user. */
  readonly why: string;
  /** More likely mistakes have a lower rank. */
  readonly rank: number;
}

const boundary = "an off-by-one bound";
const comparison = "a reversed comparison";
const arithmetic = "the wrong arithmetic operator";
const number = "a wrong number";
const loopStart = "a wrong start of a loop";
const logic = "the wrong logical operator";
const method = "a similar but wrong function";
const negation = "an inverted condition";

interface Rule {
  readonly pattern: RegExp;
  readonly to: readonly string[];
  readonly why: string;
  readonly rank: number;
}

const rule = (pattern: RegExp, to: string, why: string, rank: number): Rule => ({
  pattern,
  to: to.split(" "),
  why,
  rank,
});

const rules: readonly Rule[] = [
  rule(/(?<![<>=!-])<(?![<=/])/g, "<= > >=", boundary, 0),
  rule(/<=(?!=)/g, "< >= >", boundary, 0),
  rule(/(?<![=>])>(?![>=])/g, ">= < <=", boundary, 0),
  rule(/(?<!>)>=(?!=)/g, "> <= <", boundary, 0),
  rule(/===/g, "!==", comparison, 1),
  rule(/!==/g, "===", comparison, 1),
  rule(/(?<![=!<>])==(?!=)/g, "!=", comparison, 1),
  rule(/!=(?!=)/g, "==", comparison, 1),
  rule(/\+=/g, "-= *=", arithmetic, 1),
  rule(/-=/g, "+=", arithmetic, 1),
  rule(/(?<!\*)\*=/g, "+= /=", arithmetic, 1),
  rule(/\/=/g, "*=", arithmetic, 1),
  rule(/(?<!\+)\+(?![+=])/g, "- *", arithmetic, 1),
  rule(/(?<!-)-(?![-=>])/g, "+ *", arithmetic, 1),
  rule(/(?<!\*)\*(?![*=])/g, "/ + -", arithmetic, 1),
  rule(/(?<![/*])\/(?![/*=])/g, "*", arithmetic, 1),
  rule(/%(?!=)/g, "/", arithmetic, 3),
  rule(/\+\+/g, "--", arithmetic, 3),
  rule(/--/g, "++", arithmetic, 3),
  rule(/&&(?!=)/g, "||", logic, 2),
  rule(/\|\|(?!=)/g, "&& ??", logic, 2),
  rule(/!(?!=)/g, "", negation, 2),
  rule(/\btrue\b/g, "false", negation, 2),
  rule(/\bfalse\b/g, "true", negation, 2),
];

const twins: readonly (readonly [string, string])[] = [
  ["min", "max"],
  ["floor", "ceil"],
  ["round", "floor"],
  ["some", "every"],
  ["push", "unshift"],
  ["pop", "shift"],
  ["startsWith", "endsWith"],
  ["toUpperCase", "toLowerCase"],
  ["indexOf", "lastIndexOf"],
  ["trimStart", "trimEnd"],
  ["padStart", "padEnd"],
];

/** All small changes to try, most likely first. Changes inside `suspects` come before all others. */
export function mutations(source: string, suspects: readonly Definition[] = []): readonly Mutation[] {
  const code = blank(source);
  const found: Mutation[] = [];
  const add = (start: number, end: number, after: string, why: string, rank: number): void => {
    found.push({ start, end, before: source.slice(start, end), after, line: lineAt(source, start), why, rank });
  };
  for (const { pattern, to, why, rank } of rules) {
    for (const match of code.matchAll(pattern)) {
      for (const [index, after] of to.entries()) {
        add(
          match.index,
          match.index + match[0].length,
          after,
          index > 0 && rank === 0 ? comparison : why,
          rank + index,
        );
      }
    }
  }
  for (const match of code.matchAll(/(?<![\w.$])\d+(?:\.\d+)?(?![\w.])/g)) {
    const end = match.index + match[0].length;
    const startsLoop = /\bfor\s*\(\s*(?:let|var)\s+[\w$]+\s*=\s*$/.test(code.slice(0, match.index));
    const why = startsLoop ? loopStart : number;
    for (const after of nearNumbers(match[0])) add(match.index, end, after, why, 0);
  }
  for (const match of code.matchAll(/\.length\b(\s*[-+]\s*1\b)?/g)) {
    const end = match.index + match[0].length;
    if (match[1] === undefined) add(match.index, end, ".length - 1", boundary, 2);
    else add(match.index, end, ".length", boundary, 0);
  }
  for (const match of code.matchAll(/(?<=\.)\w+(?=\()/g)) {
    const twin = twins.find(pair => pair.includes(match[0]));
    if (!twin) continue;
    const after = twin[0] === match[0] ? twin[1] : twin[0];
    add(match.index, match.index + match[0].length, after, method, 1);
  }
  const suspected = (mutation: Mutation): number =>
    suspects.some(one => mutation.line >= one.line && mutation.line <= one.endLine) ? 0 : 1;
  return found.sort((a, b) => suspected(a) - suspected(b) || a.rank - b.rank || a.start - b.start);
}

/** The source after the change. */
export function applyMutation(source: string, mutation: Mutation): string {
  return source.slice(0, mutation.start) + mutation.after + source.slice(mutation.end);
}

function nearNumbers(text: string): readonly string[] {
  const value = Number(text);
  const near = value === 1 ? [0, 2] : value === 0 ? [1] : [value + 1, value - 1, value * 10, value / 10];
  return near.map(number => String(Number(number.toPrecision(12))));
}
