// Patterns of command rules.
//
// A pattern is a list of words, separated by spaces. 'single' or "double" quotes make one word of a text with spaces,
// and escape the meaning of `*`. Nothing else is special.
//   word   exactly this word
//   *      exactly one word
//   **     any number of words, including none
// In an allow pattern, `*` stands for an option only if the option is known to be harmless, and neither wildcard stands
// for a word that makes the program write or run something (wordRoles.ts). An allow pattern must match the whole command:
// `npm test` allows `npm test` but not `npm test --watch`. A pattern that denies or asks also matches if more words follow,
// and matches its program by any path and with `.exe`: `rm` denies `/bin/rm -r x`. Words are compared as a whole and exactly, never by prefix.
import { t } from "../../base/l10n.ts";
import { baseName } from "./programs.ts";
import { programHazards } from "./programHazards.ts";
import type { Fit, Word } from "./types.ts";
import { wordRoles } from "./wordRoles.ts";

type PatternElement = { readonly literal: string } | "one" | "rest";
export type Pattern = readonly PatternElement[];

const token = /[ \t]+|((?:[^\s'"]|'[^']*'|"[^"]*")+)/y;

/** Parses a pattern. A string result is a sentence that describes the error. */
export function parsePattern(source: string): Pattern | string {
  const elements: PatternElement[] = [];
  for (let at = 0; at < source.length; at = token.lastIndex) {
    token.lastIndex = at;
    const found = token.exec(source);
    if (!found) return t("has an unclosed quote or a line break");
    if (found[1] === undefined) continue;
    const element = elementOf(found[1]);
    if (typeof element === "string" && element !== "one" && element !== "rest") return element;
    elements.push(element as PatternElement);
  }
  const [first] = elements;
  if (first === undefined) return t("is empty");
  return elements;
}

function elementOf(raw: string): PatternElement | string {
  if (raw === "*") return "one";
  if (raw === "**") return "rest";
  const bare = raw.replace(/'[^']*'|"[^"]*"/g, "");
  if (bare.includes("*")) return t("has “*” inside the word “{0}”; it stands for whole words unless quoted", raw);
  if (/[;|&<>`]|\$\(/.test(bare)) return t("joins commands with “{0}”; a pattern describes one command", raw);
  return {
    literal: raw.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""),
  };
}

/** Writes a pattern that matches only these words. */
export function exactPattern(words: readonly Word[]): string {
  return words.map(({ text }) => quotedPatternWord(text)).join(" ");
}

function quotedPatternWord(text: string): string {
  if (text !== "" && !/[\s'"*;|&<>`$]/.test(text)) return text;
  return text
    .split(/('+)/)
    .filter((part, index) => part !== "" || (index === 0 && text === ""))
    .map(part => (part.startsWith("'") ? `"${part}"` : `'${part}'`))
    .join("");
}

/** Whether the pattern starts with the name of a program, as an allow pattern must. */
export function namesProgram(pattern: Pattern): boolean {
  return typeof pattern[0] === "object";
}

/** Whether an allow pattern matches the whole command, whatever its shell makes of it. */
export function fitsWhole(pattern: Pattern, words: readonly Word[]): boolean {
  const roles = wordRoles(words);
  const hazards = programHazards(words);
  if (hazards[0] !== undefined && !pattern.every(isLiteral)) return false;
  return matchesWords(
    pattern,
    words,
    (literal, text) => literal === text,
    "rest only",
    (wildcard, index) => {
      const role = hazards[index] === undefined ? roles[index] : "harmful";
      return role !== "harmful" && (wildcard === "rest" || role !== "unknown");
    },
  );
}

/**
 * The words for which a wildcard of an allow pattern doesn't stand, with what they do. Empty: there are none, or it is not
 * for these words.
 */
export function hazardsFor(
  pattern: Pattern,
  words: readonly Word[],
): readonly { readonly word: string; readonly why: string }[] {
  if (pattern.every(isLiteral) || !matchesWords(pattern, words, (literal, text) => literal === text, "rest only"))
    return [];
  const named = programHazards(words).flatMap((why, index) => {
    const word = words[index]?.text ?? "";
    return why === undefined ? [] : [{ word: index === 0 ? t("the rest of “{0}”", word) : `“${word}”`, why }];
  });
  const literals = new Set(pattern.map(element => (isLiteral(element) ? element.literal : undefined)));
  const roles = wordRoles(words);
  const options = words.filter(({ text }, index) => roles[index] === "harmful" && !literals.has(text));
  return [...named, ...options.map(({ text }) => ({ word: `“${text}”`, why: t("may write or run something") }))];
}

/**
 * The number of words from the start that the pattern matches whatever a wildcard may stand for, and the elements that it
 * expects there: literal words, undefined for `*`. No elements and no words left: only its wildcards are in doubt.
 */
export function allowedUntil(
  pattern: Pattern,
  words: readonly Word[],
): { readonly at: number; readonly expected: readonly (string | undefined)[] } {
  const { matches, at, live } = follow(pattern, words, (literal, text) => literal === text, "rest only");
  if (matches) return { at: words.length, expected: [] };
  const expected = [...live].flatMap(reached => {
    const element = pattern[reached];
    return element === undefined || element === "rest" ? [] : [isLiteral(element) ? element.literal : undefined];
  });
  return { at, expected: [...new Set(expected)] };
}

/** Whether a pattern that denies or asks matches the command or its start. */
export function fitsBeginning(pattern: Pattern, words: readonly Word[]): Fit {
  const open: Pattern = [...pattern, "rest"];
  const same = (literal: string, text: string, index: number): boolean => {
    const byPath = /[\\/]/.test(literal);
    return (
      literal === text ||
      (index === 0 && normalisedProgramName(literal, byPath) === normalisedProgramName(text, byPath))
    );
  };
  if (matchesWords(open, words, same, "rest only")) return "yes";
  return words.some(word => !word.exact) && matchesWords(open, words, same, "anything") ? "maybe" : "no";
}

/** The name of a program, as rules that deny compare it. */
function normalisedProgramName(name: string, byPath: boolean): string {
  const base = byPath ? name : baseName(name);
  return base.toLowerCase().replace(/\.(?:exe|com|cmd|bat|ps1)$/, "");
}

const isLiteral = (element: PatternElement | undefined): element is { readonly literal: string } =>
  typeof element === "object";

const matchesWords = (...all: Parameters<typeof follow>): boolean => follow(...all).matches;

/**
 * Follows all paths through the pattern at once. An inexact word may become any number of words, including none. Returns
 * how many words match, and the elements of the pattern that can come next.
 */
function follow(
  pattern: Pattern,
  words: readonly Word[],
  same: (literal: string, text: string, index: number) => boolean,
  inexact: "rest only" | "anything",
  standsFor?: (wildcard: "one" | "rest", index: number) => boolean,
): { readonly matches: boolean; readonly at: number; readonly live: ReadonlySet<number> } {
  const last = pattern.length;
  let live = new Set<number>();
  const reach = (into: Set<number>, at: number): void => {
    into.add(at);
    if (pattern[at] === "rest") reach(into, at + 1);
  };
  reach(live, 0);
  for (const [index, word] of words.entries()) {
    const next = new Set<number>();
    for (const at of live) {
      const element = pattern[at];
      if (element === "rest" && standsFor?.("rest", index) !== false) reach(next, at);
      if (!word.exact) {
        if (inexact === "anything") for (let further = at; further <= last; further++) reach(next, further);
      } else if (
        element === "one"
          ? standsFor?.("one", index) !== false
          : isLiteral(element) && same(element.literal, word.text, index)
      ) {
        reach(next, at + 1);
      }
    }
    if (next.size === 0) return { matches: false, at: index, live };
    live = next;
    // A final `**` that stands for anything matches the rest.
    if (!standsFor && pattern[last - 1] === "rest" && live.has(last - 1))
      return { matches: true, at: words.length, live };
  }
  return { matches: live.has(last), at: words.length, live };
}
