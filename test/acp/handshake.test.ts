// The choice between versions of the protocol, with agents of the official SDK that speak version 1, version 2, or both.
import assert from "node:assert/strict";
import { PassThrough, Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { agent as v2Agent, agentProtocolRouter, methods as v2Methods } from "@agentclientprotocol/sdk/experimental/v2";
import type { AgentConnection } from "../../src/acp/connect.ts";
import type { ProtocolVersion } from "../../src/acp/handshake.ts";
import { ProblemError, type Problem } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

/** What the agents got from `initialize`. */
interface Seen {
  v1?: unknown;
  v2?: unknown;
  count: number;
}

const v1Of = (seen: Seen): ReturnType<typeof agent> =>
  agent({ name: "one" }).onRequest(methods.agent.initialize, ({ params }) => {
    seen.v1 = params.clientCapabilities;
    seen.count++;
    return { protocolVersion: 1, agentCapabilities: {} };
  });
const v2Of = (seen: Seen): ReturnType<typeof v2Agent> =>
  v2Agent({ name: "two" }).onRequest(v2Methods.agent.initialize, ({ params }) => {
    seen.v2 = params.capabilities;
    seen.count++;
    return { protocolVersion: 2, info: { name: "two", version: "1" }, capabilities: {} };
  });

/** Connects to an agent of the SDK. */
function connectTo(
  connector: { connect(stream: ReturnType<typeof ndJsonStream>): unknown },
  protocol: ProtocolVersion,
): Promise<AgentConnection> {
  const wire = new WireAgent();
  const stdin = new PassThrough();
  const output = Writable.toWeb(wire.stdout) as WritableStream<Uint8Array>;
  connector.connect(ndJsonStream(output, Readable.toWeb(stdin) as ReadableStream<Uint8Array>));
  return wire.connect(undefined, { protocol, stdin });
}

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProblemError, String(error));
  return error.problem;
}

describe("the version of the protocol", () => {
  beforeEach(() => trackLeaks());
  afterEach(() => assert.deepEqual(findLeaks(), []));

  for (const { name, agentOf, protocol, expected } of [
    { name: "an agent of version 1", agentOf: v1Of, protocol: 1, expected: 1 },
    { name: "an agent of version 1", agentOf: v1Of, protocol: 2, expected: 1 },
    { name: "an agent of version 2", agentOf: v2Of, protocol: 2, expected: 2 },
    {
      name: "an agent of both versions",
      agentOf: (seen: Seen) => agentProtocolRouter().withV1(v1Of(seen)).withV2(v2Of(seen)),
      protocol: 1,
      expected: 1,
    },
    {
      name: "an agent of both versions",
      agentOf: (seen: Seen) => agentProtocolRouter().withV1(v1Of(seen)).withV2(v2Of(seen)),
      protocol: 2,
      expected: 2,
    },
    {
      name: "an agent of version 1 behind a router",
      agentOf: (seen: Seen) => agentProtocolRouter().withV1(v1Of(seen)),
      protocol: 2,
      expected: 1,
    },
  ] as const) {
    it(`is ${expected} with ${name} if Parley offers version ${protocol}`, async () => {
      const seen: Seen = { count: 0 };
      const connected = await connectTo(agentOf(seen), protocol);
      assert.equal(connected.agent.info.protocolVersion, expected);
      const capabilities = (expected === 1 ? seen.v1 : seen.v2) as Record<string, unknown>;
      assert.deepEqual(capabilities["elicitation"], { form: {}, url: {} });
      if (expected === 1) assert.equal(capabilities["terminal"], true, "an agent of version 1 gets all capabilities");
      connected.dispose();
    });
  }

  it("can be changed to version 2 by the user if an agent speaks only that", async () => {
    const wire = new WireAgent();
    const connecting = problemOf(wire.connect());
    wire.fail(await wire.request("initialize"), -32022, "No.", { requested: 1, supported: [2] });
    const problem = await connecting;
    assert.match(problem.message, /needs version 2/);
    assert.equal(problem.next[0], "useDraftProtocol");
  });

  it("is 1 if an agent refuses version 2 and lists version 1", async () => {
    const wire = new WireAgent();
    const connecting = wire.connect(undefined, { protocol: 2 });
    wire.fail(await wire.request("initialize"), -32022, "No.", { requested: 2, supported: [1] });
    const second = await wire.request("initialize");
    assert.equal(second.params?.["protocolVersion"], 1);
    assert.equal(second.params?.["capabilities"], undefined);
    wire.answer(second, { protocolVersion: 1 });
    const connected = await connecting;
    assert.equal(connected.agent.info.protocolVersion, 1);
    connected.dispose();
  });

  it("is 1 if an agent refuses version 2 for another reason and accepts version 1", async () => {
    const wire = new WireAgent();
    const connecting = wire.connect(undefined, { protocol: 2 });
    wire.fail(await wire.request("initialize"), -32602, "Invalid params");
    const second = await wire.request("initialize");
    assert.equal(second.params?.["protocolVersion"], 1);
    wire.answer(second, { protocolVersion: 1 });
    const connected = await connecting;
    assert.equal(connected.agent.info.protocolVersion, 1);
    connected.dispose();
  });

  it("is none if an agent refuses both, and the first reason counts", async () => {
    const wire = new WireAgent();
    const connecting = problemOf(wire.connect(undefined, { protocol: 2 }));
    wire.fail(await wire.request("initialize"), -32603, "The model is missing.");
    wire.fail(await wire.request("initialize"), -32603, "Twice.");
    assert.match((await connecting).message, /The model is missing\./);
    assert.equal(wire.received.length, 0);
  });

  it("stays 1 if an agent accepts no second initialize", async () => {
    const wire = new WireAgent();
    const connecting = wire.connect(undefined, { protocol: 2 });
    wire.answer(await wire.request("initialize"), { protocolVersion: 1, agentInfo: { name: "first" } });
    wire.fail(await wire.request("initialize"), -32600, "Once only.");
    const connected = await connecting;
    assert.deepEqual([connected.agent.info.protocolVersion, connected.agent.info.name], [1, "first"]);
    connected.dispose();
  });

  it("is none if an agent speaks neither", async () => {
    const wire = new WireAgent();
    const connecting = problemOf(wire.connect(undefined, { protocol: 2 }));
    wire.answer(await wire.request("initialize"), { protocolVersion: 3 });
    const problem = await connecting;
    assert.match(problem.message, /speaks version 3 .* Parley speaks versions 1 and 2/);
    await until(() => wire.stdin.writableEnded);
  });

  it("is requested once, and purely, if Parley offers version 1", async () => {
    const wire = new WireAgent();
    const connecting = wire.connect();
    const request = await wire.request("initialize");
    assert.deepEqual(Object.keys(request.params ?? {}).sort(), ["clientCapabilities", "clientInfo", "protocolVersion"]);
    wire.answer(request, { protocolVersion: 1 });
    (await connecting).dispose();
    assert.equal(wire.received.length, 0);
  });
});
