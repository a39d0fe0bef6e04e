// Where MCP servers are configured: by the user, for an agent, and in `.vscode/mcp.json` of the workspace.
import type { AgentDefinition } from "../agents/registry.ts";
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Event } from "../base/lifecycle.ts";
import { parseJsonc } from "./jsonc.ts";
import { mergeServers, readServerFile, readServers, type McpServer, type ServersRead } from "./servers.ts";

/** The servers that are configured. */
export interface ConfiguredServers {
  /** Fires when other servers are configured. */
  readonly onDidChange: Event<void>;
  /** The problems in the files of the workspace, as sentences. */
  readonly workspaceProblems: readonly string[];
  /** The files that configure servers of the workspace, also under the names that links lead to. Full paths. */
  readonly workspaceFiles: readonly string[];
  /** The servers for an agent: its own, the user's, and those of the workspace. None in an untrusted workspace. */
  servers(agent: AgentDefinition | undefined): readonly McpServer[];
  /** Resolves when the files of the workspace were read. */
  whenRead(): Promise<void>;
}

/** The servers in the setting of an agent. */
export const agentServers = ({ id, mcpServers }: AgentDefinition): ServersRead =>
  readServers(mcpServers, "agent", `parley.agents → ${id} → mcpServers`);

/**
 * The servers of an agent, of the user and of the workspace, with distinct names. An agent on a server gets only those of its
 * own settings: the others start programs and name addresses of this machine, and have keys that are not for that server.
 */
export const allServersFor = (
  agent: AgentDefinition | undefined,
  user: readonly McpServer[],
  workspace: readonly McpServer[],
): readonly McpServer[] => {
  const own = agent ? agentServers(agent).servers : [];
  return agent?.remote ? mergeServers(own, [], []) : mergeServers(own, user, workspace);
};

/** Reads the text of the file of a workspace folder. `where` is its path in sentences. */
export function readWorkspaceServers(text: string, folder: string, where: string): ServersRead {
  try {
    const { servers, problems } = readServerFile(parseJsonc(text), "workspace", where);
    return { servers: servers.map(server => ({ ...server, folder })), problems };
  } catch (error) {
    return { servers: [], problems: [t("{0} is not valid JSON: {1}", where, asError(error).message)] };
  }
}
