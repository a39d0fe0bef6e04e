// An MCP server over HTTP with the official SDK, for agents on this machine only. It
// answers every revision of MCP since 2024-11-05 that has this transport, without sessions of its own.
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, validateHostHeader } from "@modelcontextprotocol/server";
import { drained } from "../../base/drained.ts";
import { parseBoundedJson } from "../../base/jsonDepth.ts";
import { mcpServer } from "./mcpServer.ts";
import type {
  MessageContext,
  RunningToolServer,
  ServedTools,
  ToolServerLimits,
  ToolServerOptions,
} from "../toolServer.ts";

/** The only address that is ever bound. Another user of the machine can reach it, which is why each session has a token. */
const host = "127.0.0.1";
const path = "/mcp";

/** Of one request (bytes). */
export const maxRequest = 1024 * 1024;
/** Says that the request is too large. */
export const tooLargeText = (max: number): string => `The request has more than ${max} bytes. Send a smaller one.`;

const defaultLimits: ToolServerLimits = {
  maxBody: maxRequest,
  requestTimeout: 20_000,
  maxRequests: 32,
  maxConnections: 200,
};
const maxHeaderSize = 16 * 1024;
const serverError = -32000;
const invalidRequest = -32600;

/** A request that is refused, with its status. */
class HttpRefusal extends Error {
  readonly status: number;
  /** Of JSON-RPC. */
  readonly code: number;
  constructor(status: number, message: string, code = serverError) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Starts a server on 127.0.0.1, on a port that the system chooses. */
export async function startToolServer(options: ToolServerOptions): Promise<RunningToolServer> {
  const limits = { ...defaultLimits, ...options.limits };
  const requests = new RunningRequests(limits.maxRequests);
  const server = createServer(
    {
      maxHeaderSize,
      requestTimeout: limits.requestTimeout,
      headersTimeout: limits.requestTimeout,
      connectionsCheckingInterval: Math.min(1000, limits.requestTimeout),
    },
    (request, response) => {
      serve(request, response, { ...options, limits, requests }).catch((error: unknown) => {
        options.onWarning(`A request to the server of the editor's tools failed: ${String(error)}`);
        response.destroy();
      });
    },
  );
  server.maxConnections = limits.maxConnections;
  const { port } = await listen(server);
  return {
    url: `http://${host}:${port}${path}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: HttpServer): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port: 0, exclusive: true }, () => {
      server.off("error", reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

/** Counts the requests of each session, so that one agent cannot keep the editor busy. */
class RunningRequests {
  readonly #max: number;
  readonly #counts = new WeakMap<AbortSignal, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts a request of the session. The result counts it as done. */
  add({ ended }: ServedTools): () => void {
    const count = this.#counts.get(ended) ?? 0;
    if (count >= this.#max) throw new HttpRefusal(429, "Too many requests at the same time. Wait for the answers.");
    this.#counts.set(ended, count + 1);
    return () => this.#counts.set(ended, (this.#counts.get(ended) ?? 1) - 1);
  }
}

interface ServeOptions extends ToolServerOptions {
  readonly limits: ToolServerLimits;
  readonly requests: RunningRequests;
}

/** Answers one request, after every check. */
async function serve(request: IncomingMessage, response: ServerResponse, options: ServeOptions): Promise<void> {
  let done: (() => void) | undefined;
  try {
    const tools = admit(request, options);
    done = options.requests.add(tools);
    const body = await readBody(request, options.limits.maxBody);
    const gone = new AbortController();
    response.once("close", () => gone.abort(new Error("The client has gone.")));
    const signal = AbortSignal.any([gone.signal, tools.ended]);
    await send(await answer(request, body, { ...options, tools, signal }), { response, signal });
  } catch (error) {
    if (!(error instanceof HttpRefusal)) throw error;
    refuse(response, error);
  } finally {
    done?.();
  }
}

/** The tools for the request. Throws unless it comes from a program on this machine that has a token. */
function admit(request: IncomingMessage, { toolsOf, limits }: ServeOptions): ServedTools {
  // A page whose name was changed to lead to this machine sends its own name.
  const hosts = request.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length !== 1 || !validateHostHeader(request.headers.host, [host]).ok)
    throw new HttpRefusal(403, `The host of the request must be ${host}.`);
  // Only browsers send an origin. No page may use the tools, not even one of this machine.
  if (request.headers.origin !== undefined) throw new HttpRefusal(403, "Requests from web pages are refused.");
  const [, token] = /^Bearer ([\w-]{1,200})$/i.exec(request.headers.authorization ?? "") ?? [];
  const tools = token === undefined ? undefined : toolsOf(token);
  if (!tools || tools.ended.aborted)
    throw new HttpRefusal(401, "The token is missing or not valid. It ends with the session that it belongs to.");
  if (request.url !== path) throw new HttpRefusal(404, `The server answers at ${path} only.`);
  if (Number(request.headers["content-length"] ?? 0) > limits.maxBody) throw tooLarge(limits.maxBody);
  return tools;
}

const tooLarge = (maxBody: number): HttpRefusal => new HttpRefusal(413, tooLargeText(maxBody));

/** The body of the request. Reads no more than the limit. */
async function readBody(request: IncomingMessage, maxBody: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBody) throw tooLarge(maxBody);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks, size));
  } catch {
    throw new HttpRefusal(400, "The request is not valid UTF-8.");
  }
}

/** The answer of the SDK. */
async function answer(
  { method = "GET", headers }: IncomingMessage,
  body: string,
  options: Omit<MessageContext, "notify">,
): Promise<Response> {
  const { signal, onWarning } = options;
  const handler = createMcpHandler(() => mcpServer(options), {
    onerror: error => onWarning(`The server of the editor's tools: ${error.message}`),
  });
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && name !== "authorization" ? [[name, value] as [string, string]] : [],
  );
  const isPost = method === "POST";
  const parsedBody = isPost ? parsed(body) : undefined;
  // MCP has none since 2025-06-18. One request could run any number of calls, past the limit of a session.
  if (Array.isArray(parsedBody))
    throw new HttpRefusal(400, "Send each message by itself, not several as a list.", invalidRequest);
  const request = new Request(`http://${host}${path}`, {
    ...{ method, headers: sent, signal },
    ...(isPost && { body }),
  });
  return handler.fetch(request, parsedBody === undefined ? {} : { parsedBody });
}

function parsed(body: string): unknown {
  try {
    return parseBoundedJson(body);
  } catch {
    return undefined; // The SDK answers with its own error for what is not JSON.
  }
}

/** Sends an answer as it comes. Stops when the client or the session has gone. */
async function send(
  answered: Response,
  { response, signal }: { readonly response: ServerResponse; readonly signal: AbortSignal },
): Promise<void> {
  const { body, status, headers } = answered;
  if (signal.aborted) {
    await body?.cancel();
    response.destroy();
    return;
  }
  response.writeHead(status, { ...Object.fromEntries(headers), "cache-control": "no-store" });
  const stop = (): void => void response.destroy();
  signal.addEventListener("abort", stop);
  try {
    for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
      if (signal.aborted) break;
      if (!response.write(part)) await drained(response);
    }
    response.end();
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function refuse(response: ServerResponse, { status, message, code }: HttpRefusal): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // The rest of the body is not read.
  response.writeHead(status, {
    ...{ "content-type": "application/json", "cache-control": "no-store", connection: "close" },
    ...(status === 401 && { "www-authenticate": "Bearer" }),
  });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
}
