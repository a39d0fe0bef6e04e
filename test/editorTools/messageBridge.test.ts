// The bridge for agents that take only commands: as a real program with a client of the SDK, and with servers and clients
// that behave badly.
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { inProject } from "../../scripts/tools/project.mjs";
import { createGate } from "../../src/base/async.ts";
import { bridgeTarget, bridgeVariables } from "../../src/editorTools/bridgeTarget.ts";
import { EventStream } from "../../src/editorTools/eventStream.ts";
import { startToolServer } from "../../src/editorTools/http/startToolServer.ts";
import { toolDescriptions } from "../../src/editorTools/sessionTools.ts";
import type { RunningToolServer, ToolResult } from "../../src/editorTools/toolServer.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";
import { callOutlivingTimeout } from "../support/mcp/callOutlivingTimeout.ts";

const script = inProject("dist", "mcpBridge.js");
const token = "right-token";
const running: ChildProcess[] = [];
const servers: RunningToolServer[] = [];
const scripted: Server[] = [];
const clients: Client[] = [];

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Bridge {
  readonly child: ChildProcess;
  readonly messages: Message[];
  stderr: string;
  send(message: unknown): void;
  line(text: string | Buffer): void;
  /** The next message with this id, removed from those that came. */
  answer(id: unknown): Promise<Message>;
  /** The exit code. */
  readonly ended: Promise<number | null>;
}

function bridge(env: Readonly<Record<string, string>>): Bridge {
  const child = spawn(process.execPath, [script], { env: { ...env }, stdio: ["pipe", "pipe", "pipe"] });
  running.push(child);
  const messages: Message[] = [];
  createInterface({ input: child.stdout }).on("line", line => messages.push(JSON.parse(line) as Message));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (made.stderr += text));
  child.stdin.on("error", () => {});
  const made: Bridge = {
    child,
    messages,
    stderr: "",
    send: message => made.line(`${JSON.stringify(message)}\n`),
    line: text => void child.stdin.write(text),
    async answer(id) {
      const fits = (message: Message): boolean => message.id === id;
      await until(() => messages.some(fits));
      return messages.splice(messages.findIndex(fits), 1)[0] as Message;
    },
    ended: once(child, "close").then(([code]) => code as number | null),
  };
  return made;
}

interface Tools {
  readonly clock: FakeClock;
  readonly url: string;
  readonly signals: readonly AbortSignal[];
  end(): void;
  readonly server: RunningToolServer;
}

/** The real server with one session. */
async function tools(answer: (signal: AbortSignal) => Promise<ToolResult>): Promise<Tools> {
  const ended = new AbortController();
  const signals: AbortSignal[] = [];
  const clock = new FakeClock();
  const server = await startToolServer({
    toolsOf: sent => {
      if (sent !== token || ended.signal.aborted) return undefined;
      const call = (_name: string, _given: unknown, signal: AbortSignal): Promise<ToolResult> => {
        signals.push(signal);
        return answer(signal);
      };
      return { descriptions: toolDescriptions, call, ended: ended.signal };
    },
    ...{ version: "1", clock },
    onWarning: () => {},
  });
  servers.push(server);
  return { url: server.url, clock, signals, end: () => ended.abort(new Error("The session has ended.")), server };
}

/** A server of the test. */
async function server(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const made = createServer((request, response) => {
    request.resume();
    request.once("end", () => answer(request, response));
  });
  scripted.push(made);
  await new Promise<void>(resolve => made.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/mcp`;
}

const done = (): Promise<ToolResult> => Promise.resolve({ text: "done", isError: false });
const never = (signal: AbortSignal): Promise<ToolResult> =>
  new Promise(resolve => signal.addEventListener("abort", () => resolve({ text: "late", isError: false })));
const call = (id: unknown): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "hover" } });
const list = (id: unknown): object => ({ jsonrpc: "2.0", id, method: "tools/list", params: {} });

describe("the bridge for agents that take only commands", () => {
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(client => client.close()));
    for (const child of running.splice(0)) child.kill("SIGKILL");
    await Promise.all(servers.splice(0).map(one => one.close()));
    for (const one of scripted.splice(0)) one.close().closeAllConnections();
  });

  for (const mode of ["auto", "legacy"] as const) {
    it(`gives a client of the SDK the tools and their answers (${mode})`, async () => {
      const { url } = await tools(() =>
        Promise.resolve({ text: "é\n2", structured: { text: "é\n2" }, isError: false }),
      );
      const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode } });
      clients.push(client);
      const env = { ...bridgeVariables({ url, token }) };
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [script], env }));
      assert.equal(client.getNegotiatedProtocolVersion(), mode === "auto" ? "2026-07-28" : "2025-11-25");
      const listed = await client.listTools();
      assert.deepEqual(
        listed.tools.map(({ name }) => name),
        toolDescriptions.map(({ name }) => name),
      );
      const { content, structuredContent } = await client.callTool({ name: "hover", arguments: { path: "/é" } });
      assert.deepEqual([content, structuredContent], [[{ type: "text", text: "é\n2" }], { text: "é\n2" }]);
      const unknown = client.callTool({ name: "x".repeat(1024 * 1024), arguments: {} });
      await assert.rejects(unknown, /has more than 1048576 bytes/);
    });
  }

  it("forwards progress, so that a client does not give up", async () => {
    const { settled, settle } = createGate();
    const { url, clock } = await tools(() => settled.then(done));
    const client = new Client({ name: "test", version: "0" });
    clients.push(client);
    const env = { ...bridgeVariables({ url, token }) };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [script], env }));
    await callOutlivingTimeout(client, clock, settle);
  });

  it("ends when its input closes, with what runs", async () => {
    const { url, signals } = await tools(never);
    const made = bridge(bridgeVariables({ url, token }));
    made.send(call(1));
    await until(() => signals.length === 1);
    made.child.stdin?.end();
    assert.equal(await made.ended, 0);
    await until(() => signals[0]?.aborted === true);
    assert.deepEqual([made.messages, made.stderr], [[], ""]);
  });

  it("cancels a call without an answer, and serves the next one", async () => {
    const { url, signals } = await tools(never);
    const made = bridge(bridgeVariables({ url, token }));
    made.send(call("a"));
    await until(() => signals.length === 1);
    made.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "a" } });
    await until(() => signals[0]?.aborted === true);
    for (const params of [undefined, {}, { requestId: {} }, { requestId: "unknown" }])
      made.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    made.send(list(2));
    assert.ok((await made.answer(2)).result);
    assert.deepEqual(made.messages, []);
  });

  it("ends with a sentence when the session has ended", async () => {
    const { url, end } = await tools(done);
    const made = bridge(bridgeVariables({ url, token }));
    made.send(call(1));
    assert.ok((await made.answer(1)).result);
    end();
    made.send(call(2));
    assert.match((await made.answer(2)).error?.message ?? "", /ends with the session/);
    assert.equal(await made.ended, 1);
    assert.equal(made.stderr, "The session of the editor's tools has ended.\n");
  });

  it("ends with a sentence when the server is gone, and answers what runs", async () => {
    const { url, server: real, signals } = await tools(never);
    const made = bridge(bridgeVariables({ url, token }));
    made.send(call(1));
    await until(() => signals.length === 1);
    await real.close();
    assert.match((await made.answer(1)).error?.message ?? "", /^The request to the editor failed|without an answer/);
    made.send(call(2));
    assert.match((await made.answer(2)).error?.message ?? "", /no longer has this session/);
    assert.equal(await made.ended, 1);
    assert.equal(made.stderr, "The editor no longer has this session, or its window was closed.\n");
  });

  it("gets nothing with a wrong token", async () => {
    const { url, signals } = await tools(done);
    const made = bridge(bridgeVariables({ url, token: "wrong-token" }));
    made.send(call(1));
    assert.match((await made.answer(1)).error?.message ?? "", /token is missing or not valid/);
    assert.equal(await made.ended, 1);
    assert.deepEqual(signals, []);
  });

  it("sends its token to this machine only, and starts only with a target", async () => {
    for (const url of [
      "http://evil.example/mcp",
      "http://127.0.0.1.evil.example:80/mcp",
      "http://127.0.0.1:80@evil.example/mcp",
      "https://127.0.0.1:80/mcp",
      "http://127.0.0.1:80/mcp?x",
    ])
      assert.equal(
        bridgeTarget({ ...bridgeVariables({ url, token }) }),
        "PARLEY_TOOLS_URL is not the address of the editor.",
      );
    const url = "http://127.0.0.1:80/mcp";
    assert.equal(bridgeTarget({ ...bridgeVariables({ url, token: "a b" }) }), "PARLEY_TOOLS_TOKEN is not a token.");
    assert.deepEqual(bridgeTarget({ ...bridgeVariables({ url, token }) }), { url, token });
    const made = bridge({});
    assert.equal(await made.ended, 1);
    assert.match(made.stderr, /^This program is started by a coding agent, .*\n$/);
  });

  it("answers lines that are no messages, too long or sent twice with errors, and goes on", async () => {
    const { url, signals } = await tools(never);
    const made = bridge(bridgeVariables({ url, token }));
    const bad: readonly (readonly [string | Buffer, number])[] = [
      ["{", -32700],
      [Buffer.from([0x22, 0xff, 0x22]), -32700],
      [JSON.stringify([list(1), list(2)]), -32600],
      ["null", -32600],
      [`{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(5 * 1024 * 1024)}"}`, -32600],
    ];
    for (const [line, code] of bad) {
      made.line(line);
      made.line("\n");
      assert.equal((await made.answer(null)).error?.code, code, line.toString().slice(0, 40));
    }
    made.send({ ...call(1), more: "x".repeat(1024 * 1024) });
    assert.match((await made.answer(1)).error?.message ?? "", /more than 1048576 bytes/);
    made.send(call(2));
    await until(() => signals.length === 1);
    made.send(call(2));
    assert.match((await made.answer(2)).error?.message ?? "", /this id still runs/);
    made.send(list(3));
    assert.ok((await made.answer(3)).result);
  });

  it("refuses more requests at once than the limit", async () => {
    let release = (): void => {};
    const released = new Promise<void>(resolve => (release = resolve));
    const url = await server((_, response) => void released.then(() => response.writeHead(202).end()));
    const made = bridge(bridgeVariables({ url, token }));
    for (let id = 0; id < 65; id++) made.send(call(id));
    assert.match((await made.answer(64)).error?.message ?? "", /Too many requests/);
    assert.deepEqual(made.messages, []);
    release();
    for (let id = 0; id < 64; id++) assert.match((await made.answer(id)).error?.message ?? "", /without an answer/);
  });

  it("sends streams of events as lines, in their order, and names the revision that was agreed on", async () => {
    const revisions: unknown[] = [];
    const url = await server((request, response) => {
      revisions.push([request.headers["mcp-protocol-version"], request.headers.authorization]);
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
      const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
      const text = `: open\n\nevent: message\ndata: ${JSON.stringify(progress)}\n\ndata: {"jsonrpc":"2.0",\ndata: "id":7,"result":{"protocolVersion":"2025-06-18","é":1}}\r\n\r\n`;
      // One byte at a time, so that characters are split.
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at++) response.write(bytes.subarray(at, at + 1));
      response.end();
    });
    const made = bridge(bridgeVariables({ url, token }));
    made.send({ jsonrpc: "2.0", id: 7, method: "initialize", params: {} });
    await until(() => made.messages.length === 2);
    assert.deepEqual(
      made.messages.map(({ method, result }) => method ?? result),
      ["notifications/progress", { protocolVersion: "2025-06-18", é: 1 }],
    );
    made.send(call(7));
    await until(() => made.messages.length === 4);
    assert.deepEqual(revisions, [
      [undefined, `Bearer ${token}`],
      ["2025-06-18", `Bearer ${token}`],
    ]);
  });

  const bad: Readonly<Record<string, readonly [(response: ServerResponse) => void, RegExp]>> = {
    "breaks off": [response => response.destroy(), /failed: |without an answer/],
    "breaks off in its answer": [
      response => void response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy()),
      /failed: |without an answer/,
    ],
    "answers nothing": [response => response.writeHead(200).end(), /without an answer/],
    "sends an error without a reason": [response => response.writeHead(500).end("<html>"), /answered 500/],
    "sends another version": [
      response => response.writeHead(400).end('{"error":{"code":-32022,"message":"No","data":{"supported":["x"]}}}'),
      /^No$/,
    ],
  };
  for (const [what, [behave, reason]] of Object.entries(bad)) {
    it(`answers with an error if the server ${what}`, async () => {
      const url = await server((_, response) => behave(response));
      const made = bridge(bridgeVariables({ url, token }));
      made.send(call(1));
      const { error } = await made.answer(1);
      assert.match(error?.message ?? "", reason);
      if (error?.code === -32022) assert.deepEqual(error.data, { supported: ["x"] });
      made.child.stdin?.end();
      assert.equal(await made.ended, 0);
    });
  }
});

describe("a stream of events", () => {
  it("has the data of whole events only", () => {
    const stream = new EventStream();
    assert.deepEqual(stream.push("id: 1\ndata: a\ndata:b\n"), []);
    assert.deepEqual(stream.push("\n: comment\n\ndata:\n\n"), ["a\nb"]);
    assert.deepEqual(stream.push("data: c\r\n\r\ndata: d\n\ndata: e"), ["c", "d"]);
    assert.deepEqual(stream.push("\n\n"), ["e"]);
  });
});
