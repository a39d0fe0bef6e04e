// Variables in the settings of an agent: `${env:NAME}`, `${userHome}`, and `${workspaceFolder}` in `cwd`.
import { ProblemError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Environment } from "../base/platform.ts";
import {
  credentialArguments,
  rememberSecrets,
  Secret,
  secretIfCredential,
  unwrapped,
  type PlainOrSecret,
  type PlainOrSecretValues,
} from "../base/secrets/secret.ts";
import type { AgentDefinition } from "./registry.ts";
import { headerFault, serverFolderFault } from "./remote/serverAddress.ts";

/** The values of the variables. */
export interface AgentVariableValues {
  readonly env: Environment;
  readonly userHome: string;
  /** The first workspace folder; undefined if no folder is open. */
  readonly workspaceFolder: string | undefined;
}

const variable = /\$\{(env:([^}]*)|userHome|workspaceFolder)\}/g;

/** Whether the agent starts in the opened folder, whose files can then change how the agent starts. */
export const startsInWorkspace = ({ cwd }: AgentDefinition): boolean => cwd?.includes("${workspaceFolder}") === true;

/**
 * The definition with the values of its variables in `args`, `env`, `cwd` and headers. Throws a ProblemError that names a variable
 * without a value. Other text in `${…}` stays as it is, because it may be meant for the agent.
 */
export function resolveAgentVariables(definition: AgentDefinition, values: AgentVariableValues): AgentDefinition {
  const { args, env, cwd, remote } = definition;
  const resolve = (text: string, field: string): string =>
    text.replace(variable, (whole, name: string, envName: string | undefined) => {
      if (name === "userHome") return values.userHome;
      if (name === "workspaceFolder") return resolveWorkspaceFolder(definition, values, { whole, field });
      const value = values.env[envName ?? ""];
      if (value === undefined) throw unsetProblem(definition, envName ?? "", field);
      return unwrapped(secretIfCredential(envName ?? "", value));
    });
  const resolvedArgs = args.map(argument => resolve(argument, "args"));
  rememberSecrets(credentialArguments(resolvedArgs));
  const resolveValue = (name: string, value: PlainOrSecret, field = "env"): PlainOrSecret => {
    const text = resolve(unwrapped(value), `${field} → ${name}`);
    return value instanceof Secret ? new Secret(text) : secretIfCredential(name, text);
  };
  const mapValues = (all: PlainOrSecretValues, field: string): PlainOrSecretValues =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name, resolveValue(name, value, field)]));
  const headers = remote && mapValues(remote.headers, "headers");
  for (const [name, value] of Object.entries(headers ?? {})) {
    const fault = headerFault(name, unwrapped(value));
    if (fault !== undefined) throw entryProblem(definition, fault);
  }
  const folder = cwd === undefined ? undefined : resolve(cwd, "cwd");
  const folderFault = remote && folder !== undefined ? serverFolderFault(folder) : undefined;
  if (folderFault !== undefined) throw entryProblem(definition, folderFault);
  return {
    ...definition,
    args: resolvedArgs,
    ...(args.some(argument => argument.search(variable) >= 0) && { argsInSettings: args }),
    env: mapValues(env, "env"),
    ...(folder !== undefined && { cwd: folder }),
    ...(remote && headers && { remote: { ...remote, headers } }),
  };
}

const entryProblem = ({ name }: AgentDefinition, fault: string): ProblemError =>
  new ProblemError({
    message: t("Could not connect to {0}: its entry in parley.agents {1}", name, fault),
    next: ["openSettings", "selectAgent", "retry"],
  });

function resolveWorkspaceFolder(
  { name }: AgentDefinition,
  { workspaceFolder }: AgentVariableValues,
  { whole, field }: { readonly whole: string; readonly field: string },
): string {
  if (field !== "cwd")
    throw new ProblemError({
      message: t(
        "Could not start {0}: parley.agents → {1} contains {2}, which is allowed in cwd only. Write the path instead.",
        name,
        field,
        whole,
      ),
      next: ["openSettings", "selectAgent", "retry"],
    });
  if (workspaceFolder !== undefined) return workspaceFolder;
  throw new ProblemError({
    message: t(
      "Could not start {0}: its cwd contains ${workspaceFolder}, and no folder is open. Open a folder, or change parley.agents → cwd.",
      name,
    ),
    next: ["openFolder", "openSettings"],
  });
}

const unsetProblem = ({ name }: AgentDefinition, variableName: string, field: string): ProblemError =>
  new ProblemError({
    message: t(
      "Could not start {0}: the environment variable {1}, which parley.agents → {2} uses, is not set. Set it and restart VS Code, or change the setting.",
      name,
      variableName,
      field,
    ),
    next: ["openSettings", "selectAgent", "retry"],
  });
