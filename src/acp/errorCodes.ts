// The JSON-RPC error codes of ACP (spec page "Error"), and refused requests as error responses.
import { ResponseError } from "vscode-jsonrpc/node";
import { Refusal, asError, type RefusalKind } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { isObject } from "./parse.ts";

/** The agent wants the user to sign in first. */
export const authRequired = -32000;
/** The agent does not have what the request names: a session or a file. */
export const resourceNotFound = -32002;
/** The request was cancelled by the side that sent it. */
export const requestCancelled = -32800;

// The errors of MCP over the connection of the agent (`mcp/message`, unstable). An error of MCP itself is in the answer.
/** Too many requests run. */
export const tooManyMcpRequests = -33000;
/** The agent has no such server, or the session of the server has ended. */
export const mcpServerUnavailable = -33001;
/** The server has failed without an answer of MCP. */
export const mcpServerFailed = -33002;

/** The agent does not speak the requested version of the protocol. Its `data.supported` lists the versions that it speaks. */
export const unsupportedVersion = -32022;

const refusalCodes: Record<RefusalKind, number> = {
  notFound: resourceNotFound,
  invalid: -32602,
  failed: -32603,
  cancelled: requestCancelled,
};

/** The error response for a request of the agent that was refused or that failed. Failures also go to the log. */
export function toResponseError(method: string, error: unknown, log: Log): ResponseError<unknown> {
  if (error instanceof ResponseError) return error;
  if (error instanceof Refusal) {
    return new ResponseError(refusalCodes[error.kind], shorten(error.message), shortenTexts(error.data));
  }
  const failure = asError(error);
  log.error(`${method} failed`, failure.stack);
  return new ResponseError(refusalCodes.failed, failure.message === "" ? `${method} failed.` : failure.message);
}

/** Error responses repeat at most this many characters of a text that the agent sent. */
const maxEchoLength = 1000;

/** The text, cut to the length at which an error response repeats it. */
export const shorten = (text: string): string =>
  text.length > maxEchoLength ? `${text.slice(0, maxEchoLength)}…` : text;

const shortenTexts = (data: unknown): unknown =>
  isObject(data)
    ? Object.fromEntries(
        Object.entries(data).map(([key, value]) => [key, typeof value === "string" ? shorten(value) : value]),
      )
    : data;
