// A lenient parser for command lines that the strict parser rejects: finds everything that might be a command. It finds
// too much rather than too little, so its results may forbid but never allow.
import { runnerPrograms, baseName, shellPrograms } from "./programs.ts";
import type { Shell, Word } from "./types.ts";

/** The number of words at the start of a fragment after which a command may begin: `sudo -u me nice rm`. */
const maxCommandStart = 24;
/** Only the start of longer lines is parsed. */
const maxLineLength = 200_000;

const commandOpeners = new Set(
  (
    "if then elif else while until do time ! { [[ exec eval command builtin nohup nice timeout noglob nocorrect coproc " +
    "trap alias find call start for in case call start-process invoke-expression iex invoke-command icm foreach-object " +
    "% & . source"
  ).split(" "),
);

/** All word lists in the line that could be a command. */
export function fragmentsOf(line: string, shell: Shell): readonly (readonly Word[])[] {
  // Invisible characters do not split names.
  const seen = line.slice(0, maxLineLength).replace(/[\p{Cf}\p{Cc}]/gu, c => (/[\n\r\t]/.test(c) ? "\n" : ""));
  const found = [...pieces(splitUnquoted(seen, shell)), ...pieces(splitIgnoringQuotes(seen, shell))];
  return found.flatMap(commandsIn);
}

/** The possible end of a command, after quoting. Private-use characters in the line stay as they are. */
const end = "\uE000";
const gap = "\uE001";
/** The words of the command continue after the file: `>x rm y`. */
const redirected = `${end}!${gap}`;

/** Resolves quotes approximately as a shell would. */
function splitUnquoted(line: string, shell: Shell): string {
  const escape = shell === "posix" ? "\\" : shell === "cmd" ? "^" : "`";
  const made: string[] = [];
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const c = line.charAt(at);
    if (c === escape && quote !== "'") made.push(line.charAt(++at));
    else if (quote !== "") {
      if (c === quote) quote = "";
      else made.push(c);
    } else if (c === '"' || (c === "'" && shell !== "cmd")) quote = c;
    else if (c === "$" && /["']/.test(line.charAt(at + 1))) continue;
    else if (" \t".includes(c)) made.push(gap);
    else if (c === "<" || c === ">") made.push(redirected);
    else if (/[\n;|&(){}`]/.test(c)) made.push(end);
    else made.push(c);
  }
  return made.join("");
}

/** Ignores all quotes, because quoted text may be a command for another program. */
function splitIgnoringQuotes(line: string, shell: Shell): string {
  const dropped = shell === "posix" ? /["'\\]/g : shell === "cmd" ? /["^]/g : /["'`]/g;
  return line
    .replace(dropped, "")
    .replace(/[ \t]+/g, gap)
    .replace(/[<>]/g, redirected)
    .replace(/\$?[\n;|&(){}`]/g, end);
}

function pieces(text: string): readonly (readonly string[])[] {
  return text
    .split(end)
    .map(piece => piece.split(gap).filter(word => word !== ""))
    .filter(words => words.length > 0);
}

/** The piece itself, and the parts after assignments, keywords and programs that run others. */
function commandsIn(words: readonly string[]): readonly (readonly Word[])[] {
  const made: (readonly Word[])[] = [];
  let deeper = true;
  for (let start = 0; start < words.length && start < maxCommandStart && deeper; start++) {
    const first = (words[start] ?? "").toLowerCase();
    const base = baseName(first).replace(/\.exe$/, "");
    made.push(words.slice(start).map(text => ({ text, exact: true })));
    // After an opening word, any later word may start the command.
    deeper =
      start > 0 ||
      commandOpeners.has(first) ||
      runnerPrograms.has(base) ||
      shellPrograms.has(base) ||
      /^[a-z_]\w*\+?=/.test(first);
  }
  return made;
}
