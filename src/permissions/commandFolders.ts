// The folders that the commands of a line run in: the target of `cd` counts for what follows, and an option such as
// `git -C` for its own command.
import { posix, win32 } from "node:path";
import { absolutePaths, expandWord, type ArgumentContext } from "./commandArguments.ts";
import { baseName } from "./commandLine/programs.ts";
import type { Command, Word } from "./commandLine/types.ts";

const folderChangers = new Set("cd chdir pushd sl set-location push-location".split(" "));

/** Options of programs that change their folder: one letter, and long names. */
const folderOptions: Readonly<Record<string, readonly string[]>> = {
  make: ["C", "directory"],
  cargo: ["C"],
  go: ["C"],
  npm: ["C", "prefix"],
  npx: ["C", "prefix"],
  pnpm: ["C", "dir", "prefix"],
  yarn: ["cwd"],
  bun: ["cwd"],
};

/** The number of folders after which nothing is known, so that the work stays small. */
const maxFolders = 20;

/** The folders that one command may use. Undefined: only the shell knows. */
export type Folders = readonly string[] | undefined;

/**
 * The folders that each command may use besides the folder of the whole line. A `cd` may fail, so the folders before it
 * count as well.
 */
export function commandFolders(commands: readonly Command[], context: ArgumentContext): readonly Folders[] {
  const { cwd, place } = context;
  const start = cwd === undefined ? place.roots : [cwd];
  let reached: Folders = [];
  return commands.map(({ words }) => {
    const folders = reached && [...start, ...reached];
    const name = baseName(words[0]?.text ?? "").toLowerCase();
    if (folderChangers.has(name)) {
      const targets = folders && targetFolders(targetWord(words), { ...context, folders });
      const all: Folders = reached && targets && [...new Set([...reached, ...targets])];
      reached = all && all.length <= maxFolders ? all : undefined;
      return reached;
    }
    const values = name === "git" ? gitFolders(words) : optionValues(words, folderOptionsOf(name));
    const own = values.map(word => folders && targetFolders(word, { ...context, folders }));
    return own.includes(undefined) || !reached ? undefined : [...reached, ...own.flatMap(found => found ?? [])];
  });
}

const folderOptionsOf = (name: string): readonly string[] =>
  Object.hasOwn(folderOptions, name) ? (folderOptions[name] ?? []) : [];

/** The operand of `cd`. Undefined: the home folder. With more operands, some shells replace a part of the folder. */
function targetWord(words: readonly Word[]): Word | undefined {
  const isOption = (text: string): boolean => /^-(?:[LPe]+|-|(?:literal)?path)$/i.test(text) || /^\/d$/i.test(text);
  const operands = words.slice(1).filter(({ text }) => !isOption(text));
  return operands.length > 1 ? { text: "-", exact: true } : operands[0];
}

function targetFolders(word: Word | undefined, context: ArgumentContext): Folders {
  const { place, links } = context;
  const { normalize } = place.platform === "windows" ? win32 : posix;
  // `cd -` and `cd +1` go to folders of the shell's history.
  if (word && /^[-+]/.test(word.text)) return undefined;
  const texts = word === undefined ? [place.home] : word.exact ? [word.text] : expandWord(word.text, context);
  if (!texts) return undefined;
  const found: string[] = [];
  for (const text of texts) {
    if (text === undefined || (word?.exact === false && /[*?[]/.test(text))) return undefined;
    for (const path of absolutePaths(text, context)) {
      const target = links?.get(path);
      // Both `..` of the name and of the target are possible.
      found.push(normalize(path), ...(target === undefined ? [] : [target]));
    }
  }
  return found;
}

/** The values of options, in the same or in the next word: `-C x`, `-sCx`, `--dir=x`. */
function optionValues(words: readonly Word[], options: readonly string[]): readonly Word[] {
  const letter = options.find(option => option.length === 1);
  return words.flatMap((word, index) => {
    const [, short, long, value] = /^-(?:([A-Za-z]+)|-([a-z]+)(?:=([^]*))?$)/.exec(word.text) ?? [];
    const next = words[index + 1];
    const at = letter === undefined ? -1 : (short?.indexOf(letter) ?? -1);
    const isLong = long !== undefined && long.length > 1 && options.some(option => option.startsWith(long));
    if (index === 0 || (at < 0 && !isLong)) return [];
    const attached = at < 0 ? value : word.text.slice(at + 2);
    return attached === undefined || attached === "" ? (next ? [next] : []) : [{ ...word, text: attached }];
  });
}

/** The values of `git -C`. After the subcommand, `-C` has other meanings. */
function gitFolders(words: readonly Word[]): readonly Word[] {
  const found: Word[] = [];
  for (let at = 1; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    const value = words[at + 1];
    if (!text.startsWith("-")) break;
    if (text === "-C" && value) found.push(value);
    if (/^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/.test(text)) at++;
  }
  return found;
}
