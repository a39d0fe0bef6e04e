// The PathResolver on a real file system.
import { statSync } from "node:fs";
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, parse, sep } from "node:path";
import type { PathResolver } from "./ports.ts";
import { errorCodeOf, isNotFoundError } from "../base/errors.ts";

/** Links followed by hand before we say that they lead in a circle; what Linux does. */
const maxLinks = 40;

/** Resolves paths with the system's own `realpath`. */
export function nodePaths(): PathResolver {
  return { real: path => real(path, 0), ignoresCase: ignoresCase(process.execPath) };
}

async function real(path: string, links: number): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (!isNotFoundError(thrown)) throw thrown;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const target = await linkTarget(path);
  if (target === undefined) return join(await real(parent, links), basename(path));
  // A link to what does not exist yet: a write would create its target, so the target is what counts.
  if (links >= maxLinks) throw Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
  return followLink(isAbsolute(target) ? parse(target).root : await real(parent, links), target, links + 1);
}

/** Walks a link's target step by step, as the kernel does: `..` leaves the real folder, not the link. */
async function followLink(from: string, target: string, links: number): Promise<string> {
  let current = from;
  const rest = isAbsolute(target) ? target.slice(parse(target).root.length) : target;
  for (const name of rest.split(sep === "\\" ? /[\\/]/ : "/")) {
    if (name === "" || name === ".") continue;
    current = name === ".." ? dirname(current) : await real(join(current, name), links);
  }
  return current;
}

async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (thrown) {
    if (isNotFoundError(thrown) || errorCodeOf(thrown) === "EINVAL" || errorCodeOf(thrown) === "UNKNOWN")
      return undefined;
    throw thrown;
  }
}

/** Whether the file system calls a known file by another case too. */
function ignoresCase(knownFile: string): boolean {
  if (process.platform === "linux") return false;
  const swapped = join(dirname(knownFile), swapCase(basename(knownFile)));
  try {
    const [one, other] = [statSync(knownFile), statSync(swapped)];
    return one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false; // No such file under the other spelling: case counts.
  }
}

function swapCase(name: string): string {
  const upper = name.toUpperCase();
  return upper === name ? name.toLowerCase() : upper;
}
