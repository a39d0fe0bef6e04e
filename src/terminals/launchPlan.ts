// How a terminal request becomes a process: which file, which arguments, through a shell or not. Pure.
import { posix, win32 } from "node:path";
import { Refusal } from "../base/errors.ts";
import { windowsSpawn, type SpawnCommand } from "../base/program.ts";
import type { TerminalRequest } from "../session/agent.ts";
import { quotePath } from "../base/text.ts";
import { type Platform } from "../base/platform.ts";

/** What to spawn. */
export type LaunchPlan = SpawnCommand;

/** Finds a program as the system would: the full path, or undefined when there is none that may be run. */
export type FindProgram = (name: string) => string | undefined;

/** A line that is more than the name of a program. */
function needsShell(line: string, platform: Platform): boolean {
  // On Windows everyday names, such as dir, are the shell's own.
  if (platform === "windows") return !/^[^\s"'&|<>]*[\\/][^\s"'&|<>]*$/.test(line);
  return /[\s;&|<>()$`"'*?[\]{}~#!=%^\\]/.test(line);
}

/** What to spawn for a request. Throws a Refusal when the program does not exist. */
export function planLaunch(
  request: Pick<TerminalRequest, "command" | "args">,
  shell: string,
  find: FindProgram,
  platform: Platform,
): LaunchPlan {
  const { command, args = [] } = request;
  if (command.trim() === "") throw new Refusal("invalid", "The command is empty.");
  if ([command, ...args].some(word => word.includes("\0"))) {
    throw new Refusal("invalid", "The command holds a NUL character.");
  }
  const program = find(command);
  if (program === undefined) {
    if (args.length === 0 && needsShell(command, platform)) return throughShell(shell, command, platform);
    throw programNotFound(command);
  }
  if (platform === "posix") return withMergedOutput(program, args);
  const launch = windowsSpawn(program, args, find);
  if (!("unsafe" in launch)) return launch;
  throw new Refusal("invalid", `A batch file cannot be given the argument ${quotePath(launch.unsafe)} safely.`);
}

/** The sentence for a program that does not exist. */
export function programNotFound(command: string): Refusal {
  const isPath = /[\\/]/.test(command);
  const where = isPath ? "does not exist or may not be executed" : "was not found on the PATH";
  return new Refusal("failed", `The command ${quotePath(command)} ${where}.`, { command });
}

/** A shell runs the line; `shell` is a full path. */
function throughShell(shell: string, line: string, platform: Platform): LaunchPlan {
  if (platform === "posix") return withMergedOutput(shell, ["-c", line]);
  const name = win32.basename(shell).toLowerCase();
  if (name === "cmd.exe") return { file: shell, args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
  return { file: shell, args: ["-NoProfile", "-NonInteractive", "-Command", line], verbatim: false };
}

/** Both output streams go through one pipe, so that lines keep their order. `exec` leaves no shell behind. */
function withMergedOutput(file: string, args: readonly string[]): LaunchPlan {
  return { file: "/bin/sh", args: ["-c", 'exec "$@" 2>&1', "sh", file, ...args], verbatim: false };
}

/** Shells that read a command line as POSIX says. */
const posixShells = new Set(["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "busybox"]);

/**
 * The shell for whole command lines: the user's where it understands what agents write, else the system's.
 * `preferred` is a full path, as the editor knows it.
 */
export function commandShell(preferred: string | undefined, find: FindProgram, platform: Platform): string {
  if (platform === "posix") {
    const fits = preferred !== undefined && posixShells.has(posix.basename(preferred));
    return fits && find(preferred) !== undefined ? preferred : "/bin/sh";
  }
  // Windows PowerShell 5.1 knows no "&&", so PowerShell 7 goes first.
  const name = preferred === undefined ? "" : win32.basename(preferred).toLowerCase();
  if (preferred !== undefined && (name === "pwsh.exe" || name === "cmd.exe")) return preferred;
  return find("pwsh.exe") ?? find("powershell.exe") ?? find("cmd.exe") ?? "cmd.exe";
}
