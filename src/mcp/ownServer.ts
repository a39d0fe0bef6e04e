// Parley's own MCP server for agents, with the tools of the editor. It is listed and switched off like the others.
import type { Event } from "../base/lifecycle.ts";
import type { McpServer } from "./servers.ts";

/** The server, which another feature runs. */
export interface OwnServer {
  /** The titles of its tools. Undefined while the user has switched it off in the settings. */
  tools(): readonly string[] | undefined;
  /** Where the agent of the session reaches it. Starts it. The headers have a secret. */
  addressFor(session: string): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>;
  /** Fires when it may be on or off. */
  readonly onDidChange: Event<void>;
}

const usualName = "parley";

/** The name of the server. A server that the user has configured keeps its name. */
export function ownServerName(servers: readonly Pick<McpServer, "name">[]): string {
  const names = new Set(servers.map(({ name }) => name));
  let name = usualName;
  for (let n = 2; names.has(name); n++) name = `${usualName}-${n}`;
  return name;
}
