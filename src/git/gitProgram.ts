// Runs git so that it neither runs programs from a repository's configuration nor fetches anything.
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { asError } from "../base/errors.ts";
import { toDisposable, type Disposable } from "../base/lifecycle.ts";
import { killAtExit, killTree } from "../base/processTree.ts";
import { findProgram } from "../base/program.ts";
import { hostPlatform } from "../base/platform.ts";

/** How git is started. */
export interface Git {
  /** The program's full path. */
  readonly path: string;
}

/** The git on the PATH, or the one at `configured`. Undefined if there is none. */
export function findGit(configured?: string): Git | undefined {
  const found = findProgram(configured ?? "git", { env: process.env, platform: hostPlatform });
  return "path" in found ? { path: found.path } : undefined;
}

export interface GitRunOptions {
  readonly signal?: AbortSignal | undefined;
  /** The standard input of git. */
  readonly input?: string;
  /** Settings that override those of the repository, each as `name=value`. */
  readonly config?: readonly string[];
  /** Environment variables in addition to those of the host. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The user asked for this command, so the repository's hooks, filters and remotes work as in a terminal. Git asks for
   * nothing. Default: false.
   */
  readonly isUsers?: boolean;
}

/** Options that keep the repository from running programs, and make git treat paths literally. */
const safeOptions = [
  "--no-optional-locks",
  "--literal-pathspecs",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.quotePath=false",
  "-c",
  "core.hooksPath=/dev/null",
];

/** Options for commands that the user asked for. */
const userOptions = ["--literal-pathspecs", "-c", "core.quotePath=false"];

/** Git ran and failed. */
export class GitError extends Error {
  readonly code: number | null;
  constructor(message: string, code: number | null) {
    super(message);
    this.name = "GitError";
    this.code = code;
  }
}

/** Runs git and passes on its output as text, one chunk at a time. Rejects like {@link runGitBytes}. */
export async function runGit(
  git: Git,
  cwd: string,
  args: readonly string[],
  options: GitRunOptions & { readonly take: (text: string) => Promise<void> | void },
): Promise<void> {
  const decoder = new StringDecoder("utf8");
  await runGitBytes(git, cwd, args, { ...options, take: bytes => options.take(decoder.write(bytes)) });
}

/** Runs git and resolves with its output. */
export async function gitOutput(
  git: Git,
  cwd: string,
  args: readonly string[],
  options: GitRunOptions,
): Promise<string> {
  let all = "";
  await runGit(git, cwd, args, { ...options, take: text => void (all += text) });
  return all;
}

/** Runs git and resolves with the list that it printed, in which NUL ends each item. */
export async function gitList(
  git: Git,
  cwd: string,
  args: readonly string[],
  options: GitRunOptions = {},
): Promise<readonly string[]> {
  let all = "";
  await runGit(git, cwd, args, { ...options, take: text => void (all += text) });
  return all.split("\0").filter(item => item !== "");
}

/**
 * Runs git and passes on its output as it arrives, one chunk at a time. Rejects with its stderr output if it fails, and
 * when the signal aborts. The hooks and filters of a command of the user have then ended, too.
 */
export async function runGitBytes(
  git: Git,
  cwd: string,
  args: readonly string[],
  {
    take,
    signal,
    input,
    config = [],
    env = {},
    isUsers = false,
  }: GitRunOptions & { readonly take: (bytes: Buffer) => Promise<void> | void },
): Promise<void> {
  signal?.throwIfAborted();
  const own = isUsers ? userOptions : safeOptions;
  const child = spawn(git.path, [...own, ...config.flatMap(one => ["-c", one]), ...args], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    env: { ...gitEnvironment(isUsers), ...env },
    ...(isUsers ? { detached: hostPlatform === "posix" } : signal && { signal }),
  });
  const tree = isUsers && child.pid !== undefined ? ownTree(child.pid, signal) : undefined;
  let errorText = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errorText = (errorText + text).slice(0, 2000)));
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", code => {
      if (code === 0) resolve();
      else reject(new GitError(errorText.trim() === "" ? `git ended with code ${code}.` : errorText.trim(), code));
    });
  });
  ended.catch(() => {}); // Awaited below. It may reject before the output has ended.
  child.stdin.on("error", () => {}); // Git may exit before it has read everything. Its exit code then gives the reason.
  child.stdin.end(input ?? "");
  try {
    for await (const chunk of child.stdout) await take(chunk as Buffer);
    await ended;
  } catch (error) {
    child.kill();
    await ended.catch(() => {});
    throw asError(signal?.aborted ? signal.reason : error);
  } finally {
    tree?.dispose();
  }
}

/** Ends the processes that git has started when the signal aborts, and when the window ends. Dispose when git has ended. */
function ownTree(pid: number, signal: AbortSignal | undefined): Disposable {
  const atExit = killAtExit(pid);
  const end = (): void => void killTree(pid);
  signal?.addEventListener("abort", end);
  return toDisposable(() => {
    signal?.removeEventListener("abort", end);
    atExit.dispose();
  });
}

/** The environment of the host, without variables that redirect git to another repository. */
function gitEnvironment(isUsers: boolean): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of ["DIR", "WORK_TREE", "INDEX_FILE", "COMMON_DIR", "OBJECT_DIRECTORY", "NAMESPACE"]) {
    delete env[`GIT_${name}`];
  }
  delete env["GIT_ALTERNATE_OBJECT_DIRECTORIES"];
  if (isUsers) return { ...env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" };
  // In a partial clone, reading a missing object would fetch it with programs from the configuration.
  return { ...env, GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", LC_ALL: "C" };
}
