// Requests of MCP over the connection of the agent (`mcp/message`), line by line.
import assert from "node:assert/strict";
import type { AgentConnection } from "../../src/acp/connect.ts";
import type { AgentMcpServer, ConnectedServer, McpRequest } from "../../src/session/agent.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent, type SentMessage } from "../support/fakes/wireAgent.ts";

const supporting = { agentCapabilities: { mcpCapabilities: { acp: true } } };

interface TestServer {
  readonly server: AgentMcpServer & ConnectedServer;
  readonly messages: readonly McpRequest[];
  readonly signals: readonly AbortSignal[];
  end(): void;
}

function testServer(serverId: string, answer?: ConnectedServer["answer"]): TestServer {
  const ended = new AbortController();
  const messages: McpRequest[] = [];
  const signals: AbortSignal[] = [];
  const server: AgentMcpServer & ConnectedServer = {
    ...{ name: "parley", type: "acp", serverId, ended: ended.signal },
    answer: (message, context) => {
      messages.push(message);
      signals.push(context.signal);
      return answer ? answer(message, context) : Promise.resolve({ result: { by: serverId } });
    },
  };
  return { server, messages, signals, end: () => ended.abort(new Error("The session has ended.")) };
}

const connected: AgentConnection[] = [];
let ids = 0;

async function open(
  agent: WireAgent,
  mcpServers: readonly AgentMcpServer[],
  result: object = supporting,
): Promise<unknown> {
  const able = await agent.ready(result);
  connected.push(able);
  const opening = able.agent.open({ cwd: "/w", connection: 1, mcpServers }, recordingClient());
  const request = await agent.request("session/new");
  agent.answer(request, { sessionId: "s" });
  await opening;
  return request.params?.["mcpServers"];
}

async function ask(agent: WireAgent, params: unknown): Promise<SentMessage> {
  const id = `m${++ids}`;
  agent.send({ id, method: "mcp/message", params });
  return agent.response(id);
}

const good = { serverId: "one", requestId: "r", method: "tools/list", params: { _meta: {} } };

describe("MCP over the connection of the agent", () => {
  afterEach(() => {
    for (const each of connected.splice(0)) each.dispose();
  });

  it("names the server, and answers its requests", async () => {
    const agent = new WireAgent();
    const { server, messages } = testServer("one");
    assert.deepEqual(await open(agent, [server]), [{ type: "acp", name: "parley", serverId: "one" }]);
    assert.deepEqual((await ask(agent, good)).result, { result: { by: "one" } });
    assert.deepEqual((await ask(agent, { ...good, params: null })).result, { result: { by: "one" } });
    assert.deepEqual(messages, [
      { requestId: "r", method: "tools/list", params: { _meta: {} } },
      { requestId: "r", method: "tools/list" },
    ]);
  });

  it("works in version 2, too", async () => {
    const agent = new WireAgent();
    const connecting = agent.connect(undefined, { protocol: 2 });
    const capabilities = { session: { mcp: { acp: {} } } };
    agent.answer(await agent.request("initialize"), { protocolVersion: 2, info: {}, capabilities });
    const able = await connecting;
    connected.push(able);
    assert.deepEqual(able.agent.info.mcpServers, { stdio: false, http: false, sse: false, acp: true });
    const opening = able.agent.open(
      { cwd: "/w", connection: 1, mcpServers: [testServer("one").server] },
      recordingClient(),
    );
    const request = await agent.request("session/new");
    assert.deepEqual(request.params?.["mcpServers"], [{ type: "acp", name: "parley", serverId: "one" }]);
    agent.answer(request, { sessionId: "s" });
    await opening;
    assert.deepEqual((await ask(agent, good)).result, { result: { by: "one" } });
  });

  it("is reached as soon as the agent has learned of the server, and after a fork", async () => {
    const agent = new WireAgent();
    const able = await agent.ready({
      agentCapabilities: {
        ...supporting.agentCapabilities,
        loadSession: true,
        sessionCapabilities: { fork: {}, resume: {} },
      },
    });
    connected.push(able);
    const requestOf = async (method: string, serverId: string, send: (server: AgentMcpServer) => Promise<unknown>) => {
      const sending = send(testServer(serverId).server);
      const request = await agent.request(method);
      // The agent reads the tools before it answers.
      assert.deepEqual((await ask(agent, { ...good, serverId })).result, { result: { by: serverId } }, method);
      agent.answer(request, { sessionId: serverId });
      await sending;
    };
    const request = { cwd: "/w", connection: 1 };
    const known = { isKnown: () => false, isCut: () => false, lacksEnd: false };
    const { sessionStore } = able.agent;
    await requestOf("session/new", "new", server =>
      able.agent.open({ ...request, mcpServers: [server] }, recordingClient()),
    );
    await requestOf("session/fork", "fork", async server =>
      sessionStore?.fork?.({ ...request, sessionId: "new", mcpServers: [server] }),
    );
    await requestOf("session/load", "import", async server =>
      sessionStore?.load?.({ ...request, sessionId: "import", mcpServers: [server] }),
    );
    await requestOf("session/resume", "resume", async server =>
      able.agent.continueSession?.(
        { ...request, ...known, sessionId: "resume", mcpServers: [server] },
        recordingClient(),
      ),
    );
  });

  const wrong: Readonly<Record<string, readonly [unknown, number]>> = {
    "an unknown server": [{ ...good, serverId: "other" }, -33001],
    "a name of every object": [{ ...good, serverId: "__proto__" }, -33001],
    "no server": [{ ...good, serverId: undefined }, -32602],
    "a server that is no string": [{ ...good, serverId: { toString: "one" } }, -32602],
    "an id that is a number": [{ ...good, requestId: 1 }, -32602],
    "an empty id": [{ ...good, requestId: "" }, -32602],
    "an id without end": [{ ...good, requestId: "x".repeat(1001) }, -32602],
    "no method": [{ ...good, method: null }, -32602],
    "params that are a list": [{ ...good, params: [] }, -32602],
    "params that are a text": [{ ...good, params: "{}" }, -32602],
    nothing: [undefined, -32602],
    "a list": [["one"], -32602],
  };
  for (const [what, [params, code]] of Object.entries(wrong)) {
    it(`refuses ${what}`, async () => {
      const agent = new WireAgent();
      const { server, messages } = testServer("one");
      await open(agent, [server]);
      const { error } = await ask(agent, params);
      assert.equal(error?.code, code, error?.message);
      assert.match(error?.message ?? "", /\.$/);
      assert.deepEqual(messages, []);
      assert.deepEqual((await ask(agent, good)).result, { result: { by: "one" } });
    });
  }

  it("belongs to one agent: another one cannot reach it", async () => {
    const [agent, other] = [new WireAgent(), new WireAgent()];
    const { server, messages } = testServer("one");
    await open(agent, [server]);
    await open(other, [testServer("two").server]);
    assert.equal((await ask(other, good)).error?.code, -33001);
    assert.deepEqual(messages, []);
  });

  it("does not exist for an agent that does not advertise it", async () => {
    for (const mcpCapabilities of [{}, { acp: "yes" }, { acp: {} }, undefined]) {
      const agent = new WireAgent();
      const { server, messages } = testServer("one");
      await open(agent, [server], { agentCapabilities: { mcpCapabilities } });
      assert.equal((await ask(agent, good)).error?.code, -32601);
      assert.deepEqual(messages, []);
    }
  });

  it("ends with the session, also for what runs", async () => {
    const agent = new WireAgent();
    const { server, signals, end } = testServer(
      "one",
      (_, { signal }) =>
        new Promise(resolve => {
          const answer = (): void => resolve({ result: "secret" });
          if (signal.aborted) answer();
          else signal.addEventListener("abort", answer);
        }),
    );
    await open(agent, [server]);
    const answer = ask(agent, good);
    await until(() => signals.length === 1);
    end();
    assert.equal((await answer).error?.code, -33001);
    assert.equal((await ask(agent, good)).error?.code, -33001);
    assert.equal(signals.length, 1);
  });

  it("cancels a request that the agent cancels", async () => {
    const agent = new WireAgent();
    const { server, signals } = testServer(
      "one",
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    );
    await open(agent, [server]);
    agent.send({ id: "c", method: "mcp/message", params: good });
    await until(() => signals.length === 1);
    agent.send({ method: "$/cancel_request", params: { requestId: "c" } });
    assert.equal((await agent.response("c")).error?.code, -32800);
  });

  it("sends notifications of a request before its answer, and none after it", async () => {
    const agent = new WireAgent();
    let notifyLate = (): void => {};
    const { server } = testServer("one", (_, { notify }) => {
      notify("notifications/progress", { progress: 1 });
      notifyLate = () => notify("notifications/progress", { progress: 2 });
      return Promise.resolve({ error: { code: -32601, message: "Method not found" } });
    });
    await open(agent, [server]);
    assert.deepEqual((await ask(agent, good)).result, { error: { code: -32601, message: "Method not found" } });
    notifyLate();
    await ask(agent, good);
    const sent = agent.received.filter(({ method }) => method === "mcp/message").map(({ params }) => params);
    const notification = { serverId: "one", requestId: "r", method: "notifications/progress", params: { progress: 1 } };
    assert.deepEqual(sent, [notification, notification]);
  });

  it("refuses an id that still runs, and too many requests at once", async () => {
    const agent = new WireAgent();
    let release = (): void => {};
    const released = new Promise<void>(resolve => (release = resolve));
    const { server, messages } = testServer("one", () => released.then(() => ({ result: {} })));
    await open(agent, [server]);
    for (let n = 0; n < 32; n++)
      agent.send({ id: `n${n}`, method: "mcp/message", params: { ...good, requestId: `${n}` } });
    await until(() => messages.length === 32);
    assert.equal((await ask(agent, { ...good, requestId: "0" })).error?.code, -32602);
    assert.equal((await ask(agent, good)).error?.code, -33000);
    release();
    assert.deepEqual((await agent.response("n31")).result, { result: {} });
    assert.deepEqual((await ask(agent, good)).result, { result: {} });
  });

  it("answers a failure of the server with an error", async () => {
    const agent = new WireAgent();
    await open(agent, [testServer("one", () => Promise.reject(new Error("no answer"))).server]);
    const { error } = await ask(agent, good);
    assert.deepEqual([error?.code, error?.message], [-33002, "The server failed: no answer"]);
  });
});
