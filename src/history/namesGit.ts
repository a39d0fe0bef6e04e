// Whether a tool call, or the command of a terminal, names git. Pure.
import type { ToolFields } from "../session/events.ts";
import type { TerminalState } from "../session/state.ts";

/** The word git, but not as the name of a folder, a file or a repository, such as `/git/x`, `.git` and `x.git`. */
const gitWord = /(?<![\w.-])git(?:\.exe)?(?![\w.\\/])/i;

/** The most characters of the input that are searched. A longer input has the text of a file. */
const maxSearched = 20_000;

/** Whether the title, the input, or the command of a terminal of the call contains the word git. */
export function namesGit(
  { title, rawInput, content = [] }: Partial<ToolFields>,
  terminals: ReadonlyMap<string, TerminalState>,
): boolean {
  if (title !== undefined && gitWord.test(title)) return true;
  if (textsOf(rawInput).some(text => gitWord.test(text))) return true;
  return content.some(one => one.type === "terminal" && isGitCommand(terminals.get(one.terminalId)?.command));
}

/** Whether the command contains the word git. */
export const isGitCommand = (command: string | undefined): boolean => command !== undefined && gitWord.test(command);

/** The texts in the input, as far as they are searched. */
function textsOf(input: unknown): readonly string[] {
  const texts: string[] = [];
  let left = maxSearched;
  const waiting: unknown[] = [input];
  while (waiting.length > 0 && left > 0) {
    const next = waiting.shift();
    if (typeof next === "string") {
      texts.push(next.slice(0, left));
      left -= next.length;
    } else if (typeof next === "object" && next !== null) waiting.push(...Object.values(next).slice(0, left));
    left--;
  }
  return texts;
}
