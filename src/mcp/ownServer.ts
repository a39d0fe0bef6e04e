// Parley's own MCP server for agents, with the tools of the editor. It is listed and switched off like the others.
import type { Event } from "../base/lifecycle.ts";
import type { AgentServerLaunch, AgentServerTypes } from "../session/agent.ts";
import type { McpServer } from "./servers.ts";

/** The server, which another feature runs. Agents are named by their ids. */
export interface OwnServer {
  /** The titles of its tools for the agent. Undefined while the user has switched it off in the settings. */
  tools(agent: string | undefined): readonly string[] | undefined;
  /** How the agent of the session starts or reaches it. It has a secret. Undefined: the agent can use no server. */
  serverFor(
    session: string,
    user: { readonly agent: string | undefined; readonly accepts: AgentServerTypes },
  ): Promise<AgentServerLaunch | undefined>;
  /** Switches it on or off for a session, also for calls of its agent. */
  setOn(session: string, on: boolean): void;
  /** The session, which the agent was given, will not open. */
  end(session: string): void;
  /** Fires when it may be on or off. */
  readonly onDidChange: Event<void>;
}

/** The server as the panel shows it and switches it, by sessions. */
export interface OwnServerOfSessions extends Pick<OwnServer, "setOn"> {
  tools(session: string | undefined): readonly string[] | undefined;
}

const usualName = "parley";

/** The name of the server. A server that the user has configured keeps its name. */
export function ownServerName(servers: readonly Pick<McpServer, "name">[]): string {
  const names = new Set(servers.map(({ name }) => name));
  let name = usualName;
  for (let n = 2; names.has(name); n++) name = `${usualName}-${n}`;
  return name;
}
