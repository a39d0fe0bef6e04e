// The words in the texts of a definition that may name files, also if a shell or a runtime reads the text as code. It finds
// too many rather than too few.
import { parseCommandLine } from "../permissions/commandLine/parseCommandLine.ts";

const currentFolder = /\$(?:\{PWD\}|PWD\b|\(pwd\))|`pwd`|%CD%/gi;
const separators = /[\s"'`;&|()<>]+/;
const quoted = /"([^"]*)"|'([^']*)'|`([^`]*)`/g;
const variable = /\$\{?\w+\}?|%\w+%/g;

/** A text as it is, and, if it may be code, its words. */
export function definitionWords(text: string, home: string): readonly string[] {
  const plain = text.replace(currentFolder, ".");
  const inQuotes = [...plain.matchAll(quoted)].map(([, double, single, back]) => double ?? single ?? back ?? "");
  const words = [text, plain, ...plain.split(separators), ...inQuotes, ...shellWords(plain)];
  const all = words.flatMap(word => [word, ...otherReadings(word, home, mayBeCode(text))]);
  return [...new Set(all)].filter(word => word !== "");
}

/** Whether a shell or a runtime would read more than one word. */
export const mayBeCode = (text: string): boolean => separators.test(text);

/** The words after quotes and escapes are resolved. */
function shellWords(text: string): readonly string[] {
  if (!/["'\\]/.test(text)) return [];
  const line = parseCommandLine(text, "posix");
  const words = line.kind === "commands" ? line.commands.flatMap(({ words }) => words) : line.fragments.flat();
  return words.map(word => word.text);
}

/** The home folder, a path after an unknown variable or substitution, and an address with escaped characters. */
function otherReadings(word: string, home: string, isCode: boolean): readonly string[] {
  const known = word.replace(variable, "");
  const rest = known === word && !isCode ? "" : known.replace(/^[\\/]+/, "");
  return [
    ...(/^~[\\/]/.test(word) ? [home + word.slice(1)] : []),
    ...(rest === word ? [] : [rest]),
    ...(/%[\da-f]{2}/i.test(word) ? [decoded(word)] : []),
  ];
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return ""; // It is no escaped address.
  }
}
