// The command of a question that has it only in its title or content, such as "Running: npm test". A text counts only if it
// has one command, in full, and looks to the user as it is. A text that is cut off stands for no command, because Parley cannot
// know how it continues.
import { withoutFence } from "../base/fence.ts";
import type { PermissionQuestion } from "../session/agent.ts";
import { withoutBlanks } from "./sameCommand.ts";

/**
 * The command line in the texts of a question. Undefined: they have none or several, or the question has more to run.
 */
export function titleCommand({ title, description, subject, tool }: PermissionQuestion): string | undefined {
  if (subject || tool?.kind !== "execute" || !isEmpty(tool.rawInput)) return undefined;
  const texts = [title.trim() === "" ? (tool.title ?? "") : title, description ?? ""];
  for (const item of tool.content ?? []) {
    if (item.type !== "content" || item.content.type !== "text") return undefined;
    texts.push(item.content.text);
  }
  const stated = texts.map(commandIn).filter(command => command !== "");
  // An agent may shorten the title of a call that it has announced in full.
  const cut = stated.flatMap(command => (command === undefined ? [] : (beginningOf(command) ?? [])));
  const whole = stated.filter(command => command === undefined || beginningOf(command) === undefined);
  const announced = cut.length > 0 && tool.title !== undefined ? [...whole, commandIn(tool.title)] : whole;
  const commands = announced.filter(
    command => command === undefined || (command !== "" && beginningOf(command) === undefined),
  );
  const [first] = commands;
  if (first === undefined || !commands.every(command => command === first)) return undefined;
  return cut.every(beginning => first.startsWith(beginning)) ? first : undefined;
}

/** The beginning of a command that is cut off. Undefined for a whole one, also for `go test ./...`. */
const beginningOf = (command: string): string | undefined => /^(.*?)[ \t]*(?:…|(?<![/.])\.{3})$/s.exec(command)?.[1];

const isEmpty = (input: unknown): boolean =>
  input === undefined || input === null || (typeof input === "object" && Object.keys(input).length === 0);

/**
 * Words before a command. None of them is a program that shows its arguments, such as `echo`: otherwise `echo: rm x` would
 * look like one command and be another.
 */
const labelWords = new Set(
  (
    "a an the this that to for of in is be please following requesting request requests requested approval permission " +
    "confirm confirmation allow approve want wants would like need needs use using tool perform run runs running " +
    "execute executes executing execution start starts starting invoke command commands line cmd shell bash terminal " +
    "script background foreground"
  ).split(" "),
);

/** The command in a text: empty if the text only names the tool, undefined if it has something else. */
function commandIn(text: string): string | undefined {
  const whole = withoutBlanks(text);
  let [afterColon, afterWords] = [0, 0];
  for (const [word, name = "", colon] of whole.matchAll(/([A-Za-z]+)(:?)(?:[ \t\n]+|$)/gy)) {
    if (!labelWords.has(name.toLowerCase())) break;
    afterWords += word.length;
    if (colon === ":") afterColon = afterWords;
  }
  const rest = whole.slice(afterWords);
  if (rest === "") return "";
  const [, code = withoutFence(rest)] = /^`([^`\n]+)`$/.exec(rest) ?? [];
  if (code !== rest) return looksAsItIs(withoutBlanks(code)) ? withoutBlanks(code) : undefined;
  const line = withoutBlanks(whole.slice(afterColon)).replace(/^\$ /, "");
  return looksAsItIs(line) && !markdown.test(line) ? line : undefined;
}

/** One line without characters that have no width, that change the direction of the text, or that look like blanks. */
const looksAsItIs = (line: string): boolean =>
  line !== "" && !/ {2}|(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(line);

/** Characters that Markdown may hide or replace. */
const markdown = /[*`[\]\\]|^(?:[-+#>|]|\d+[.)] )|~~|&#?\w+;|<[a-z/!?]|(?<![A-Za-z\d])_|_(?![A-Za-z\d])/i;
