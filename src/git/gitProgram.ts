// Running git, so that nothing is run that a repository's configuration names, and nothing is fetched.
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { asError } from "../base/errors.ts";
import { findProgram } from "../base/program.ts";
import { hostPlatform } from "../base/platform.ts";

/** How git is started. */
export interface Git {
  /** The program's full path. */
  readonly path: string;
}

/** The git of the PATH, or the one at `configured`; undefined where there is none. */
export function findGit(configured?: string): Git | undefined {
  const found = findProgram(configured ?? "git", { env: process.env, platform: hostPlatform });
  return "path" in found ? { path: found.path } : undefined;
}

export interface GitRunOptions {
  readonly signal?: AbortSignal | undefined;
  /** What git reads from its standard input. */
  readonly input?: string;
  /** Settings that go before the repository's own, each `name=value`. */
  readonly config?: readonly string[];
  /** Variables beside the host's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Options that keep a repository from naming programs to run, and paths from being taken for patterns. */
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

/** git has run and says no. */
export class GitError extends Error {
  readonly code: number | null;
  constructor(message: string, code: number | null) {
    super(message);
    this.name = "GitError";
    this.code = code;
  }
}

/** Runs git and hands over the text it prints, waiting for each piece. Rejects as {@link runGitBytes} does. */
export async function runGit(
  git: Git,
  cwd: string,
  args: readonly string[],
  options: GitRunOptions & { readonly take: (text: string) => Promise<void> | void },
): Promise<void> {
  const decoder = new StringDecoder("utf8");
  await runGitBytes(git, cwd, args, { ...options, take: bytes => options.take(decoder.write(bytes)) });
}

/** Runs git and resolves with the list it printed, where NUL ends each item. */
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
 * Runs git and hands over its output as it comes, waiting for each piece. Rejects with what it wrote to stderr when it
 * fails, and when the signal aborts.
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
  }: GitRunOptions & { readonly take: (bytes: Buffer) => Promise<void> | void },
): Promise<void> {
  const child = spawn(git.path, [...safeOptions, ...config.flatMap(one => ["-c", one]), ...args], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    env: { ...gitEnvironment(), ...env },
    ...(signal && { signal }),
  });
  let errorText = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errorText = (errorText + text).slice(0, 2000)));
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", code => {
      if (code === 0) resolve();
      else reject(new GitError(errorText.trim() === "" ? `git ended with code ${code}.` : errorText.trim(), code));
    });
  });
  ended.catch(() => {}); // Waited for below; it may fail before the output has ended.
  child.stdin.on("error", () => {}); // It may end before it has read all: then its code tells why.
  child.stdin.end(input ?? "");
  try {
    for await (const chunk of child.stdout) await take(chunk as Buffer);
  } catch (error) {
    child.kill();
    await ended.catch(() => {});
    throw asError(error);
  }
  await ended;
}

/** The host's environment, without what would make git look elsewhere. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  for (const name of ["DIR", "WORK_TREE", "INDEX_FILE", "COMMON_DIR", "OBJECT_DIRECTORY", "NAMESPACE"]) {
    delete env[`GIT_${name}`];
  }
  delete env["GIT_ALTERNATE_OBJECT_DIRECTORIES"];
  // In a clone that lacks objects, to read one is to fetch it, by programs that its configuration names.
  return { ...env, GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "none", LC_ALL: "C" };
}
