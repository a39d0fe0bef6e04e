// What starts an agent: its definition with the values of variables and the keys that the user entered.
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { AgentDefinition } from "../registry.ts";
import { resolveAgentVariables } from "../variables.ts";
import type { StoredKeys } from "./storedKeys.ts";

/**
 * The definition to start a process with. A stored key precedes the setting, which may be older. Rejects with a
 * ProblemError if a variable has no value.
 */
export async function definitionToStart(
  definition: AgentDefinition,
  keys: Pick<StoredKeys, "values">,
  environment: WindowEnvironment,
): Promise<AgentDefinition> {
  const stored = await keys.values(definition.id);
  // Changing what only the panel uses must not end a running agent.
  const { icon: _icon, defaults: _defaults, description: _description, ...program } = definition;
  const env = Object.fromEntries(Object.entries(program.env).filter(([name]) => stored[name] === undefined));
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const resolved = resolveAgentVariables(
    { ...program, env },
    {
      env: await environment.shared(),
      userHome: homedir(),
      workspaceFolder: folder?.scheme === "file" ? folder.fsPath : undefined,
    },
  );
  return { ...resolved, env: { ...resolved.env, ...stored } };
}
