// A server on loopback between Parley and the server of an agent, which counts the messages of both sides and ends all
// connections in place of one of them, as a network does that is gone.
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import WebSocket, { WebSocketServer, type RawData } from "ws";

/** Forwards WebSocket and Streamable HTTP. */
export class CuttingProxy {
  #target: Promise<URL>;
  readonly #http: Server;
  readonly #webSockets = new WebSocketServer({ noServer: true });
  readonly #ends = new Set<() => void>();
  /** The messages that have passed, of both sides. */
  messages = 0;
  #cutsAt: number | undefined;

  private constructor(target: URL) {
    this.#target = Promise.resolve(target);
    this.#http = createServer((incoming, response) => {
      this.#forward(incoming, response).catch(() => response.destroy());
    });
    this.#http.on("upgrade", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#upgrade(incoming, socket, head).catch(() => socket.destroy());
    });
    this.#http.on("connection", (socket: Socket) => this.#endWithCut(() => socket.destroy(), socket));
  }

  /** `target`: the origin of the agent's server, such as `http://127.0.0.1:4170`. */
  static async start(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(target));
    await new Promise<void>(resolve => proxy.#http.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Leads to another server from now on. Requests wait until it is there. */
  leadTo(target: Promise<string>): void {
    this.#target = target.then(origin => new URL(origin));
    this.#target.catch(() => {});
  }

  /** Without the scheme, such as `127.0.0.1:4171`. */
  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Ends all connections in place of the message that follows the next `messages` ones. */
  cutAfter(messages: number): void {
    this.#cutsAt = this.messages + messages + 1;
  }

  /** Whether that has happened, or {@link cut} was called since. */
  get hasCut(): boolean {
    return this.#cutsAt === undefined;
  }

  /** Ends all connections without a word. */
  cut(): void {
    this.#cutsAt = undefined;
    for (const end of [...this.#ends]) end();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise(resolve => this.#http.close(resolve));
  }

  /** Counts a message. True: the connections have been cut instead. */
  #isCut(): boolean {
    const isCut = ++this.messages === this.#cutsAt;
    if (isCut) this.cut();
    return isCut;
  }

  /** The connection ends with the next cut, unless it has closed before. */
  #endWithCut(end: () => void, closing: { once(event: "close", listener: () => void): unknown }): void {
    this.#ends.add(end);
    closing.once("close", () => this.#ends.delete(end));
  }

  /** A POST is a message of the client, and each event of a stream one of the server. */
  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method === "POST" && this.#isCut()) return;
    const { host, hostname, port } = await this.#target;
    const headers = { ...incoming.headers, host };
    const outgoing = request({ hostname, port, path: incoming.url, method: incoming.method, headers, agent: false });
    this.#endWithCut(() => outgoing.destroy(), outgoing);
    outgoing.on("response", answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      const isStream = /^text\/event-stream/.test(answer.headers["content-type"] ?? "");
      if (!isStream) return void answer.on("error", () => response.destroy()).pipe(response);
      this.#forwardEvents(answer, response);
    });
    outgoing.on("error", () => response.destroy());
    response.on("close", () => outgoing.destroy());
    incoming.on("error", () => outgoing.destroy()).pipe(outgoing);
  }

  #forwardEvents(answer: IncomingMessage, response: ServerResponse): void {
    let rest = "";
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      const events = (rest + text).split(/(?<=\n\n)/);
      rest = events.at(-1)?.endsWith("\n\n") ? "" : (events.pop() ?? "");
      for (const event of events) {
        if (/^data:/m.test(event) && this.#isCut()) return;
        response.write(event);
      }
    });
    answer.on("end", () => response.end(rest)).on("error", () => response.destroy());
  }

  /** The client gets the refusal of the server, too. */
  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { host } = await this.#target;
    const server = new WebSocket(`ws://${host}${incoming.url}`);
    this.#endWithCut(() => server.terminate(), server);
    server.on("error", () => socket.destroy());
    server.once("unexpected-response", (_, { statusCode = 502 }) => {
      socket.end(`HTTP/1.1 ${statusCode} No\r\ncontent-length: 0\r\n\r\n`);
      server.terminate();
    });
    server.once("open", () =>
      this.#webSockets.handleUpgrade(incoming, socket, head, client => this.#join(client, server)),
    );
  }

  /** Each frame is a message. */
  #join(client: WebSocket, server: WebSocket): void {
    this.#endWithCut(() => client.terminate(), client);
    client.on("message", (data, isBinary) => {
      if (!this.#isCut()) send(server, data, isBinary);
    });
    server.on("message", (data, isBinary) => {
      if (!this.#isCut()) send(client, data, isBinary);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on("close", () => other.terminate()).on("error", () => other.terminate());
  }
}

function send(socket: WebSocket, data: RawData, binary: boolean): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(data, { binary });
}
