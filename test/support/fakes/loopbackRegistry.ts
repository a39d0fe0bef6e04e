// A registry of agents on the loopback interface: an index with an ETag, archives, and servers that misbehave.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the registry answers for a path. */
export type RegistryAnswer =
  | { readonly body: string | Buffer; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** Sends data without an end. */
  | { readonly type: "endless" }
  /** Sends the beginning, and then nothing. */
  | { readonly type: "silent" }
  /** Announces more than it sends. */
  | { readonly type: "cut" }
  | { readonly type: "redirect"; readonly to: string };

export class LoopbackRegistry {
  /** The entries of the index. */
  agents: unknown[] = [];
  /** The paths that were requested, with the status. */
  readonly requests: string[] = [];
  readonly #answers = new Map<string, RegistryAnswer>();
  readonly #server: Server;
  readonly #responses = new Set<ServerResponse>();
  #port = 0;

  private constructor() {
    this.#server = createServer((request, response) => this.#respond(request, response));
  }

  static async start(): Promise<LoopbackRegistry> {
    const registry = new LoopbackRegistry();
    await new Promise<void>(resolve => registry.#server.listen(0, "127.0.0.1", resolve));
    registry.#port = (registry.#server.address() as AddressInfo).port;
    return registry;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The address of the index. */
  get address(): string {
    return `${this.origin}/index.json`;
  }

  /** The number of answers that are still being sent. */
  get openAnswers(): number {
    return this.#responses.size;
  }

  /** What is answered for a path, such as `/agent.zip`. For `/index.json`, it takes the place of the index. */
  answer(path: string, answer: RegistryAnswer): void {
    this.#answers.set(path, answer);
  }

  /** Nothing special is answered for the path from now on. */
  forget(path: string): void {
    this.#answers.delete(path);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    this.#responses.add(response);
    response.once("close", () => this.#responses.delete(response));
    response.once("finish", () => this.requests.push(`${path} ${response.statusCode}`));
    const answer = this.#answers.get(path);
    if (answer) return this.#send(response, answer);
    if (path !== "/index.json") return void response.writeHead(404).end("Not found");
    const body = JSON.stringify({ version: "1.0.0", agents: this.agents });
    const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { etag, "content-type": "application/json" }).end(body);
  }

  #send(response: ServerResponse, answer: RegistryAnswer): void {
    if ("body" in answer) return void response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
    switch (answer.type) {
      case "endless":
        return this.#sendEndlessly(response);
      case "silent":
        return void response.write("{");
      case "cut":
        response.writeHead(200, { "content-length": "1000" });
        response.write("{", () => response.destroy());
        return;
      case "redirect":
        return void response.writeHead(302, { location: answer.to }).end();
    }
  }

  #sendEndlessly(response: ServerResponse): void {
    const chunk = Buffer.alloc(64 * 1024, " ");
    const send = (): void => {
      while (!response.destroyed) if (!response.write(chunk)) return void response.once("drain", send);
    };
    send();
  }
}
