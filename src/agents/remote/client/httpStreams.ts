// An agent behind Streamable HTTP, with the client of the official SDK: requests as POST, and events of the connection and
// of each session as streams. Its messages go to Parley's own framing as lines.
import { Writable } from "node:stream";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import type { RemoteFailure, RemoteStreams, RemoteTarget } from "../remoteClient.ts";
import { maxCloseTime, maxMessageBytes, maxRefusalLength } from "./limits.ts";
import { LineQueue } from "./lineQueue.ts";
import { networkFailure } from "./networkFailure.ts";
import { nodeFetch, RefusedError } from "./nodeFetch.ts";

/** Begins to connect with the first message, which is `initialize`. */
export function openHttp(target: RemoteTarget): RemoteStreams {
  const lines = new LineQueue();
  const ended = new AbortController();
  let resolveEnded: (failure: RemoteFailure | undefined) => void = () => {};
  const whenEnded = new Promise<RemoteFailure | undefined>(resolve => (resolveEnded = resolve));
  /** The client closes its stream for one of these. The first one is the reason. */
  let failure: RemoteFailure | undefined;
  const fetch = nodeFetch({
    connectTimeout: target.connectTimeout,
    whenReady: () => lines.whenDrained(),
    onFailure: error => {
      if (!ended.signal.aborted) failure ??= failureOf(error);
    },
  });
  const { url, headers, cookies: cookieStore } = target;
  const stream = createHttpStream(url, { fetch, headers: { ...headers }, cookieStore, maxMessageBytes });
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const input = new Writable({
    write: (line: Buffer, _encoding, done) => {
      writer.write(JSON.parse(line.toString("utf8")) as AnyMessage).then(
        () => done(),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  // The end of the connection is reported once, by its reason.
  input.on("error", () => {});
  const over = (reason: RemoteFailure | undefined): void => {
    ended.abort();
    lines.end();
    input.destroy();
    resolveEnded(reason);
  };
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      // The agent still works on the request, and the end of it would get lost.
      if (isEndOfSessionEvents(value)) return void reader.cancel().catch(() => {});
      if (!lines.push(messageBytes(value))) await lines.whenDrained();
    }
  };
  read().then(
    () => over(ended.signal.aborted ? undefined : { kind: "closed", text: "" }),
    (error: unknown) => over(ended.signal.aborted ? undefined : (failure ?? failureOf(error))),
  );
  return {
    input,
    output: lines.output,
    whenEnded,
    end: async () => {
      if (ended.signal.aborted) return;
      ended.abort();
      // The client tells the server, also while it waits for the answer to a message. Closing the writer would wait for it.
      const closing = reader.cancel().catch(() => {});
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>(resolve => (timer = setTimeout(resolve, maxCloseTime)));
      await Promise.race([closing, late]);
      clearTimeout(timer);
      over(undefined);
    },
  };
}

/** The client's own answer to a request when the events of its session have ended. */
function isEndOfSessionEvents(message: AnyMessage): boolean {
  // Some servers send null in place of no error.
  const { error } = message as { readonly error?: { readonly message?: unknown } | null };
  return error?.message === "ACP session SSE stream closed";
}

/** A message that JSON cannot have, such as one with too many levels, becomes a line that is not a message. */
function messageBytes(message: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(message));
  } catch (error) {
    return Buffer.from(`a message that could not be read: ${String(error)}`);
  }
}

function failureOf(error: unknown): RemoteFailure {
  if (error instanceof RefusedError) return error.failure;
  // An answer with another status than that of success, as an error of the client.
  const { status, body } = error as { readonly status?: unknown; readonly body?: unknown };
  if (typeof status === "number") return { kind: "refused", status, text: String(body).slice(0, maxRefusalLength) };
  const network = networkFailure(error);
  // Without a code, it is the client that refuses what the server sent.
  if (network.kind !== "unreachable" || network.code !== undefined) return network;
  return /stream closed/i.test(network.text) ? { kind: "closed", text: "" } : { kind: "broken", text: network.text };
}
