// The connection to an agent on a server, as the extension uses it. The bundle `dist/remote.js` implements it, so this file
// has only types.
import type { Readable, Writable } from "node:stream";

/** A server to connect to. */
export interface RemoteTarget {
  /** `wss:` and `ws:` for WebSocket, `https:` and `http:` for Streamable HTTP. */
  readonly url: string;
  /** The headers of every request. They can have secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** How long the server may take to accept the connection (ms). */
  readonly connectTimeout: number;
  /** The time between two checks that the server of a WebSocket still answers (ms). Absent: 25 s. */
  readonly pingInterval?: number;
  /** The cookies of earlier connections to the server. The connection adds its own. */
  readonly cookies: RemoteCookies;
}

/** What keeps the cookies of a server, so that a balancer leads the next connection to the same one. */
export interface RemoteCookies {
  store(headers: Headers): void;
  apply(headers: Headers): void;
  clear(): void;
}

/** Why a connection ended, or was never made. */
export type RemoteFailure =
  /** The server answered with this HTTP status instead of accepting the connection. `text`: the start of what it wrote. */
  | { readonly kind: "refused"; readonly status: number; readonly text: string }
  /** `code`: of the system or of Node.js, such as `ECONNREFUSED`. */
  | { readonly kind: "unreachable"; readonly code: string | undefined; readonly text: string }
  /** The certificate of the server is not trusted. `code`: of OpenSSL, such as `CERT_HAS_EXPIRED`. */
  | { readonly kind: "certificate"; readonly code: string; readonly text: string }
  /** The server speaks no HTTP/1.1. */
  | { readonly kind: "http2Only" }
  /** The server did not accept the connection in time. */
  | { readonly kind: "late" }
  /** The server did not answer a ping. */
  | { readonly kind: "silent" }
  /** The server ended the connection. `code`: of the WebSocket protocol. */
  | { readonly kind: "closed"; readonly code?: number; readonly text: string }
  /** The server broke the rules of the transport, such as the limit of a message. */
  | { readonly kind: "broken"; readonly text: string };

/** A connection that is being made, or was made. Messages wait until it was made. */
export interface RemoteStreams {
  /** Takes messages, one a line. */
  readonly input: Writable;
  /** Has the messages of the server, one a line. It ends with the connection. */
  readonly output: Readable;
  /** Resolves when the connection has ended. Undefined: because `end` was called. */
  readonly whenEnded: Promise<RemoteFailure | undefined>;
  /** Ends the connection. Resolves when the server knows it, or soon if it does not answer. */
  end(): Promise<void>;
}

/** What `dist/remote.js` exports. */
export interface RemoteClientModule {
  /** Begins to connect. Never throws. */
  connectToAgent(target: RemoteTarget): RemoteStreams;
  newCookies(): RemoteCookies;
}
