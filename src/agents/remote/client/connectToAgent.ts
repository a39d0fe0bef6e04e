// The entry of `dist/remote.js`: connects to agents on servers over WebSocket and over Streamable HTTP, as the proposal
// "Streamable HTTP & WebSocket Transport" of the Agent Client Protocol describes them.
import { MemoryAcpCookieStore } from "@agentclientprotocol/sdk/experimental/http-client";
import type { RemoteCookies, RemoteStreams, RemoteTarget } from "../remoteClient.ts";
import { openHttp } from "./httpStreams.ts";
import { openWebSocket } from "./webSocketStreams.ts";

/** Begins to connect to the server, by the scheme of its address. Never throws: a failure ends the connection. */
export const connectToAgent = (target: RemoteTarget): RemoteStreams =>
  /^wss?:/i.test(target.url) ? openWebSocket(target) : openHttp(target);

/** Cookies for one server. */
export const newCookies = (): RemoteCookies => new MemoryAcpCookieStore();
