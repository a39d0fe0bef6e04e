// Converts an MCP server to the form that `session/new` and `session/resume` take in version 2.
import type { AgentMcpServer } from "../../session/agent.ts";
import type { JsonObject } from "../parse.ts";
import { serverToWire } from "../v1/serverToWire.ts";

/** The server with its type, which version 2 always names. Empty for a type that version 2 does not have. */
export function serverToV2Wire(server: AgentMcpServer): readonly JsonObject[] {
  return server.type === "sse" ? [] : [{ ...serverToWire(server), type: server.type }];
}
