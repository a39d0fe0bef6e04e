// What a server runs or where it is, as a user reads it.
import { commandLineText } from "../base/commandLineText.ts";
import { exactLine } from "../base/inertText.ts";
import type { McpServer } from "./servers.ts";

/** The command line or the address of the server, in one line. */
export function serverDetail(server: McpServer): string {
  return exactLine(server.type === "stdio" ? commandLineText(server.command, server.args) : server.url);
}
