// Asks the user's login shell for its PATH. An editor that was started from the desktop does not have what the startup
// files of the shell add. Those files can print anything, wait for input, start programs, or never end.
import { randomUUID } from "node:crypto";
import { spawn } from "node:child_process";
import { userInfo } from "node:os";
import { basename } from "node:path";
import { withTimeout } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Environment } from "../base/platform.ts";
import { killAtExit, killTree } from "../base/processTree.ts";
import type { ShellPath } from "../base/programEnvironment.ts";

/** The startup files get this much time (ms). */
const maxShellTime = 10_000;
/** Only the end of what the shell prints is kept. A PATH is shorter. */
const maxOutput = 256 * 1024;

interface ShellOptions {
  readonly shell?: string;
  readonly timeout?: number;
}

/** Starts the shell, once, as a login shell that reads the files for interactive use too. Never rejects. */
export async function loginShellPath(
  env: Environment,
  { shell = userShell(env), timeout = maxShellTime }: ShellOptions = {},
): Promise<ShellPath> {
  const marker = `parley-${randomUUID()}`;
  const script = pathScript(basename(shell), marker);
  const failed = (why: string): ShellPath => ({
    shell,
    reason: t("Your login shell ({0}) could not be asked for its PATH: {1}", shell, why),
  });
  if (script === undefined) return failed(t("Parley knows how to ask bash, zsh and fish only."));
  const result = await runShell(shell, script, { env, marker, timeout });
  return "path" in result ? { shell, path: result.path } : failed(result.reason);
}

const userShell = ({ SHELL }: Environment): string => {
  if (SHELL !== undefined && SHELL !== "") return SHELL;
  try {
    return userInfo().shell ?? "/bin/sh";
  } catch {
    return "/bin/sh"; // The user has no entry in the list of users.
  }
};

/** The script that prints the PATH between markers. Undefined for shells with another syntax. */
function pathScript(name: string, marker: string): string | undefined {
  if (name === "fish") return `printf %s ${marker}; printf %s (string join : $PATH); printf %s ${marker}`;
  return /^(?:ba|z)sh$/.test(name) ? `printf %s ${marker}; printf %s "$PATH"; printf %s ${marker}` : undefined;
}

interface ShellRun {
  readonly env: Environment;
  readonly marker: string;
  readonly timeout: number;
}

async function runShell(
  shell: string,
  script: string,
  { env, marker, timeout }: ShellRun,
): Promise<{ readonly path: string } | { readonly reason: string }> {
  // In its own session without a terminal, so that a startup file cannot stop it by waiting for one.
  const child = spawn(shell, ["-l", "-i", "-c", script], { env, stdio: ["ignore", "pipe", "ignore"], detached: true });
  const { pid, stdout } = child;
  let output = "";
  const answer = new Promise<{ readonly path: string } | { readonly reason: string }>(resolve => {
    stdout.setEncoding("utf8");
    stdout.on("data", (text: string) => {
      output = (output + text).slice(-maxOutput);
      const [, path] = output.split(marker, 3);
      if (path !== undefined && output.split(marker).length > 2) resolve({ path });
    });
    child.once("error", error => resolve({ reason: asError(error).message }));
    child.once("close", code =>
      resolve({ reason: t("It ended with code {0} before it printed its PATH.", code ?? t("unknown")) }),
    );
  });
  if (pid === undefined) return answer;
  const atExit = killAtExit(pid);
  const result = await withTimeout(answer, timeout, () => ({
    reason: t("Its startup files did not end within {0} seconds.", Math.round(timeout / 1000)),
  }));
  // Startup files can leave programs behind, which would hold the output open.
  stdout.destroy();
  void killTree(pid).finally(() => atExit.dispose());
  return result;
}
