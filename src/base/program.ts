// Where a program is, and how Windows starts it. Finding walks the PATH itself, so that a missing program is known before
// it is started, and so that one lying in the opened folder is never run by accident. Stands in `base` because agents and
// terminals need it alike.
import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";
import type { Environment, Platform } from "./platform.ts";

/** What looking for a program found. `at`: the file or folder that has its name. */
export type ProgramLookup =
  | { readonly path: string }
  | { readonly missing: "notFound" }
  | { readonly missing: "notExecutable" | "folder"; readonly at: string };

/** What is at a full path; undefined when nothing is, or nothing that may be seen. */
export type PathLookup = (path: string) => "program" | "notExecutable" | "folder" | undefined;

/** Where a program is looked for. */
export interface ProgramSearch {
  readonly env: Environment;
  readonly platform: Platform;
  /** The folder in which relative paths begin. Without it they find nothing. */
  readonly cwd?: string;
  readonly look?: PathLookup;
}

/**
 * The program's full path, found as the system would: a bare name in the absolute folders of `PATH`, anything with a
 * separator as a path. On Windows with the endings of `PATHEXT`: a file without one of them is no program there.
 */
export function findProgram(name: string, search: ProgramSearch): ProgramLookup {
  const endings = search.platform === "windows" ? windowsEndings(search.env) : undefined;
  const { look = lookUpPath } = search;
  let blocked: ProgramLookup | undefined;
  for (const stem of candidateStems(name, search)) {
    for (const path of endings ? withEndings(stem, endings) : [stem]) {
      const seen = look(path);
      const kind = seen === "program" && endings && !hasEnding(path, endings) ? "notExecutable" : seen;
      if (kind === "program") return { path };
      if (kind !== undefined) blocked ??= { missing: kind, at: path };
    }
  }
  return blocked ?? { missing: "notFound" };
}

/** The full paths that the name may mean, still without the endings of Windows. */
function candidateStems(name: string, { env, platform, cwd }: ProgramSearch): readonly string[] {
  if (name === "") return [];
  const path = platform === "windows" ? win32 : posix;
  const isPath = platform === "windows" ? /[\\/:]/.test(name) : name.includes("/");
  if (!isPath) return searchFolders(env, platform).map(folder => path.join(folder, name));
  // On POSIX `..` after a symbolic link is the system's to follow.
  if (isAbsolutePath(name, platform)) return [platform === "windows" ? win32.normalize(name) : name];
  return cwd === undefined ? [] : [path.resolve(cwd, name)];
}

/** Relative entries are left out: the opened folder must not bring its own "git". */
function searchFolders(env: Environment, platform: Platform): readonly string[] {
  if (platform === "posix") return (env["PATH"] ?? "").split(":").filter(folder => isAbsolutePath(folder, platform));
  const entries = (windowsVariable(env, "PATH") ?? "").split(";").map(entry => entry.trim().replace(/^"(.*)"$/, "$1"));
  // Its own folder Windows searches in any case.
  const system = win32.join(windowsVariable(env, "SYSTEMROOT") ?? "C:\\Windows", "System32");
  return [...entries, system].filter(folder => isAbsolutePath(folder, platform));
}

/** On Windows `\tools` is not: it lies on whatever drive the process is on. */
function isAbsolutePath(path: string, platform: Platform): boolean {
  return platform === "posix" ? path.startsWith("/") : /^(?:[a-z]:[\\/]|[\\/]{2})/i.test(path);
}

function windowsEndings(env: Environment): readonly string[] {
  const given = (windowsVariable(env, "PATHEXT") ?? "").split(";").map(ending => ending.trim());
  const endings = given.filter(ending => /^\.[^.]/.test(ending));
  return endings.length > 0 ? endings : [".COM", ".EXE", ".BAT", ".CMD"];
}

/** The stem itself comes last: only to say that it is there, and no program. */
const withEndings = (stem: string, endings: readonly string[]): readonly string[] =>
  hasEnding(stem, endings) ? [stem] : [...endings.map(ending => stem + ending), stem];

const hasEnding = (path: string, endings: readonly string[]): boolean =>
  endings.some(ending => path.toLowerCase().endsWith(ending.toLowerCase()));

/** Names that differ in case are one there; what was added later wins. */
const windowsVariable = (env: Environment, name: string): string | undefined =>
  Object.entries(env).findLast(([key]) => key.toUpperCase() === name)?.[1];

function lookUpPath(path: string): ReturnType<PathLookup> {
  try {
    const info = statSync(path);
    if (info.isDirectory()) return "folder";
    return info.isFile() && isExecutable(path) ? "program" : "notExecutable";
  } catch {
    return undefined; // Missing, or in a folder that may not be searched: either way not to be had.
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // That is the answer.
  }
}

/** What to spawn. `verbatim`: the arguments are quoted already (`windowsVerbatimArguments`). */
export interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

/**
 * What to spawn on Windows for a program that was found there. Batch files only run through cmd.exe, which has no safe
 * way to quote some characters: `unsafe` is the first argument that holds one. `find` finds cmd.exe.
 */
export function windowsSpawn(
  program: string,
  args: readonly string[],
  find: (name: string) => string | undefined,
): SpawnCommand | { readonly unsafe: string } {
  if (!/\.(cmd|bat)$/i.test(program)) return { file: program, args, verbatim: false };
  const unsafe = args.find(argument => /["%!\r\n]/.test(argument));
  if (unsafe !== undefined) return { unsafe };
  const line = [program, ...args].map(word => `"${word.replace(/(\\+)$/, "$1$1")}"`).join(" ");
  // By its full path: Windows would take a cmd.exe of the folder that the process runs in.
  return { file: find("cmd.exe") ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
}
