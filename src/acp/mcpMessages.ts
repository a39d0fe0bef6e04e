// `mcp/message` (unstable): requests of the agent to MCP servers of Parley, over the connection of the agent.
import { ResponseError } from "vscode-jsonrpc/node";
import { asError, Refusal } from "../base/errors.ts";
import { shortQuote } from "../base/text.ts";
import type { AgentMcpServer, ConnectedServer, McpRequest } from "../session/agent.ts";
import { mcpServerFailed, mcpServerUnavailable, tooManyMcpRequests } from "./errorCodes.ts";
import { isObject, type JsonObject } from "./parse.ts";

/** The requests to one server at the same time. */
const maxRunning = 32;
/** Of an id that the agent chooses (characters). */
const maxIdLength = 1000;

interface AddedServer {
  readonly server: ConnectedServer;
  /** The ids of the requests that run. */
  readonly running: Set<string>;
}

/** The servers that one agent reaches over its connection: those that its sessions were given, until they end. */
export class McpMessages {
  readonly #servers = new Map<string, AddedServer>();
  readonly #notify: (params: JsonObject) => void;

  constructor(notify: (params: JsonObject) => void) {
    this.#notify = notify;
  }

  /** Lets the agent reach the server. Call before the agent learns of it. */
  add(server: AgentMcpServer & ConnectedServer): void {
    const { serverId, ended } = server;
    if (ended.aborted || this.#servers.has(serverId)) return;
    this.#servers.set(serverId, { server, running: new Set() });
    ended.addEventListener("abort", () => this.#servers.delete(serverId), { once: true });
  }

  /** Answers a request. Rejects with a ResponseError or a Refusal. */
  async answer(params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { serverId, message } = readMessage(params);
    const { requestId } = message;
    const added = this.#servers.get(serverId);
    if (!added) throw unavailable(serverId);
    const { server, running } = added;
    if (running.has(requestId))
      throw new Refusal("invalid", "A request with this `requestId` still runs. Use another one.");
    if (running.size >= maxRunning)
      throw new ResponseError(tooManyMcpRequests, "Too many requests at the same time. Wait for the answers.");
    running.add(requestId);
    const ended = AbortSignal.any([signal, server.ended]);
    const notify = (method: string, sent: JsonObject): void => {
      if (running.has(requestId) && !ended.aborted) this.#notify({ serverId, requestId, method, params: sent });
    };
    try {
      const outcome = await server.answer(message, { signal: ended, notify });
      if (server.ended.aborted) throw unavailable(serverId);
      if (signal.aborted) throw new Refusal("cancelled", "The request was cancelled.");
      return { ...outcome };
    } catch (error) {
      if (server.ended.aborted) throw unavailable(serverId);
      if (signal.aborted) throw new Refusal("cancelled", "The request was cancelled.");
      if (error instanceof Refusal || error instanceof ResponseError) throw error;
      throw new ResponseError(mcpServerFailed, `The server failed: ${asError(error).message}`);
    } finally {
      running.delete(requestId);
    }
  }
}

const unavailable = (serverId: string): ResponseError<unknown> =>
  new ResponseError(
    mcpServerUnavailable,
    `There is no server ${shortQuote(serverId)}. A server ends with the session that it belongs to.`,
    { serverId: serverId.slice(0, maxIdLength) },
  );

function readMessage(params: JsonObject): { readonly serverId: string; readonly message: McpRequest } {
  const text = (field: string): string => {
    const value = params[field];
    if (typeof value === "string" && value !== "" && value.length <= maxIdLength) return value;
    throw new Refusal("invalid", `The request needs a string of at most ${maxIdLength} characters in \`${field}\`.`, {
      field,
    });
  };
  const { params: given } = params;
  if (given !== undefined && given !== null && !isObject(given))
    throw new Refusal("invalid", "`params` must be an object.", { field: "params" });
  const message = { requestId: text("requestId"), method: text("method"), ...(isObject(given) && { params: given }) };
  return { serverId: text("serverId"), message };
}
