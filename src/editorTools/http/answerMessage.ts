// Answers one request of MCP that comes over the connection of an agent (`mcp/message`), without a port. The official SDK
// answers it, as if it had come over HTTP. This way of MCP has only the revision 2026-07-28.
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { McpRequest, McpOutcome, McpParams } from "../../session/agent.ts";
import { EventStream } from "../eventStream.ts";
import { isHeader, namedRevision, requestHeaders } from "../requestHeaders.ts";
import type { MessageContext } from "../toolServer.ts";
import { mcpServer } from "./mcpServer.ts";
import { maxRequest, tooLargeText } from "./startToolServer.ts";

const onlyRevision = "2026-07-28";
const invalidRequest = -32600;
const unsupportedRevision = -32022;
const methodNotFound = -32601;
const invalidParams = -32602;

/** Answers the request. Rejects if it is cancelled, or if the SDK has no answer. */
export async function answerMessage(
  { requestId, method, params }: McpRequest,
  context: MessageContext,
): Promise<McpOutcome> {
  const { signal, notify, onWarning } = context;
  const message = { jsonrpc: "2.0", id: requestId, method, ...(params && { params }) };
  const body = JSON.stringify(message);
  if (Buffer.byteLength(body) > maxRequest) return failure(invalidRequest, tooLargeText(maxRequest));
  const revision = namedRevision(message);
  if (revision === undefined) return failure(invalidParams, "`params._meta` must name the revision of MCP.");
  if (revision !== onlyRevision)
    return failure(unsupportedRevision, "Unsupported protocol version", {
      supported: [onlyRevision],
      requested: revision,
    });
  // The SDK reads the method from a header.
  if (!isHeader(method)) return failure(methodNotFound, "Method not found");
  const handler = createMcpHandler(() => mcpServer(context), {
    legacy: "reject",
    onerror: error => onWarning(`The server of the editor's tools: ${error.message}`),
  });
  const headers = requestHeaders(message, undefined);
  const request = new Request("http://127.0.0.1/mcp", { method: "POST", headers, signal, body });
  try {
    return await outcomeOf(await handler.fetch(request, { parsedBody: message }), notify, signal);
  } finally {
    await handler.close();
  }
}

const failure = (code: number, message: string, data?: unknown): McpOutcome => ({
  error: { code, message, ...(data !== undefined && { data }) },
});

async function outcomeOf(
  response: Response,
  notify: MessageContext["notify"],
  signal: AbortSignal,
): Promise<McpOutcome> {
  const isStream = (response.headers.get("content-type") ?? "").startsWith("text/event-stream");
  if (!isStream) {
    const outcome = outcomeIn(await response.json().catch(() => undefined));
    if (outcome) return outcome;
    throw new Error(`The request has no answer (${response.status}).`);
  }
  const events = new EventStream();
  const decoder = new TextDecoder();
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    signal.throwIfAborted();
    for (const data of events.push(decoder.decode(part, { stream: true }))) {
      const message = JSON.parse(data) as unknown;
      const outcome = outcomeIn(message);
      if (outcome) return outcome;
      if (isObject(message) && typeof message["method"] === "string")
        notify(message["method"], isObject(message["params"]) ? message["params"] : {});
    }
  }
  signal.throwIfAborted();
  throw new Error("The request has ended without an answer.");
}

const isObject = (value: unknown): value is McpParams =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The answer in a message of JSON-RPC. */
function outcomeIn(message: unknown): McpOutcome | undefined {
  if (!isObject(message)) return undefined;
  if ("result" in message) return { result: message["result"] };
  const { error } = message;
  if (!isObject(error)) return undefined;
  const { code, message: text, data } = error;
  return typeof code === "number" && typeof text === "string" ? failure(code, text, data) : undefined;
}
