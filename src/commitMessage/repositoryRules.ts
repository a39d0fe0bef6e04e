// What a repository asks of its commit messages: the subjects of its last commits, its rules for agents, and the text that
// git has prepared.
import { realpath } from "node:fs/promises";
import { join, posix, win32 } from "node:path";
import { asError, isNotFoundError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { hostPlatform, type Platform } from "../base/platform.ts";
import { isInside } from "../files/paths.ts";
import { readRegularFile, readRegularFileStart } from "../files/regularFile.ts";
import { gitOutput, GitError, type Git } from "../git/gitProgram.ts";
import { gitPath } from "../git/gitQueries.ts";

export interface RepositoryRules {
  /** The subjects of the last commits, the latest first. */
  readonly subjects: readonly string[];
  /** The text of AGENTS.md. Absent: there is none that can be read. */
  readonly agentsFile?: string;
  /** A merge is in progress. `text` is what git proposes as its message. */
  readonly merge?: { readonly text: string };
}

const maxSubjects = 20;
const maxSubjectLength = 200;
/** A larger AGENTS.md is not part of the prompt, and only so much of what git proposes (bytes). */
const maxRulesBytes = 32 * 1024;

export interface RulesOptions {
  /** Whether a file looks like a secret. Gets a path relative to the top of the repository. */
  readonly isSecret: (path: string) => boolean;
  readonly log: Log;
  readonly signal?: AbortSignal | undefined;
}

/** The rules of the repository at `top`. Rejects with a GitError, and when the signal aborts. */
export async function repositoryRules(git: Git, top: string, options: RulesOptions): Promise<RepositoryRules> {
  const [subjects, agentsFile, merge] = await Promise.all([
    lastSubjects(git, top, options),
    readAgentsFile(top, options),
    mergeInProgress(git, top),
  ]);
  return { subjects, ...(agentsFile !== undefined && { agentsFile }), ...(merge && { merge }) };
}

async function lastSubjects(git: Git, top: string, { log, signal }: RulesOptions): Promise<readonly string[]> {
  const args = ["log", `-${maxSubjects}`, "--no-merges", "--no-show-signature", "--no-color", "--format=%s"];
  try {
    const all = await gitOutput(git, top, args, { signal });
    return all.split("\n").flatMap(line => (line.trim() === "" ? [] : [line.slice(0, maxSubjectLength)]));
  } catch (thrown) {
    if (!(thrown instanceof GitError)) throw thrown;
    if (await hasCommit(git, top, signal))
      log.warn("The commit message does without the last subjects.", `Git cannot list them: ${thrown.message}`);
    return [];
  }
}

/** False before the first commit. */
async function hasCommit(git: Git, top: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await gitOutput(git, top, ["rev-parse", "--verify", "--quiet", "HEAD"], { signal });
    return true;
  } catch (thrown) {
    if (thrown instanceof GitError) return thrown.code !== 1;
    throw thrown;
  }
}

/** Follows a link only to a file of the repository that does not look like a secret. */
async function readAgentsFile(top: string, { isSecret, log }: RulesOptions): Promise<string | undefined> {
  try {
    const [root, file] = await Promise.all([realpath(top), realpath(join(top, "AGENTS.md"))]);
    const path = pathInRepository(root, file);
    if (path === undefined || isSecret(path)) return undefined;
    const { bytes } = await readRegularFile(file, maxRulesBytes);
    const text = Buffer.from(bytes).toString("utf8").trim();
    return text === "" || text.includes("\0") ? undefined : text;
  } catch (thrown) {
    if (!isNotFoundError(thrown))
      log.warn("The commit message does without AGENTS.md.", `It cannot be read: ${asError(thrown).message}`);
    return undefined;
  }
}

/** The path relative to the top of the repository, with slashes. Undefined: it is outside, or belongs to git. */
export function pathInRepository(top: string, file: string, platform: Platform = hostPlatform): string | undefined {
  if (!isInside(file, top, platform, platform === "windows")) return undefined;
  const { relative, sep } = platform === "windows" ? win32 : posix;
  const path = relative(top, file).replaceAll(sep, "/");
  return /^\.git(?:\/|$)/i.test(path) ? undefined : path;
}

async function mergeInProgress(git: Git, top: string): Promise<{ readonly text: string } | undefined> {
  const [head, message] = await Promise.all([gitPath(git, top, "MERGE_HEAD"), gitPath(git, top, "MERGE_MSG")]);
  if ((await readIfThere(head)) === undefined) return undefined;
  const text = (await readIfThere(message)) ?? "";
  // Git leaves out lines that begin with "#".
  const lines = text.split(/\r?\n/).filter(line => !line.startsWith("#"));
  return { text: lines.join("\n").trim() };
}

/** Without the line in which the limit is. */
async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const bytes = await readRegularFileStart(path, maxRulesBytes);
    const text = Buffer.from(bytes).toString("utf8");
    return bytes.length < maxRulesBytes ? text : text.slice(0, text.lastIndexOf("\n") + 1);
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}
