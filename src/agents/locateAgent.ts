// Finds the program of an agent on the PATH that all programs of the window share.
import { ProblemError, type Problem } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { hostPlatform, type Environment, type Platform } from "../base/platform.ts";
import { findProgram, windowsSpawn, type ProgramLookup, type PathLookup, type SpawnCommand } from "../base/program.ts";
import { changedEnvironment, variableOf, withDirectLoopback, type ShellPath } from "../base/programEnvironment.ts";
import { unwrappedValues, type PlainOrSecretValues } from "../base/secrets/secret.ts";
import type { WindowEnvironment } from "../base/windowEnvironment.ts";
import type { AgentDefinition } from "./registry.ts";

/** What to spawn for an agent, and in which environment. */
export interface LocatedAgent extends SpawnCommand {
  /** The full path of the program. */
  readonly path: string;
  readonly env: Environment;
  /** The login shell, if its PATH has the program and VS Code's has not. */
  readonly shell?: ShellPath;
}

/**
 * Finds the agent's program. An editor that was started from the desktop does not have what the startup files of the
 * login shell add to the PATH. Rejects with a ProblemError that shows both PATHs.
 */
export async function locateAgent(definition: AgentDefinition, environment: WindowEnvironment): Promise<LocatedAgent> {
  const env = withDirectLoopback(await environment.of(shared => agentEnvironment(shared, definition.env)));
  const { command } = definition;
  // A PATH in the settings is the user's decision.
  const hasOwnPath = Object.keys(definition.env).some(name => name.toUpperCase() === "PATH");
  const shell = await environment.shell();
  if (hasOwnPath || !shell || /[/\\]/.test(command)) return { ...agentSpawn(definition, env), env };
  const isOn = (path: string | undefined): boolean => {
    const found = findProgram(command, { env: { ...env, PATH: path }, platform: hostPlatform });
    return "path" in found || found.missing !== "notFound";
  };
  const hostPath = variableOf(environment.host, "PATH");
  if (!isOn(env["PATH"])) {
    environment.forgetShell();
    throw new ProblemError(notOnAnyPathProblem(definition, hostPath ?? "", shell));
  }
  return { ...agentSpawn(definition, env), env, ...(!isOn(hostPath) && { shell }) };
}

/** Variables of VS Code's own process that would change how a program behaves. */
const editorVariables =
  /^(ELECTRON_|VSCODE_|NODE_OPTIONS$|NODE_CHANNEL_|APPLICATION_INSIGHTS_|CHROME_|GDK_PIXBUF_MODULE)/;

/** The shared environment without additions of VS Code, then the variables of the definition. */
export function agentEnvironment(
  base: Environment,
  own: PlainOrSecretValues,
  platform: Platform = hostPlatform,
): Environment {
  const kept = Object.fromEntries(Object.entries(base).filter(([name]) => !editorVariables.test(name)));
  return changedEnvironment(kept, unwrappedValues(own), platform);
}

/** What to spawn for the agent. `path` is its program. Throws a ProblemError if it cannot be found or started. */
export function agentSpawn(
  definition: AgentDefinition,
  env: Environment,
  platform: Platform = hostPlatform,
  look?: PathLookup,
): SpawnCommand & { readonly path: string } {
  const find = (name: string): ProgramLookup => findProgram(name, { env, platform, ...(look && { look }) });
  const found = find(definition.command);
  if (!("path" in found)) throw new ProblemError(notFoundProblem(definition, found));
  const { path } = found;
  if (platform === "posix") return { path, file: path, args: definition.args, verbatim: false };
  const start = windowsSpawn(path, definition.args, name => {
    const other = find(name);
    return "path" in other ? other.path : undefined;
  });
  if ("unsafe" in start) throw new ProblemError(unsafeArgumentsProblem(definition));
  return { path, ...start };
}

function notFoundProblem(
  definition: AgentDefinition,
  found: Exclude<ProgramLookup, { readonly path: string }>,
): Problem {
  const { name, command } = definition;
  const next = ["openSettings", "selectAgent", "retry"] as const;
  if (found.missing === "notExecutable") {
    return {
      message: t(
        "Could not start {0}: `{1}` is not executable. Make it executable, or set parley.agents → command to another program.",
        name,
        found.at,
      ),
      next,
    };
  }
  if (found.missing === "folder")
    return {
      message: t("Could not start {0}: `{1}` is a folder. Set parley.agents → command to a program.", name, found.at),
      next,
    };
  if (/[/\\]/.test(command))
    return {
      message: t(
        "Could not start {0}: there is no program at `{1}`. Set parley.agents → command to the full path of a program.",
        name,
        command,
      ),
      next,
    };
  return {
    message: t(
      "Could not start {0}: `{1}` was not found on the PATH that VS Code sees. {2}, or set parley.agents → command to a full path.",
      name,
      command,
      installHint(command),
    ),
    next,
  };
}

const installHint = (command: string): string => (command === "npx" ? t("Install Node.js") : t("Install {0}", command));

function notOnAnyPathProblem(definition: AgentDefinition, path: string, shell: ShellPath): Problem {
  const { name, command } = definition;
  const { message, next } = notFoundProblem(definition, { missing: "notFound" });
  return {
    message:
      shell.path === undefined
        ? message
        : t(
            "Could not start {0}: `{1}` was not found on the PATH that VS Code sees nor on that of your login shell. {2}, or set parley.agents → command to a full path.",
            name,
            command,
            installHint(command),
          ),
    detail: pathsText(path, shell),
    next,
  };
}

/** Both PATHs, or why the shell's is not known. */
export const pathsText = (path: string, shell: ShellPath): string =>
  [
    t("PATH of VS Code: {0}", path),
    shell.path === undefined ? shell.reason : t("PATH of {0}: {1}", shell.shell, shell.path),
  ].join("\n");

function unsafeArgumentsProblem(definition: AgentDefinition): Problem {
  return {
    message: t(
      "Could not start {0}: its command is a batch file, and its arguments contain characters that the Windows shell would interpret. Set parley.agents → command to the program itself.",
      definition.name,
    ),
    next: ["openSettings", "selectAgent"],
  };
}
