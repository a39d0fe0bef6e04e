// A server with an agent of the official SDK on loopback, over WebSocket and Streamable HTTP, which can cut its connections.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AcpServer, type AgentFactory } from "@agentclientprotocol/sdk/experimental/server";
import { createNodeHttpHandler, createNodeWebSocketUpgradeHandler } from "@agentclientprotocol/sdk/experimental/node";
import { WebSocketServer, type WebSocket } from "ws";

/** What the server sees of a request. */
export interface SeenRequest {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
}

export interface RemoteServerOptions {
  /** A request without this value of `Authorization` gets the status 401. Absent: none is needed. */
  readonly token?: string;
  /** A cookie that each answer sets, such as that of a balancer. */
  readonly cookie?: string;
}

/** A running server. */
export class RemoteTestServer {
  readonly requests: SeenRequest[] = [];
  readonly #options: RemoteServerOptions;
  readonly #http: Server;
  readonly #acp: AcpServer;
  readonly #sockets = new Set<Socket>();
  /** The streams of the events of sessions. */
  readonly #sessionStreams = new Set<ServerResponse>();
  /** Connections are refused with this status. */
  refuses: number | undefined;
  /** The messages that have passed, of both sides. */
  messages = 0;
  /** The connections are cut in place of the message with this number, counted from 1. */
  cutsAt: number | undefined;
  /** The connection of the next POST is cut in place of its answer. The agent has the message. */
  losesNextAnswer = false;

  private constructor(createAgent: AgentFactory, options: RemoteServerOptions) {
    this.#options = options;
    this.#acp = new AcpServer({ createAgent });
    const handle = createNodeHttpHandler(this.#acp);
    this.#http = createServer((request, response) => {
      const status = this.#statusOf(request);
      if (options.cookie !== undefined) response.setHeader("set-cookie", options.cookie);
      if (status === undefined) {
        if (request.method === "POST" && this.#isCut()) return;
        this.#watch(response);
        if (request.method === "GET" && request.headers["acp-session-id"] !== undefined)
          this.#sessionStreams.add(response);
        if (request.method === "POST" && this.losesNextAnswer) this.#lose(response);
        return handle(request, response);
      }
      response.writeHead(status).end("Sign in first.");
    });
    const webSockets = new WebSocketServer({ noServer: true });
    webSockets.on("headers", headers => {
      if (options.cookie !== undefined) headers.push(`Set-Cookie: ${options.cookie}`);
    });
    const upgrade = createNodeWebSocketUpgradeHandler(this.#acp, {
      on: (event, listener) => webSockets.on(event, listener),
      off: (event, listener) => webSockets.off(event, listener),
      handleUpgrade: (request, socket, head, done) =>
        webSockets.handleUpgrade(request, socket, head, webSocket => done(this.#watched(webSocket))),
    });
    this.#http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const status = this.#statusOf(request);
      if (status === undefined) return upgrade(request, socket, head);
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 14\r\n\r\nSign in first.`);
    });
    this.#http.on("connection", socket => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async start(createAgent: AgentFactory, options: RemoteServerOptions = {}): Promise<RemoteTestServer> {
    const server = new RemoteTestServer(createAgent, options);
    await new Promise<void>(resolve => server.#http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  /** Counts a message. True: the connections are cut instead. */
  #isCut(): boolean {
    const isCut = ++this.messages === this.cutsAt;
    if (isCut) this.cut();
    return isCut;
  }

  /** Each event of a stream is a message. */
  #watch(response: ServerResponse): void {
    const write = response.write.bind(response) as (chunk: unknown) => boolean;
    response.write = (chunk: unknown) => {
      const isMessage = Buffer.from(chunk as Uint8Array).includes("data:");
      return isMessage && this.#isCut() ? false : write(chunk);
    };
  }

  #lose(response: ServerResponse): void {
    this.losesNextAnswer = false;
    const lost = (): ServerResponse => response.destroy();
    response.writeHead = lost;
    response.end = lost;
  }

  #watched(webSocket: WebSocket): WebSocket {
    const send = webSocket.send.bind(webSocket) as (data: unknown) => void;
    webSocket.send = (data: unknown) => {
      if (!this.#isCut()) send(data);
    };
    const emit = webSocket.emit.bind(webSocket);
    webSocket.emit = (event: string | symbol, ...values: unknown[]) =>
      event === "message" && this.#isCut() ? true : emit(event as "message", ...(values as [never]));
    return webSocket;
  }

  #statusOf(request: IncomingMessage): number | undefined {
    const { method = "", headers } = request;
    this.requests.push({ method, headers });
    if (this.refuses !== undefined) return this.refuses;
    const { token } = this.#options;
    return token === undefined || headers.authorization === token ? undefined : 401;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** The address for WebSocket or for Streamable HTTP. */
  url(kind: "ws" | "http"): string {
    return `${kind}://127.0.0.1:${this.port}/acp`;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Ends all connections without a word, as a network does that is gone. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends the streams of the events of sessions in order, as a balancer does after some time. */
  endSessionStreams(): void {
    for (const response of this.#sessionStreams) response.end();
    this.#sessionStreams.clear();
  }

  async stop(): Promise<void> {
    this.cut();
    await this.#acp.close();
    await new Promise(resolve => this.#http.close(resolve));
  }
}
