// Recognizes values of options that let the agent do everything without asking. Agents report no such fact, so
// the words count: the words in the id, name and description of a value.
import type { OptionChoice, SessionOption } from "./events.ts";
import type { OptionValue } from "./state.ts";

/** What an approval covers if it does not cover everything. */
const narrower = "(?! (?:the |of the )?(?:file |safe |low risk )?(?:edit|read|change|write|search|file|safe|low risk))";
const everything: readonly RegExp[] = [
  new RegExp(`\\ballow(?:s|ed|ing)? (?:all|everything|anything)\\b${narrower}`),
  new RegExp(`\\b(?:approv|accept)(?:e|es|ed|s|ing)? (?:all|everything|anything)\\b${narrower}`),
  /\bauto(?:matically)? (?:approv|accept|allow|run|execut)(?:e|es|s)? (?:every )?(?:tool|command|action|permission|request)/,
  /\bbypass(?:es|ed|ing)?\b/,
  /\byolo\b/,
  /\bfull access\b/,
  /\bunrestricted\b/,
  /\bwithout (?:asking|approval|confirmation|prompting|permission)\b/,
];
/** Words before a match, in the same clause, that turn its meaning around. */
const negation =
  /\b(?:no|not|never|none|nothing|cannot|cant|dont|doesnt|isnt|wont|without|disallows?|den(?:y|ies)|prevents?|before)\b/;
/** A value that says it still asks, or that edits only, does not approve everything. */
const stillAsks = /\b(?:asks?|prompts?|confirms?) (?:you )?(?:before|for|about|first|only)\b|\bstill asks?\b/;
const onlyEdits =
  /\b(?:edits?|changes?|writes?)(?: (?:all |your )?files)? without (?:asking|approval|confirmation|prompting|permission)\b/;
const moreThanEdits = /\b(?:and|runs?|commands?|tools?|tests?|executes?|everything|anything)\b/;

const yes: ReadonlySet<string> = new Set(["true", "on", "yes", "enabled", "enable", "always", "1"]);

/**
 * Whether the agent does everything without asking while the option has the value. It is a guess by words, to warn the
 * user and to keep such a value out of new sessions. It never keeps the user from choosing the value. `choice` is the one
 * with the value, if the caller has it.
 */
export function approvesEverything(
  option: SessionOption,
  value: OptionValue,
  choice = choiceOf(option, value),
): boolean {
  const ownTexts = [String(value), choice?.name, choice?.description];
  if (ownTexts.some(saysEverything)) return true;
  // “On” says nothing itself. Then the option says what is on.
  const isYes = yes.has(words(String(value))) || (choice !== undefined && yes.has(words(choice.name)));
  return isYes && [option.id, option.name, option.description].some(saysEverything);
}

const choiceOf = (option: SessionOption, value: OptionValue): OptionChoice | undefined =>
  option.type === "select" ? option.choices.find(each => each.value === value) : undefined;

function saysEverything(text: string | undefined): boolean {
  if (text === undefined) return false;
  const whole = words(text.slice(0, maxTextLength));
  const clauses = text
    .slice(0, maxTextLength)
    .split(/[.:;!?,()\n]/)
    .map(words);
  return clauses.some(clause =>
    everything.some(pattern => {
      const match = pattern.exec(clause);
      if (!match || negation.test(clause.slice(0, match.index))) return false;
      if (!match[0].startsWith("without")) return true;
      return !stillAsks.test(whole) && !(onlyEdits.test(whole) && !moreThanEdits.test(whole));
    }),
  );
}

const maxTextLength = 2000;

/** Lower case words with one space between them: `bypassPermissions` and `danger-full-access` are several words. */
export const words = (text: string): string =>
  text
    .replace(/['’]/g, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .toLowerCase();
