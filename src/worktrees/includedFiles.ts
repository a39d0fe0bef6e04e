// The ignored files that a new worktree gets: those that `.worktreeinclude` and the setting name.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isNotFoundError } from "../base/errors.ts";
import { gitList, type Git } from "../git/gitProgram.ts";

/** Names the ignored files that a worktree gets, in the syntax of `.gitignore`. Other tools read it too. */
const includeFile = ".worktreeinclude";

/**
 * The ignored files of a work tree that `.worktreeinclude` or one of the patterns names, relative to `top`, with slashes.
 * Git decides what is ignored and what a pattern means. Rejects with a GitError.
 */
export async function includedFiles(
  git: Git,
  top: string,
  patterns: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const list = (...exclude: readonly string[]): Promise<readonly string[]> =>
    gitList(git, top, ["ls-files", "-o", "-i", "-z", ...exclude], { signal });
  const named = patterns.map(pattern => `--exclude=${pattern}`);
  if (await isRegularFile(join(top, includeFile))) named.push(`--exclude-from=${includeFile}`);
  if (named.length === 0) return [];
  const [ignored, wanted] = await Promise.all([list("--exclude-standard"), list(...named)]);
  const isIgnored = new Set(ignored);
  return wanted.filter(path => isIgnored.has(path));
}

async function isRegularFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch (thrown) {
    if (isNotFoundError(thrown)) return false;
    throw thrown;
  }
}
