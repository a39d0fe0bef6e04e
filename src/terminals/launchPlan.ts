// Plans the process for a terminal request: which file, which arguments, through a shell or not. Pure.
import { posix, win32 } from "node:path";
import { Refusal } from "../base/errors.ts";
import { windowsSpawn, type SpawnCommand } from "../base/program.ts";
import type { TerminalRequest } from "../session/agent.ts";
import { quotePath } from "../base/text.ts";
import { type Platform } from "../base/platform.ts";

/** The command to spawn. */
export type LaunchPlan = SpawnCommand;

/** Finds a program as the system does: returns the full path, or undefined if no executable file exists. */
export type FindProgram = (name: string) => string | undefined;

/** Whether a line is more than the name of a program. */
function needsShell(line: string, platform: Platform): boolean {
  // On Windows, common names such as dir are builtins of the shell.
  if (platform === "windows") return !/[\\/]/.test(line) || /[\s"'&|<>]/.test(line);
  return /[\s;&|<>()$`"'*?[\]{}~#!=%^\\]/.test(line);
}

/** Plans the process for a request. Throws a Refusal if the program does not exist. */
export function planLaunch(
  request: Pick<TerminalRequest, "command" | "args">,
  shell: string,
  find: FindProgram,
  platform: Platform,
): LaunchPlan {
  const { command, args = [] } = request;
  if (command.trim() === "") throw new Refusal("invalid", "The command is empty.");
  if ([command, ...args].some(word => word.includes("\0"))) {
    throw new Refusal("invalid", "The command contains a NUL character.");
  }
  const program = find(command);
  if (program === undefined) {
    if (args.length === 0 && needsShell(command, platform)) return throughShell(shell, command, platform);
    throw programNotFound(command);
  }
  if (platform === "posix") return withMergedOutput(program, args);
  const launch = windowsSpawn(program, args, find);
  if (!("unsafe" in launch)) return launch;
  throw new Refusal("invalid", `The argument ${quotePath(launch.unsafe)} cannot be passed to a batch file safely.`);
}

/** The error for a program that does not exist. */
function programNotFound(command: string): Refusal {
  const isPath = /[\\/]/.test(command);
  const where = isPath ? "does not exist or may not be executed" : "was not found on the PATH";
  return new Refusal("failed", `The command ${quotePath(command)} ${where}.`, { command });
}

/** Runs the line in a shell. `shell` is a full path. */
function throughShell(shell: string, line: string, platform: Platform): LaunchPlan {
  if (platform === "posix") return withMergedOutput(shell, ["-c", line]);
  const name = win32.basename(shell).toLowerCase();
  if (name === "cmd.exe") return { file: shell, args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
  return { file: shell, args: ["-NoProfile", "-NonInteractive", "-Command", line], verbatim: false };
}

/** Sends both output streams through one pipe, so that lines keep their order. `exec` replaces the shell. */
function withMergedOutput(file: string, args: readonly string[]): LaunchPlan {
  return { file: "/bin/sh", args: ["-c", 'exec "$@" 2>&1', "sh", file, ...args], verbatim: false };
}

/** Shells that parse a command line according to POSIX. */
const posixShells = new Set(["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "busybox"]);

/**
 * The shell for whole command lines: the user's shell if it understands the command lines of agents, otherwise the
 * system's. `preferred` is a full path, as VS Code reports it.
 */
export function commandShell(preferred: string | undefined, find: FindProgram, platform: Platform): string {
  if (platform === "posix") {
    const fits = preferred !== undefined && posixShells.has(posix.basename(preferred));
    return fits && find(preferred) !== undefined ? preferred : "/bin/sh";
  }
  // Windows PowerShell 5.1 does not support "&&", so PowerShell 7 is preferred.
  const name = preferred === undefined ? "" : win32.basename(preferred).toLowerCase();
  if (preferred !== undefined && (name === "pwsh.exe" || name === "cmd.exe")) return preferred;
  return find("pwsh.exe") ?? find("powershell.exe") ?? find("cmd.exe") ?? "cmd.exe";
}
