// Runs an agent's sign-in program in a terminal of VS Code, where the user can answer it.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { ProblemError } from "../../base/errors.ts";
import { hostPlatform } from "../../base/platform.ts";
import type { SpawnCommand } from "../../base/program.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import { createTerminal } from "../../editor/editorItems.ts";
import { locateAgent } from "../locateAgent.ts";
import { signInDefinition, signInEnvironment, type SignInProgram } from "../signInProgram.ts";

/**
 * Whether the program ended with exit code 0. False if the user interrupted it or closed the terminal, or the signal
 * aborted. Rejects with a ProblemError for another exit code, or if the program is not found.
 */
export async function signInByTerminal(
  program: SignInProgram,
  environment: WindowEnvironment,
  signal: AbortSignal,
): Promise<boolean> {
  const { agent, cwd } = program;
  const definition = signInDefinition(program);
  const located = await locateAgent(definition, environment);
  const options = {
    name: vscode.l10n.t("Sign In: {0}", agent.name),
    env: signInEnvironment(definition, located.env, environment.host),
    cwd,
    isTransient: true,
    iconPath: new vscode.ThemeIcon("key"),
  };
  const run = hostPlatform === "posix" ? runKeptOpen : runInTerminal;
  const code = await run(located, options, signal);
  if (code === undefined || code === interrupted || signal.aborted) return false;
  if (code === 0) return true;
  throw new ProblemError({
    message: vscode.l10n.t(
      "{0} did not sign you in: its sign-in program ended with code {1}. Try again, or choose another way.",
      agent.name,
      code,
    ),
    next: [],
  });
}

type Program = Pick<SpawnCommand, "file" | "args">;

/** The exit code after Ctrl+C. */
const interrupted = 130;

/**
 * Runs a program, and after a failure waits for Enter, because VS Code closes a terminal together with its program. VS
 * Code also reports the code 0 for a program that a signal ended, so the shell writes its own code, 128 and more, to a
 * file. It ends with 0, because VS Code would show any other code with the whole command line. Ctrl+C does not end it.
 */
const keepOpenScript = `message=$1 result=$2; shift 2; trap : INT; "$@"; code=$?; echo $code >"$result"
[ $code -eq 0 ] || [ $code -eq ${interrupted} ] || { printf '\\n%s' "$message"; read -r _; }
exit 0`;

/** The exit code of the program in this script. Its arguments stay an array, so that the shell does not interpret them. */
async function runKeptOpen(
  { file, args }: Program,
  options: vscode.TerminalOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "parley-sign-in-"));
  try {
    const result = join(folder, "code");
    const message = vscode.l10n.t("Press Enter to close this terminal.");
    const script = { file: "/bin/sh", args: ["-c", keepOpenScript, "sh", message, result, file, ...args] };
    await runInTerminal(script, options, signal);
    return await readFile(result, "utf8").then(Number, () => undefined);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The exit code of the program. Undefined if the terminal was closed before the program ended. */
function runInTerminal(
  { file, args }: Program,
  options: vscode.TerminalOptions,
  signal: AbortSignal,
): Promise<number | undefined> {
  const terminal = createTerminal({ ...options, shellPath: file, shellArgs: [...args] });
  terminal.show();
  return exitCode(terminal, signal);
}

/** Undefined if the terminal was closed before the program ended. */
function exitCode(terminal: vscode.Terminal, signal: AbortSignal): Promise<number | undefined> {
  return new Promise(resolve => {
    const abort = (): void => terminal.dispose();
    const listener = vscode.window.onDidCloseTerminal(closed => {
      if (closed !== terminal) return;
      listener.dispose();
      signal.removeEventListener("abort", abort);
      resolve(closed.exitStatus?.code);
    });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
