// `fetch` by the HTTP client of Node.js. The global `fetch` ends event streams that are silent for five minutes, follows
// redirects with the headers of the user, and reads events without regard to their reader.
import http from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import type { RemoteFailure } from "../remoteClient.ts";
import { maxRefusalLength } from "./limits.ts";

export interface NodeFetchOptions {
  /** How long the server may take to send the head of an answer (ms). */
  readonly connectTimeout: number;
  /** Resolves when more of a body may be read. */
  whenReady(): Promise<void>;
  /** Called with the reason of each request that failed, or that the server refused for the whole connection. */
  onFailure(error: unknown): void;
}

/** The server did not accept a request. */
export class RefusedError extends Error {
  readonly failure: RemoteFailure;
  constructor(failure: RemoteFailure) {
    super(failure.kind);
    this.failure = failure;
  }
}

/** After these answers, the connection is of no further use. Redirects are not followed: they would get the headers. */
const isRefusal = (status: number): boolean => [401, 403, 404, 410].includes(status) || (status >= 300 && status < 400);

/**
 * Whether the request is for the events of one session. The client asks for them before it continues a session, and some
 * servers, such as Qwen Code's daemon, refuse that until the session is continued. Only that session fails then.
 */
const isSessionStream = ({ method = "GET", headers }: RequestInit): boolean =>
  method === "GET" && new Headers(headers).has("acp-session-id");

/** Whether the request has a message for the agent, which must not get it twice. A second `initialize` does no harm. */
const isMessage = ({ method, headers }: RequestInit): boolean =>
  method === "POST" && new Headers(headers).has("acp-connection-id");

/** The status with which the client of the SDK fails a session and not its connection. */
const sessionConflict = 409;

/** A `fetch` with what a client of Streamable HTTP uses of it. */
export function nodeFetch(options: NodeFetchOptions): typeof fetch {
  return async (url, init = {}) => {
    try {
      const response = await send(String(url), init, options);
      if (!isRefusal(response.statusCode ?? 0)) return asResponse(response, options);
      if (isSessionStream(init)) {
        response.resume();
        return new Response(null, { status: sessionConflict });
      }
      throw new RefusedError({
        kind: "refused",
        status: response.statusCode ?? 0,
        text: await beginning(response),
      });
    } catch (error) {
      if (init.signal?.aborted !== true) options.onFailure(error);
      throw error;
    }
  };
}

function send(url: string, init: RequestInit, options: NodeFetchOptions): Promise<http.IncomingMessage> {
  const { method = "GET", headers, body, signal } = init;
  return new Promise((resolve, reject) => {
    const client = url.startsWith("https:") ? https : http;
    const request = client.request(
      url,
      {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(signal && { signal }),
      },
      response => {
        clearTimeout(timer);
        resolve(response);
      },
    );
    // An agent may take long for its answer to a message, but a server accepts it soon.
    const timer = setTimeout(() => request.destroy(new RefusedError({ kind: "late" })), options.connectTimeout);
    request.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      // Mostly, the server has closed a connection that was idle. But it can also have read a message.
      if (request.reusedSocket && error.code === "ECONNRESET" && signal?.aborted !== true && !isMessage(init))
        return resolve(send(url, init, options));
      reject(error);
    });
    request.end(typeof body === "string" ? body : undefined);
  });
}

function asResponse(message: http.IncomingMessage, options: NodeFetchOptions): Response {
  const headers = new Headers();
  for (let i = 0; i < message.rawHeaders.length; i += 2)
    headers.append(message.rawHeaders[i] ?? "", message.rawHeaders[i + 1] ?? "");
  const status = message.statusCode ?? 0;
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) message.resume();
  const chunks = Readable.from(paced(message, options));
  // Nobody reads the body of most answers. Without this, their connections would stay open and serve no other request.
  chunks.once("close", () => (message.complete ? message.resume() : message.destroy()));
  const body = isEmpty ? null : (Readable.toWeb(chunks) as ReadableStream<Uint8Array>);
  return new Response(body, { status, statusText: message.statusMessage ?? "", headers });
}

/** The chunks of the body, as fast as they are read. */
async function* paced(message: http.IncomingMessage, options: NodeFetchOptions): AsyncGenerator<Uint8Array> {
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    yield new Uint8Array(chunk as Buffer);
    await options.whenReady();
  }
}

async function beginning(message: http.IncomingMessage): Promise<string> {
  let text = "";
  message.setEncoding("utf8");
  try {
    for await (const chunk of message) {
      text = (text + String(chunk)).slice(0, maxRefusalLength);
      if (text.length === maxRefusalLength) break;
    }
  } catch {
    // The status counts, whatever became of the text.
  }
  return text;
}
