// The PathResolver for the real file system.
import { statSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, parse, sep } from "node:path";
import type { PathResolver } from "./ports.ts";
import { errorCodeOf, isNotFoundError } from "../base/errors.ts";

/** How many links are followed before they count as circular. Same as in Linux. */
const maxLinks = 40;

/** Resolves paths with the `realpath` of the system. */
export function nodePaths(): PathResolver {
  return { real: path => real(path, 0), ignoresCase: ignoresCase(process.execPath) };
}

/** Whether a file, folder or link exists at the path, and can be seen. */
export async function pathExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Whether the path is the folder, or at any depth in it. */
export const isAtOrBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

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
  // This is a link to a file that does not exist yet. A write would create the target, so resolve to the target.
  if (links >= maxLinks) throw Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
  return followLink(isAbsolute(target) ? parse(target).root : await real(parent, links), target, links + 1);
}

/** Follows a link's target segment by segment like the kernel: `..` leaves the real folder, not the link. */
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

/** Whether the file system ignores case, tested with the name of a known file. */
function ignoresCase(knownFile: string): boolean {
  if (process.platform === "linux") return false;
  const swapped = join(dirname(knownFile), swapCase(basename(knownFile)));
  try {
    const [one, other] = [statSync(knownFile), statSync(swapped)];
    return one.ino === other.ino && one.dev === other.dev;
  } catch {
    return false; // There is no file with the other spelling, so case matters.
  }
}

function swapCase(name: string): string {
  const upper = name.toUpperCase();
  return upper === name ? name.toLowerCase() : upper;
}
