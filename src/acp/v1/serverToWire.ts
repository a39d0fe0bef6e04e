// Converts an MCP server to the form that `session/new`, `session/load` and `session/resume` take.
import type { AgentMcpServer } from "../../session/agent.ts";
import type { JsonObject } from "../parse.ts";

/** The server as v1 names its fields. A server over stdio has no type (spec page "Session Setup"). */
export function serverToWire(server: AgentMcpServer): JsonObject {
  const { name } = server;
  if (server.type === "acp") return { type: server.type, name, serverId: server.serverId };
  if (server.type !== "stdio") {
    return { type: server.type, name, url: server.url, headers: namedValues(server.headers) };
  }
  return { name, command: server.command, args: server.args, env: namedValues(server.env) };
}

const namedValues = (values: Readonly<Record<string, string>>): readonly JsonObject[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));
