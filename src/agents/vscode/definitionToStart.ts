// What starts an agent: its definition with the values of variables and the keys that the user entered.
import { homedir } from "node:os";
import { firstDiskFolder } from "../../editor/folders.ts";
import type { WindowEnvironment } from "../../base/windowEnvironment.ts";
import type { AgentDefinition } from "../registry.ts";
import { serverOrigin } from "../remote/serverAddress.ts";
import { resolveAgentVariables } from "../variables.ts";
import type { StoredKeys } from "./storedKeys.ts";

/**
 * Under which name keys of the agent are stored. The headers of an agent on a server belong to the server, so that another
 * url in the settings never gets them, and a program never gets them as variables.
 */
export const keyOwner = ({ id, remote }: AgentDefinition): string =>
  remote ? `${id} → ${serverOrigin(remote.url)}` : id;

/**
 * The definition to start a process with. A stored key precedes the setting, which may be older. Rejects with a
 * ProblemError if a variable has no value.
 */
export async function definitionToStart(
  definition: AgentDefinition,
  keys: Pick<StoredKeys, "values">,
  environment: WindowEnvironment,
): Promise<AgentDefinition> {
  const stored = await keys.values(keyOwner(definition));
  // Changing what only the panel uses must not end a running agent.
  const { icon: _icon, defaults: _defaults, description: _description, ...program } = definition;
  const env = Object.fromEntries(Object.entries(program.env).filter(([name]) => stored[name] === undefined));
  const resolved = resolveAgentVariables(
    { ...program, env },
    {
      env: await environment.shared(),
      userHome: homedir(),
      workspaceFolder: firstDiskFolder(),
    },
  );
  const { remote } = resolved;
  if (!remote) return { ...resolved, env: { ...resolved.env, ...stored } };
  const names = new Set(Object.keys(stored).map(name => name.toLowerCase()));
  const own = Object.entries(remote.headers).filter(([name]) => !names.has(name.toLowerCase()));
  return { ...resolved, remote: { ...remote, headers: { ...Object.fromEntries(own), ...stored } } };
}
