// Finds file locations in a command's output, as compilers, test runners and stack traces write them. Pure.
import { findPaths } from "../base/filePaths.ts";
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
/** The locations in a piece of output, in order, without those in installed packages. */
export function terminalLinks(output: string, folder: string): readonly TerminalLink[] {
  const text = output.slice(0, maxOutputLength).replace(escapeSequences, "");
  const found: TerminalLink[] = [];
  for (const { path, leading = "", line = 0 } of findPaths(text, "output")) {
    // Only the disk shows whether a folder's name contains a blank. A file that doesn't exist is not shown.
    for (const written of leading === "" ? [path] : [leading + path, path]) {
      if (found.length === maxLinks) return found;
      const named = resolvePath(written, folder);
      if (named === undefined || /[\\/]node_modules[\\/]/.test(named)) continue;
      if (!found.some(one => one.path === named && one.line === line)) found.push({ path: named, line });
    }
  }
  return found;
}

function resolvePath(name: string, folder: string): string | undefined {
  try {
    if (/^file:/i.test(name)) return fileURLToPath(name);
  } catch {
    return undefined; // The URL is not of a local file.
  }
  if (isAbsolute(name)) return name;
  return isAbsolute(folder) ? resolve(folder, name) : undefined;
}
