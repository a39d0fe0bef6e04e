// The MCP server with the tools of the editor, over real HTTP: with clients of the SDK, and with requests that must be
// refused.
import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createGate } from "../../src/base/async.ts";
import { startToolServer } from "../../src/editorTools/http/startToolServer.ts";
import { toolDescriptions } from "../../src/editorTools/sessionTools.ts";
import type { RunningToolServer, ServedTools, ToolResult, ToolServerLimits } from "../../src/editorTools/toolServer.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";
import { callOutlivingTimeout } from "../support/mcp/callOutlivingTimeout.ts";

const token = "right-token";

interface Running {
  readonly server: RunningToolServer;
  readonly port: number;
  readonly warnings: string[];
  readonly clock: FakeClock;
  readonly calls: { readonly name: string; readonly given: unknown; readonly signal: AbortSignal }[];
  /** Ends the session. */
  end(): void;
}

const servers: RunningToolServer[] = [];
const clients: Client[] = [];
const sockets: Socket[] = [];

async function start(
  answer: (signal: AbortSignal) => Promise<ToolResult> = () => Promise.resolve({ text: "done", isError: false }),
  limits: Partial<ToolServerLimits> = {},
): Promise<Running> {
  const warnings: string[] = [];
  const clock = new FakeClock();
  const calls: Running["calls"] = [];
  const ended = new AbortController();
  const tools: ServedTools = {
    descriptions: toolDescriptions,
    call: (name, given, signal) => {
      calls.push({ name, given, signal });
      return answer(signal);
    },
    ended: ended.signal,
  };
  const server = await startToolServer({
    toolsOf: sent => (sent === token && !ended.signal.aborted ? tools : undefined),
    ...{ version: "1.2.3", clock },
    onWarning: message => warnings.push(message),
    limits,
  });
  servers.push(server);
  const end = (): void => ended.abort(new Error("The session has ended."));
  return { server, port: Number(new URL(server.url).port), warnings, clock, calls, end };
}

async function connected(url: string, mode: "auto" | "legacy" = "auto", sent = token): Promise<Client> {
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode } });
  clients.push(client);
  const headers = { Authorization: `Bearer ${sent}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

const listBody = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} });
const goodHeaders = {
  Authorization: `Bearer ${token}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request with exactly these headers. Node adds `Host` and `Connection` only. */
function send(
  port: number,
  headers: Readonly<Record<string, string | string[]>> = {},
  { body = listBody, method = "POST", path = "/mcp" } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port, path, method, headers: { ...goodHeaders, ...headers } },
      got => {
        const chunks: Uint8Array[] = [];
        got.on("data", (chunk: Uint8Array) => chunks.push(chunk));
        got.on("end", () =>
          resolve({ status: got.statusCode ?? 0, text: Buffer.concat(chunks).toString(), headers: got.headers }),
        );
        got.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(method === "GET" || method === "DELETE" ? undefined : body);
  });
}

async function rawSocket(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

/** Everything that comes until the server closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", chunk => (text += chunk.toString()));
  socket.on("error", () => {});
  await once(socket, "close");
  return text;
}

describe("the server of the editor's tools", () => {
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(client => client.close()));
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all(servers.splice(0).map(server => server.close()));
  });

  for (const mode of ["auto", "legacy"] as const) {
    it(`lists its tools and answers calls of a client of the SDK (${mode})`, async () => {
      const { server, calls, warnings } = await start(() =>
        Promise.resolve({ text: "two lines", structured: { text: "", line: 1 }, isError: false }),
      );
      const client = await connected(server.url, mode);
      assert.equal(client.getNegotiatedProtocolVersion(), mode === "auto" ? "2026-07-28" : "2025-11-25");
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(tool => [tool.name, tool.title, tool.annotations?.readOnlyHint]),
        toolDescriptions.map(tool => [tool.name, tool.title, true]),
      );
      const { content, isError } = await client.callTool({ name: "hover", arguments: { path: "/a" } });
      assert.deepEqual([content, isError], [[{ type: "text", text: "two lines" }], undefined]);
      assert.deepEqual(
        calls.map(({ name, given }) => [name, given]),
        [["hover", { path: "/a" }]],
      );
      assert.deepEqual(warnings, []);
    });

    it(`sends errors of tools as results (${mode})`, async () => {
      const { server } = await start(() => Promise.resolve({ text: "Send an absolute path.", isError: true }));
      const client = await connected(server.url, mode);
      const { content, isError } = await client.callTool({ name: "hover", arguments: {} });
      assert.deepEqual([content, isError], [[{ type: "text", text: "Send an absolute path." }], true]);
    });
  }

  for (const mode of ["auto", "legacy"] as const) {
    it(`keeps a call alive for a client that would give up without progress (${mode})`, async () => {
      const { settled, settle } = createGate();
      const { server, clock, warnings } = await start(() => settled.then(() => ({ text: "done", isError: false })));
      const client = await connected(server.url, mode);
      await callOutlivingTimeout(client, clock, settle);
      assert.deepEqual(warnings, []);
    });

    for (const who of ["client", "session"] as const) {
      it(`sends no progress after the ${who} has ended (${mode})`, async () => {
        const { server, clock, warnings, end } = await start(() => new Promise(() => {}));
        const client = await connected(server.url, mode);
        const called = assert.rejects(client.callTool({ name: "hover", arguments: {} }, { onprogress: () => {} }));
        await until(() => clock.pendingTimers === 1);
        if (who === "session") end();
        else await client.close();
        await until(() => clock.pendingTimers === 0);
        await client.close();
        await called;
        assert.deepEqual(warnings, []);
      });
    }
  }

  it("sends no progress of a call that the client has cancelled", async () => {
    const { server, clock, warnings } = await start(() => new Promise(() => {}));
    const client = await connected(server.url);
    const cancel = new AbortController();
    const options = { onprogress: () => {}, signal: cancel.signal };
    const called = assert.rejects(client.callTool({ name: "hover", arguments: {} }, options));
    await until(() => clock.pendingTimers === 1);
    cancel.abort();
    await called;
    await until(() => clock.pendingTimers === 0);
    assert.deepEqual(warnings, []);
  });

  it("listens on the loopback interface only", async () => {
    const { port } = await start();
    const others = Object.values(networkInterfaces())
      .flat()
      .filter(one => one !== undefined && !one.internal && one.family === "IPv4")
      .map(one => one?.address ?? "");
    for (const host of [...others, "127.0.0.2"]) {
      const socket = connect(port, host);
      sockets.push(socket);
      const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
      assert.ok(["ECONNREFUSED", "EADDRNOTAVAIL"].includes(error.code ?? ""), `${host}: ${error.code}`);
    }
    assert.equal((await send(port)).status, 200);
  });

  const refused: Readonly<Record<string, readonly [number, Record<string, string | string[]>, object?]>> = {
    "a wrong token": [401, { Authorization: "Bearer wrong-token" }],
    "no token": [401, { Authorization: "" }],
    "a token of another scheme": [401, { Authorization: `Basic ${token}` }],
    "the token in the address": [401, { Authorization: "" }, { path: `/mcp?token=${token}` }],
    "a very long token": [401, { Authorization: `Bearer ${"a".repeat(5000)}` }],
    "another host": [403, { Host: "evil.example" }],
    "a host that only begins like this machine": [403, { Host: "127.0.0.1.evil.example" }],
    "a name that leads to this machine": [403, { Host: "localhost.evil.example:80" }],
    "localhost, which a page can reach": [403, { Host: "localhost" }],
    "an origin": [403, { Origin: "https://evil.example" }],
    "an origin of this machine": [403, { Origin: "http://127.0.0.1:3000" }],
    "the origin of a page without one": [403, { Origin: "null" }],
    "another path": [404, {}, { path: "/" }],
    "a path around the checks": [404, {}, { path: "//mcp" }],
  };
  for (const [what, [status, headers, more]] of Object.entries(refused)) {
    it(`refuses ${what}`, async () => {
      const { port, calls } = await start();
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hover" } });
      const answer = await send(port, headers, { body, ...more });
      assert.equal(answer.status, status, answer.text);
      assert.match(answer.text, /"message":"[A-Z][^"]+\."/);
      assert.deepEqual(calls, []);
      assert.equal(answer.headers["access-control-allow-origin"], undefined);
    });
  }

  const hosts: Readonly<Record<string, (port: number) => readonly string[]>> = {
    "two hosts, of which one is right": port => [`Host: 127.0.0.1:${port}`, "Host: evil.example"],
    "an empty host": () => ["Host:"],
    "no host": () => [],
  };
  for (const [what, lines] of Object.entries(hosts)) {
    it(`refuses ${what}`, async () => {
      const { port, calls } = await start();
      for (const version of ["1.1", "1.0"]) {
        const head = [
          `POST /mcp HTTP/${version}`,
          ...lines(port),
          ...Object.entries(goodHeaders).map(([name, value]) => `${name}: ${value}`),
          `Content-Length: ${listBody.length}`,
        ];
        const socket = await rawSocket(port, `${head.join("\r\n")}\r\n\r\n${listBody}`);
        assert.match(await untilClosed(socket), /^HTTP\/1\.1 40[03] /);
      }
      assert.deepEqual(calls, []);
    });
  }

  it("answers the preflight request of a page without allowing it", async () => {
    const { port } = await start();
    const { status, headers } = await send(port, { Origin: "https://evil.example" }, { method: "OPTIONS" });
    assert.equal(status, 403);
    assert.deepEqual(
      Object.keys(headers).filter(name => name.startsWith("access-control")),
      [],
    );
  });

  it("refuses a body that says that it is too large, without reading it", async () => {
    const { port } = await start(undefined, { maxBody: 1000 });
    const head = [
      "POST /mcp HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      "Content-Length: 100000000",
    ];
    const socket = await rawSocket(port, `${head.join("\r\n")}\r\n\r\n`);
    assert.match(await untilClosed(socket), /^HTTP\/1\.1 413 [\s\S]*more than 1000 bytes/);
  });

  it("refuses a body that turns out to be too large", async () => {
    const { port, calls } = await start(undefined, { maxBody: 1000 });
    const { status, text } = await send(port, { "Transfer-Encoding": "chunked" }, { body: " ".repeat(1001) });
    assert.equal(status, 413, text);
    assert.deepEqual(calls, []);
  });

  it("ends a connection that sends its request too slowly", async () => {
    const { port } = await start(undefined, { requestTimeout: 200 });
    const head = ["POST /mcp HTTP/1.1", `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`];
    const slowHead = await rawSocket(port, `${head.join("\r\n")}\r\n`);
    const slowBody = await rawSocket(port, `${head.join("\r\n")}\r\nContent-Length: 100\r\n\r\n{`);
    for (const socket of [slowHead, slowBody]) assert.match(await untilClosed(socket), /^(HTTP\/1\.1 408 |$)/);
    assert.equal((await send(port)).status, 200);
  });

  it("answers what is not JSON, not UTF-8 or nested very deeply with an error", async () => {
    const { port, calls } = await start();
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const body of [
      "{",
      "",
      "[]",
      "null",
      deep,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${deep}}`,
    ]) {
      const { status } = await send(port, {}, { body });
      assert.ok(status >= 400 && status < 500, `${body.slice(0, 20)}: ${status}`);
    }
    assert.equal((await send(port, {}, { body: Buffer.from([0xff, 0xfe]) as unknown as string })).status, 400);
    assert.deepEqual(calls, []);
    assert.equal((await send(port)).status, 200);
  });

  it("refuses lists of messages, which could run any number of calls at once", async () => {
    const { port, calls } = await start();
    const call = { jsonrpc: "2.0", method: "tools/call", params: { name: "hover" } };
    for (const count of [0, 1, 2, 100]) {
      const body = JSON.stringify(Array.from({ length: count }, (_, id) => ({ ...call, id })));
      const { status, text } = await send(port, {}, { body });
      assert.deepEqual(
        [status, JSON.parse(text)],
        [
          400,
          {
            jsonrpc: "2.0",
            id: null,
            error: { code: -32600, message: "Send each message by itself, not several as a list." },
          },
        ],
      );
    }
    assert.deepEqual(calls, []);
  });

  it("has no sessions of its own that a client could open or end", async () => {
    const { port } = await start();
    for (const method of ["GET", "DELETE", "PUT"]) assert.equal((await send(port, {}, { method })).status, 405, method);
  });

  it("refuses more requests of a session at once than the limit", async () => {
    let release = (): void => {};
    const released = new Promise<void>(resolve => (release = resolve));
    const { port } = await start(() => released.then(() => ({ text: "", isError: false })), { maxRequests: 2 });
    const call = { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hover" } }) };
    const running = [send(port, {}, call), send(port, {}, call)];
    let third = await send(port);
    while (third.status === 200) third = await send(port);
    assert.equal(third.status, 429);
    release();
    assert.deepEqual(
      (await Promise.all(running)).map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await send(port)).status, 200);
  });

  it("ends the calls of a session that ends, and refuses its token", async () => {
    let called = (): void => {};
    const isCalled = new Promise<void>(resolve => (called = resolve));
    const { port, calls, end } = await start(signal => {
      called();
      return new Promise(resolve =>
        signal.addEventListener("abort", () => resolve({ text: "secret", isError: false }), { once: true }),
      );
    });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hover" } });
    const running = send(port, {}, { body }).then(
      answer => answer.text,
      (error: NodeJS.ErrnoException) => error.code,
    );
    await isCalled;
    end();
    assert.equal(await running, "ECONNRESET");
    assert.equal(calls[0]?.signal.aborted, true);
    assert.equal((await send(port)).status, 401);
  });

  it("cancels a call whose client has gone", async () => {
    let called = (): void => {};
    const isCalled = new Promise<void>(resolve => (called = resolve));
    let aborted = (): void => {};
    const isAborted = new Promise<void>(resolve => (aborted = resolve));
    const { port } = await start(signal => {
      signal.addEventListener("abort", () => aborted(), { once: true });
      called();
      return isAborted.then(() => ({ text: "", isError: false }));
    });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "hover" } });
    const sent = httpRequest({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers: goodHeaders });
    sent.on("error", () => {});
    sent.end(body);
    await isCalled;
    sent.destroy();
    await isAborted;
  });

  it("listens no more after it was closed", async () => {
    const { server, port } = await start();
    const idle = await rawSocket(port, "");
    await server.close();
    await once(idle, "close");
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED");
  });
});
