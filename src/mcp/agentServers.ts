// The MCP servers that an agent gets when its session opens, by what the agent can use.
import { t } from "../base/l10n.ts";
import type { AgentMcpServer, AgentServerTypes } from "../session/agent.ts";
import { findProgram, type PathLookup } from "../base/program.ts";
import type { Platform } from "../base/platform.ts";
import { missingProgramReason } from "./missingProgram.ts";
import type { ServerLaunch } from "./servers.ts";

/** A server whose variables are resolved. */
export type ResolvedServer = ServerLaunch & { readonly name: string; readonly folder?: string };

export interface ServersForAgent {
  readonly servers: readonly AgentMcpServer[];
  readonly leftOut: readonly LeftOutServer[];
}

/** A server that the agent does not get. */
export interface LeftOutServer {
  readonly name: string;
  /** A sentence. */
  readonly reason: string;
  /** The agent cannot use servers of this type, which stays true. */
  readonly isUnsupported: boolean;
}

export interface AgentServersOptions {
  readonly agentName: string;
  readonly accepts: AgentServerTypes;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: Platform;
  /** The agent works with the files of this machine. Absent: it does. */
  readonly sharesFiles?: boolean;
  /** The folder that relative commands start from. */
  readonly workspaceFolder: string;
  readonly look?: PathLookup;
}

/**
 * Converts the servers for the agent. Commands become absolute, because the agent may have another search path. An agent
 * elsewhere gets them as they are, because it has other programs.
 */
export function serversForAgent(servers: readonly ResolvedServer[], options: AgentServersOptions): ServersForAgent {
  const { agentName, accepts, sharesFiles = true, env, platform, workspaceFolder: cwd, look } = options;
  const given: AgentMcpServer[] = [];
  const leftOut: LeftOutServer[] = [];
  for (const server of servers) {
    const { name } = server;
    if (server.type !== "stdio") {
      if (accepts[server.type]) given.push({ name, type: server.type, url: server.url, headers: server.headers });
      else {
        const reason = t("{0} cannot use MCP servers of the type {1}.", agentName, server.type);
        leftOut.push({ name, reason, isUnsupported: true });
      }
      continue;
    }
    if (accepts.stdio === false) {
      leftOut.push({
        name,
        reason: t("{0} cannot use MCP servers that are programs.", agentName),
        isUnsupported: true,
      });
      continue;
    }
    const { command, args } = server;
    if (!sharesFiles) {
      given.push({ name, type: "stdio", command, args, env: server.env });
      continue;
    }
    const folder = server.folder ?? cwd;
    const found = findProgram(command, {
      env: { ...env, ...server.env },
      ...{ platform, cwd: folder },
      ...(look && { look }),
    });
    if ("path" in found) given.push({ name, type: "stdio", command: found.path, args, env: server.env });
    else leftOut.push({ name, reason: missingProgramReason(command, found, folder), isUnsupported: false });
  }
  return { servers: given, leftOut };
}
