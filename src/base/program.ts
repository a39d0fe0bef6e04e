// Finds programs, and decides how to start them on Windows. Searches the PATH itself, so that a missing program is
// noticed before it is started, and a program in the opened folder is never run by accident. It is in `base` because
// agents and terminals both need it.
import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";
import type { Environment, Platform } from "./platform.ts";

/** The result of looking for a program. `at` is the file or folder that has its name. */
export type ProgramLookup =
  | { readonly path: string }
  | { readonly missing: "notFound" }
  | { readonly missing: "notExecutable" | "folder"; readonly at: string };

/** The kind of file at a full path. Undefined if there is none or access is denied. */
export type PathLookup = (path: string) => "program" | "notExecutable" | "folder" | undefined;

/** Where to look for a program. */
export interface ProgramSearch {
  readonly env: Environment;
  readonly platform: Platform;
  /** The folder that relative paths start from. Without it, relative paths are not found. */
  readonly cwd?: string;
  readonly look?: PathLookup;
}

/**
 * Finds the full path of a program as the system does: a name in the absolute folders of `PATH`, and anything with a
 * separator as a path. On Windows, programs have one of the extensions in `PATHEXT`.
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

/** The full paths that the name may refer to, without the extensions of Windows. */
function candidateStems(name: string, { env, platform, cwd }: ProgramSearch): readonly string[] {
  if (name === "") return [];
  const path = platform === "windows" ? win32 : posix;
  const isPath = platform === "windows" ? /[\\/:]/.test(name) : name.includes("/");
  if (!isPath) return searchFolders(env, platform).map(folder => path.join(folder, name));
  // Not normalised on POSIX, because the system resolves `..` after a symbolic link.
  if (isAbsolutePath(name, platform)) return [platform === "windows" ? win32.normalize(name) : name];
  return cwd === undefined ? [] : [path.resolve(cwd, name)];
}

/** Leaves out relative entries, so that the opened folder cannot provide its own `git`. */
function searchFolders(env: Environment, platform: Platform): readonly string[] {
  if (platform === "posix") return (env["PATH"] ?? "").split(":").filter(folder => isAbsolutePath(folder, platform));
  const entries = (windowsVariable(env, "PATH") ?? "").split(";").map(entry => entry.trim().replace(/^"(.*)"$/, "$1"));
  // Windows always searches its own folder.
  const system = win32.join(windowsVariable(env, "SYSTEMROOT") ?? "C:\\Windows", "System32");
  return [...entries, system].filter(folder => isAbsolutePath(folder, platform));
}

/** On Windows `\tools` is not absolute: it is on the current drive of the process. */
function isAbsolutePath(path: string, platform: Platform): boolean {
  return platform === "posix" ? path.startsWith("/") : /^(?:[a-z]:[\\/]|[\\/]{2})/i.test(path);
}

function windowsEndings(env: Environment): readonly string[] {
  const given = (windowsVariable(env, "PATHEXT") ?? "").split(";").map(ending => ending.trim());
  const endings = given.filter(ending => /^\.[^.]/.test(ending));
  return endings.length > 0 ? endings : [".COM", ".EXE", ".BAT", ".CMD"];
}

/** The stem itself comes last, only to report that a file exists but is not a program. */
const withEndings = (stem: string, endings: readonly string[]): readonly string[] =>
  hasEnding(stem, endings) ? [stem] : [...endings.map(ending => stem + ending), stem];

const hasEnding = (path: string, endings: readonly string[]): boolean =>
  endings.some(ending => path.toLowerCase().endsWith(ending.toLowerCase()));

/** Windows ignores the case of names. The variable that was added last wins. */
const windowsVariable = (env: Environment, name: string): string | undefined =>
  Object.entries(env).findLast(([key]) => key.toUpperCase() === name)?.[1];

function lookUpPath(path: string): ReturnType<PathLookup> {
  try {
    const info = statSync(path);
    if (info.isDirectory()) return "folder";
    return info.isFile() && isExecutable(path) ? "program" : "notExecutable";
  } catch {
    return undefined; // Missing, or in a folder without access. It cannot be started in either case.
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Not executable.
  }
}

/** What to spawn. `verbatim`: the arguments are already quoted (`windowsVerbatimArguments`). */
export interface SpawnCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

/**
 * What to spawn for a program on Windows. Batch files run only in cmd.exe, which has no safe way to quote some
 * characters: `unsafe` is the first argument that contains one. `find` finds cmd.exe.
 */
export function windowsSpawn(
  program: string,
  args: readonly string[],
  find: (name: string) => string | undefined,
): SpawnCommand | { readonly unsafe: string } {
  if (!/\.(cmd|bat)$/i.test(program)) return { file: program, args, verbatim: false };
  const unsafe = args.find(argument => /["%!\r\n]/.test(argument));
  if (unsafe !== undefined) return { unsafe };
  const line = [program, ...args].map(word => `"${word.replace(/(?<!\\)(\\+)$/, "$1$1")}"`).join(" ");
  // Use the full path, because Windows would prefer a cmd.exe in the folder that the process runs in.
  return { file: find("cmd.exe") ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
}
