// The setting `parley.hooks`: a command of the user for each event.
import { t } from "../base/l10n.ts";
import { commaSeparated } from "../base/sentences.ts";

/** The events with a command. `failure` is the end of a turn with an error or with the loss of the agent. */
export const hookEvents = ["question", "turnEnd", "failure"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** A program with its arguments. No shell is between. */
export interface HookCommand {
  readonly program: string;
  readonly args: readonly string[];
}

export type HookCommands = Readonly<Partial<Record<HookEvent, HookCommand>>>;

/** What only a shell understands: variables, pipes, redirections, lists of commands, and variables of cmd.exe. */
const shellSyntax = /[$`|<>;&]|%\w+%/;

/** The commands of the setting, and a sentence for each fault in it. An event with a fault has no command. */
export function readHookSetting(value: unknown): {
  readonly commands: HookCommands;
  readonly problems: readonly string[];
} {
  if (value === undefined) return { commands: {}, problems: [] };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { commands: {}, problems: [t("parley.hooks must be an object with a command for each event.")] };
  const commands: Partial<Record<HookEvent, HookCommand>> = {};
  const problems: string[] = [];
  for (const [name, given] of Object.entries(value)) {
    const event = hookEvents.find(each => each === name);
    if (event === undefined) {
      problems.push(
        t("parley.hooks has no event “{0}”. The events are {1}.", name.slice(0, 80), commaSeparated(hookEvents)),
      );
      continue;
    }
    const read = readCommand(given);
    if (typeof read === "string") problems.push(t("parley.hooks → {0} {1}", event, read));
    else if (read) commands[event] = read;
  }
  return { commands, problems };
}

/** The command, undefined for an empty one, or what is wrong with it, as the end of a sentence. */
function readCommand(given: unknown): HookCommand | string | undefined {
  const isList = Array.isArray(given) && given.every(word => typeof word === "string");
  if (typeof given !== "string" && !isList)
    return t("must be a command line, or a list of a program and its arguments.");
  const words = isList ? (given as readonly string[]) : splitWords(given as string);
  if (words === undefined) return t("has a quotation mark without its end.");
  if (words.some(word => word.includes("\0"))) return t("contains a NUL character.");
  if (!isList && shellSyntax.test(given as string))
    return t(
      'has characters of a shell, but no shell runs it. Write a list that starts one, such as ["sh", "-c", "…"].',
    );
  const [program = "", ...args] = words;
  if (program.trim() === "") return words.length > 1 ? t("names no program.") : undefined;
  return { program, args };
}

/** The words between blanks. Quotation marks keep blanks. A backslash is a character, as in paths of Windows. */
function splitWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const c of line) {
    if (quote !== undefined) {
      if (c === quote) quote = undefined;
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + c;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
