// Runs an agent's sign-in program in a terminal of VS Code, where the user can answer it.
import * as vscode from "vscode";
import { ProblemError } from "../../base/errors.ts";
import type { SignInMethod } from "../../session/signIn.ts";
import { locateAgent } from "../locateAgent.ts";
import type { AgentDefinition } from "../registry.ts";

type TerminalMethod = Extract<SignInMethod, { type: "terminal" }>;

/**
 * Whether the program ended with exit code 0. False if the user closed the terminal or the signal aborted. Rejects with a
 * ProblemError for another exit code, or if the program is not found.
 */
export async function signInByTerminal(
  method: TerminalMethod,
  { definition, cwd }: { readonly definition: AgentDefinition; readonly cwd: string },
  signal: AbortSignal,
): Promise<boolean> {
  const env = { ...definition.env, ...method.env };
  const program = { ...definition, command: method.command, args: method.args, env };
  const { file, args, shell } = await locateAgent(program);
  const terminal = vscode.window.createTerminal({
    name: vscode.l10n.t("Sign In: {0}", definition.name),
    shellPath: file,
    shellArgs: [...args],
    env: { ...env, ...(shell?.path !== undefined && { PATH: shell.path }) },
    cwd,
    isTransient: true,
    iconPath: new vscode.ThemeIcon("key"),
  });
  terminal.show();
  const code = await exitCode(terminal, signal);
  if (code === undefined || signal.aborted) return false;
  if (code === 0) return true;
  throw new ProblemError({
    message: vscode.l10n.t(
      "{0} did not sign you in: its sign-in program ended with code {1}. Try again, or choose another way.",
      definition.name,
      code,
    ),
    next: [],
  });
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
