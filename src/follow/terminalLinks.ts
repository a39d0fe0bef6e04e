// Finds file locations in a command's output, as compilers, test runners and stack traces write them. Pure.
import { fileURLToPath } from "node:url";
import { isAbsolute, resolve } from "node:path";

/** A file location in output. */
export interface TerminalLink {
  /** Absolute. The file may not exist. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

/** Only this much of one piece of output is searched: a user cannot watch more locations. UTF-16 units. */
const maxOutputLength = 8_000;
const maxLinks = 5;

const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Its length is limited, because output may be one long word. */
const path = String.raw`((?:file:\/\/)?(?:[A-Za-z]:[\\/])?[^\s"'\`()\[\]<>:,;|*?]{1,250}\.\w{1,10})`;
/** `src/a.ts:10:5`, `src/a.ts(10,5)`, `"src/a.py", line 10`. */
const linkPattern = new RegExp(
  String.raw`(?<![\w./\\:@-])${path}(?::(\d{1,7})(?!\d)|\((\d{1,7})[,)]|"?, line (\d{1,7})(?!\d))`,
  "g",
);

/** The locations in a piece of output, in order, without those in installed packages. */
export function terminalLinks(output: string, folder: string): readonly TerminalLink[] {
  const text = output.slice(0, maxOutputLength).replace(escapeSequences, "");
  const found: TerminalLink[] = [];
  for (const match of text.matchAll(linkPattern)) {
    if (found.length === maxLinks) break;
    const [, name = "", ...numbers] = match;
    const line = Number(numbers.find(number => number !== undefined));
    const named = resolvePath(name, folder);
    if (named === undefined || line < 1 || /[\\/]node_modules[\\/]/.test(named)) continue;
    if (!found.some(one => one.path === named && one.line === line)) found.push({ path: named, line });
  }
  return found;
}

function resolvePath(name: string, folder: string): string | undefined {
  try {
    if (name.startsWith("file://")) return fileURLToPath(name);
  } catch {
    return undefined; // The URL is not of a local file.
  }
  if (isAbsolute(name)) return name;
  return isAbsolute(folder) ? resolve(folder, name) : undefined;
}
