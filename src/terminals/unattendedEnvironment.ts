// The environment of an agent's commands: the shared one without switches of VS Code, then variables that keep a command
// from waiting for a person, then those of the request. Also finds programs on its PATH.
import { Refusal } from "../base/errors.ts";
import { findProgram } from "../base/program.ts";
import { hostPlatform, type Environment, type Platform } from "../base/platform.ts";
import { changedEnvironment, variableKey, variableOf } from "../base/programEnvironment.ts";

/** Variables for VS Code's own processes. A Node or an Electron that an agent starts would apply them to itself. */
const editorVariable = /^(ELECTRON_|VSCODE_)/i;

/**
 * There is no person to page, type a password or answer a prompt: each of these must end with an error instead of a
 * hang.
 */
const unattendedVariables: Environment = {
  // A pipe is not a terminal, so tools turn colours off by themselves. Tools that check TERM find a capable terminal.
  TERM: "xterm-256color",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "force",
  GCM_INTERACTIVE: "never",
};

/** The user's changes to the environment of terminals, as in `terminal.integrated.env`: null removes a variable. */
export type TerminalVariables = Readonly<Record<string, string | null>>;

/** The environment with these changes. VS Code replaces `${env:NAME}` in them, usually to extend the PATH. */
export function withTerminalVariables(
  env: Environment,
  changes: TerminalVariables,
  platform: Platform = hostPlatform,
): Environment {
  const resolve = (value: string): string =>
    value.replace(/\$\{env:([^}]*)\}/g, (_whole, name: string) => variableOf(env, name, platform) ?? "");
  const resolved = Object.entries(changes).map(
    ([name, value]) => [name, value === null ? null : resolve(value)] as const,
  );
  return changedEnvironment(env, Object.fromEntries(resolved), platform);
}

/** The environment for one command. Later names take precedence. On Windows, names are compared without case. */
export function unattendedEnvironment(
  base: Environment,
  request: readonly { readonly name: string; readonly value: string }[],
  platform: Platform,
): Record<string, string> {
  const merged = new Map<string, { name: string; value: string }>();
  const set = (name: string, value: string | undefined): void => {
    if (value !== undefined) merged.set(platform === "windows" ? name.toUpperCase() : name, { name, value });
  };
  // A proxy of the request replaces the same variable in the other case.
  const requested = new Set(request.map(({ name }) => variableKey(name, platform)));
  for (const [name, value] of Object.entries(base))
    if (!editorVariable.test(name) && !requested.has(variableKey(name, platform))) set(name, value);
  for (const [name, value] of Object.entries(unattendedVariables)) set(name, value);
  for (const { name, value } of request) {
    checkVariable(name, value);
    set(name, value);
  }
  return Object.fromEntries([...merged.values()].map(({ name, value }) => [name, value]));
}

function checkVariable(name: string, value: string): void {
  if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
    throw new Refusal("invalid", `“${name.slice(0, 100)}” is not a valid environment variable.`);
  }
}

/** Finds programs as the system does: by path from `cwd`, or by name on the PATH of the environment. */
export function programFinder(env: Environment, cwd: string, platform: Platform): (name: string) => string | undefined {
  return name => {
    const found = findProgram(name, { env, platform, cwd });
    return "path" in found ? found.path : undefined;
  };
}
