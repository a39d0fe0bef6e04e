// Finds file locations in a command's output, as compilers, test runners and stack traces write them. Pure.
import { findPaths, pathCandidates } from "../base/filePaths.ts";
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
/** Each can stand for several paths. */
const maxLocations = 5;

const escapeSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/**
 * The locations in a piece of output, in order, without those in installed packages. Only the disk shows which path a
 * written one stands for, so there is a link for each of its candidates, the likeliest first.
 */
export function terminalLinks(output: string, folder: string): readonly TerminalLink[] {
  const text = output.slice(0, maxOutputLength).replace(escapeSequences, "");
  const links = new Map<string, TerminalLink>();
  let locations = 0;
  for (const { path, leading, line = 0 } of findPaths(text, "output")) {
    if (locations === maxLocations) break;
    const known = links.size;
    for (const candidate of pathCandidates(path, leading)) {
      const named = resolvePath(candidate, folder);
      if (named === undefined || /[\\/]node_modules[\\/]/.test(named)) continue;
      const key = `${line} ${named}`;
      if (!links.has(key)) links.set(key, { path: named, line });
    }
    if (links.size > known) locations++;
  }
  return [...links.values()];
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
