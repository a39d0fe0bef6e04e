// Servers that misbehave, at the client that talks to them: frames that are no messages, floods, silence, certificates.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import http2 from "node:http2";
import https from "node:https";
import type { AddressInfo, Server } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import { connectToAgent, newCookies } from "../../src/agents/remote/client/connectToAgent.ts";
import type { RemoteStreams, RemoteTarget } from "../../src/agents/remote/remoteClient.ts";
import { until } from "../support/fakes/until.ts";

const pem = readFileSync("test/support/data/untrustedServer.pem");
const initialize = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: {} })}\n`;

const connect = (url: string, more: Partial<RemoteTarget> = {}): RemoteStreams =>
  connectToAgent({ url, headers: {}, connectTimeout: 5000, cookies: newCookies(), ...more });

const listen = (server: Server): Promise<number> =>
  new Promise(resolve => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));

describe("a server behind a WebSocket", () => {
  let server: WebSocketServer;
  let streams: RemoteStreams | undefined;
  const start = async (accept: (socket: WebSocket) => void, options: object = {}): Promise<string> => {
    server = new WebSocketServer({ port: 0, host: "127.0.0.1", ...options });
    server.on("connection", accept);
    await new Promise(resolve => server.once("listening", resolve));
    return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  afterEach(async () => {
    await streams?.end();
    for (const client of server.clients) client.terminate();
    await new Promise(resolve => server.close(resolve));
  });

  it("can spread a message over lines, and what is no text becomes one bad line", async () => {
    const url = await start(socket => {
      socket.send('{\n  "id": 1,\n  "result": "a\\nb"\n}');
      socket.send(Buffer.from([1, 2, 10, 3]));
      socket.send('{"id":2}');
    });
    streams = connect(url);
    let text = "";
    streams.output.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    await until(() => text.split("\n").length > 3);
    const [first, second, third] = text.split("\n");
    assert.deepEqual(JSON.parse(first ?? ""), { id: 1, result: "a\nb" });
    assert.equal(second, "a binary frame of 4 bytes");
    assert.equal(third, '{"id":2}');
  });

  it("gets each line as one text frame without a line break", async () => {
    const frames: [string, boolean][] = [];
    streams = connect(
      await start(socket =>
        socket.on("message", (data, isBinary) => frames.push([(data as Buffer).toString(), isBinary])),
      ),
    );
    streams.input.write(initialize);
    await until(() => frames.length > 0);
    assert.deepEqual(frames, [[initialize.trimEnd(), false]]);
  });

  it("is slowed down while nobody reads what it sends", async () => {
    const part = "x".repeat(64 * 1024);
    let sent = 0;
    let isStalled = false;
    streams = connect(
      await start(socket => {
        const send = (): void => {
          // What the system has not taken waits in the server.
          isStalled = socket.bufferedAmount > 8 * 1024 * 1024;
          if (isStalled || sent === 1000) return;
          sent++;
          socket.send(part);
          setImmediate(send);
        };
        send();
      }),
    );
    await until(() => isStalled);
    assert.ok(streams.output.readableLength < 3 * 1024 * 1024, `${streams.output.readableLength} bytes`);
    assert.ok(sent < 1000);
    let read = 0;
    streams.output.on("data", (chunk: Buffer) => (read += chunk.length));
    await until(() => read >= sent * part.length);
  });

  it("ends the connection with a message of more than 64 MiB", async () => {
    streams = connect(await start(socket => socket.send(Buffer.alloc(64 * 1024 * 1024 + 1, 0x61).toString("latin1"))));
    streams.output.resume();
    const failure = await streams.whenEnded;
    assert.equal(failure?.kind, "broken");
  });

  it("is given up when it does not answer a ping", async () => {
    streams = connect(await start(() => {}, { autoPong: false }), { pingInterval: 20 });
    streams.output.resume();
    assert.deepEqual(await streams.whenEnded, { kind: "silent" });
  });

  it("stays connected while it answers pings", async () => {
    let pings = 0;
    streams = connect(await start(socket => socket.on("ping", () => pings++)), { pingInterval: 10 });
    streams.output.resume();
    await until(() => pings > 5);
  });

  it("ends the connection with its code and its words", async () => {
    streams = connect(await start(socket => socket.close(1001, "The server restarts.")));
    streams.output.resume();
    assert.deepEqual(await streams.whenEnded, { kind: "closed", code: 1001, text: "The server restarts." });
  });

  it("is told that the connection ends, although it does not answer", async () => {
    streams = connect(await start(socket => socket.pause()));
    streams.output.resume();
    await until(() => server.clients.size === 1);
    await streams.end();
    assert.equal(await streams.whenEnded, undefined);
  });
});

describe("a server behind Streamable HTTP", () => {
  let server: Server | undefined;
  let streams: RemoteStreams | undefined;
  const start = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
    const http = createServer(answer);
    server = http;
    return `http://127.0.0.1:${await listen(http)}`;
  };
  afterEach(async () => {
    await streams?.end();
    server?.close();
  });
  const accept = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json", "acp-connection-id": "c" });
    response.end('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}');
  };

  it("is slowed down while nobody reads what it sends", async () => {
    const event = `data: {"jsonrpc":"2.0","method":"x","params":{"text":"${"x".repeat(64 * 1024)}"}}\n\n`;
    let sent = 0;
    let isStalled = false;
    streams = connect(
      await start((request, response) => {
        request.resume();
        if (request.method === "POST") return accept(response);
        if (request.method === "DELETE") return void response.writeHead(202).end();
        response.writeHead(200, { "content-type": "text/event-stream" });
        const send = (): void => {
          isStalled = response.writableLength > 8 * 1024 * 1024;
          if (isStalled || sent === 2000) return;
          sent++;
          response.write(event);
          setImmediate(send);
        };
        send();
      }),
    );
    streams.input.write(initialize);
    await until(() => isStalled);
    assert.ok(sent < 2000);
    assert.ok(streams.output.readableLength < 4 * 1024 * 1024, `${streams.output.readableLength} bytes`);
    let read = 0;
    streams.output.on("data", (chunk: Buffer) => (read += chunk.length));
    await until(() => read >= sent * 64 * 1024);
  });

  it("is not followed to another address, which would get the headers", async () => {
    const asked: string[] = [];
    const other = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    const port = await listen(other);
    streams = connect(
      await start((_request, response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/` }).end()),
      { headers: { Authorization: "Bearer x" } },
    );
    streams.input.write(initialize);
    assert.deepEqual(await streams.whenEnded, { kind: "refused", status: 307, text: "" });
    assert.deepEqual(asked, []);
    other.close();
  });

  it("ends the connection with an answer that is no message", async () => {
    streams = connect(
      await start((_request, response) => response.writeHead(200, { "acp-connection-id": "c" }).end("<html>")),
    );
    streams.input.write(initialize);
    assert.equal((await streams.whenEnded)?.kind, "broken");
  });

  it("can refuse the events of one session without an end of the connection", async () => {
    streams = connect(
      await start((request, response) => {
        request.resume();
        if (request.headers["acp-session-id"] !== undefined) return void response.writeHead(403).end("Not yours.");
        if (request.method === "GET")
          return void response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        accept(response);
      }),
    );
    let text = "";
    streams.output.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    streams.input.write(initialize);
    await until(() => text.includes("\n"));
    const load = {
      jsonrpc: "2.0",
      id: 1,
      method: "session/load",
      params: { sessionId: "s", cwd: "/", mcpServers: [] },
    };
    streams.input.write(`${JSON.stringify(load)}\n`);
    await until(() => text.split("\n").length > 2);
    const answer = JSON.parse(text.split("\n")[1] ?? "") as { readonly id: number; readonly error?: object };
    assert.deepEqual([answer.id, answer.error !== undefined], [1, true]);
  });

  it("gets the end of the connection also while it leaves a message unanswered", async () => {
    const methods: string[] = [];
    streams = connect(
      await start((request, response) => {
        request.resume();
        methods.push(request.method ?? "");
        if (request.method === "DELETE") return void response.writeHead(202).end();
        if (request.method === "GET")
          return void response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
        if (request.headers["acp-connection-id"] === undefined) accept(response);
      }),
    );
    let text = "";
    streams.output.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    streams.input.write(initialize);
    await until(() => text.includes("\n"));
    streams.input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/new", params: {} })}\n`);
    await until(() => methods.filter(method => method === "POST").length === 2);
    await streams.end();
    assert.equal(methods.at(-1), "DELETE");
    assert.equal(await streams.whenEnded, undefined);
  });

  it("can send an answer whose error is null", async () => {
    const answer = '{"jsonrpc":"2.0","id":1,"result":{},"error":null}';
    streams = connect(
      await start((request, response) => {
        request.resume();
        if (request.method === "POST") return accept(response);
        if (request.method === "DELETE") return void response.writeHead(202).end();
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`data: ${answer}\n\n`);
      }),
    );
    let text = "";
    streams.output.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
    streams.input.write(initialize);
    await until(() => text.includes(answer));
  });

  it("cannot make Parley read a refusal without end", async () => {
    streams = connect(
      await start((_request, response) => {
        response.writeHead(403);
        const send = (): boolean | NodeJS.Immediate =>
          response.destroyed || (response.write("x".repeat(1000)), setImmediate(send));
        send();
      }),
    );
    streams.input.write(initialize);
    const failure = await streams.whenEnded;
    assert.deepEqual(failure, { kind: "refused", status: 403, text: "x".repeat(2000) });
  });
});

describe("a server with encryption", () => {
  for (const scheme of ["wss", "https"] as const) {
    it(`is not used if its certificate is not trusted: ${scheme}`, async () => {
      let requests = 0;
      const server = https.createServer({ key: pem, cert: pem }, () => requests++).on("upgrade", () => requests++);
      const port = await listen(server);
      const streams = connect(`${scheme}://127.0.0.1:${port}`);
      streams.input.write(initialize);
      const failure = await streams.whenEnded;
      assert.equal(failure?.kind, "certificate", JSON.stringify(failure));
      assert.equal(requests, 0);
      server.close();
    });
  }

  it("that speaks HTTP/2 only is recognized", async () => {
    const server = http2.createServer();
    const port = await listen(server);
    const streams = connect(`http://127.0.0.1:${port}`);
    streams.input.write(initialize);
    assert.equal((await streams.whenEnded)?.kind, "http2Only");
    server.close();
  });
});
