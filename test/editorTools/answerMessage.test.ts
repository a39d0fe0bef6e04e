// Requests of MCP over the connection of an agent, as the SDK answers them without a port.
import assert from "node:assert/strict";
import { createGate } from "../../src/base/async.ts";
import { answerMessage } from "../../src/editorTools/http/answerMessage.ts";
import { toolDescriptions } from "../../src/editorTools/sessionTools.ts";
import type { MessageContext, ToolResult } from "../../src/editorTools/toolServer.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";
import type { McpOutcome, McpParams } from "../../src/session/agent.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const never = new AbortController().signal;

interface Answered {
  readonly outcome: McpOutcome;
  readonly calls: readonly (readonly [string, unknown])[];
  readonly notified: readonly (readonly [string, McpParams])[];
}

async function answered(
  method: string,
  params: McpParams | undefined = { _meta: meta },
  {
    signal = never,
    call,
    clock = new FakeClock(),
  }: { readonly signal?: AbortSignal; readonly call?: () => Promise<ToolResult>; readonly clock?: FakeClock } = {},
): Promise<Answered> {
  const calls: (readonly [string, unknown])[] = [];
  const notified: (readonly [string, McpParams])[] = [];
  const context: MessageContext = {
    ...{ signal, clock, version: "1.2.3", onWarning: () => {} },
    notify: (name, sent) => void notified.push([name, sent]),
    tools: {
      descriptions: toolDescriptions,
      call: (name, given) => {
        calls.push([name, given]);
        return call?.() ?? Promise.resolve({ text: "done", structured: { n: 1 }, isError: false });
      },
      ended: never,
    },
  };
  const outcome = await answerMessage({ requestId: "r", method, ...(params && { params }) }, context);
  return { outcome, calls, notified };
}

const resultOf = ({ outcome }: Answered): Readonly<Record<string, unknown>> => {
  assert.ok("result" in outcome, JSON.stringify(outcome));
  return outcome.result as Readonly<Record<string, unknown>>;
};
const codeOf = ({ outcome }: Answered): number | undefined => ("error" in outcome ? outcome.error.code : undefined);

describe("the editor's tools without a port", () => {
  it("are discovered, listed and called", async () => {
    const { supportedVersions } = resultOf(await answered("server/discover"));
    assert.ok((supportedVersions as readonly string[]).includes("2026-07-28"));
    const { tools } = resultOf(await answered("tools/list"));
    assert.deepEqual(
      (tools as readonly { readonly name: string }[]).map(({ name }) => name),
      toolDescriptions.map(({ name }) => name),
    );
    const called = await answered("tools/call", { name: "hover", arguments: { path: "/é" }, _meta: meta });
    assert.deepEqual(resultOf(called)["content"], [{ type: "text", text: "done" }]);
    assert.deepEqual(resultOf(called)["structuredContent"], { n: 1 });
    assert.deepEqual(called.calls, [["hover", { path: "/é" }]]);
  });

  it("need the revision 2026-07-28, which has no sessions", async () => {
    for (const params of [{}, { _meta: {} }, { _meta: { "io.modelcontextprotocol/protocolVersion": 1 } }])
      assert.equal(codeOf(await answered("tools/list", params)), -32602);
    const old = { ...meta, "io.modelcontextprotocol/protocolVersion": "2025-11-25" };
    const { outcome } = await answered("tools/list", { _meta: old });
    assert.deepEqual(outcome, {
      error: {
        code: -32022,
        message: "Unsupported protocol version",
        data: { supported: ["2026-07-28"], requested: "2025-11-25" },
      },
    });
    for (const method of ["initialize", "prompts/list", "tools/call\r\nx: y", "", "é"])
      assert.equal(codeOf(await answered(method)), -32601, method);
  });

  it("answer what is wrong in a request with an error", async () => {
    const unnamed = await answered("tools/call", { name: { a: 1 }, _meta: meta });
    assert.ok(codeOf(unnamed) !== undefined);
    assert.deepEqual(unnamed.calls, []);
    const capabilities = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
    assert.ok(codeOf(await answered("tools/list", { _meta: capabilities })) !== undefined);
  });

  it("refuse a request of more than 1 MiB, as over HTTP", async () => {
    const called = (length: number): Promise<Answered> =>
      answered("tools/call", { name: "hover", arguments: { path: "é".repeat(length / 2) }, _meta: meta });
    const { outcome, calls } = await called(1024 * 1024);
    assert.deepEqual(outcome, {
      error: { code: -32600, message: "The request has more than 1048576 bytes. Send a smaller one." },
    });
    assert.deepEqual(calls, []);
    assert.equal((await called(1024 * 1000)).calls.length, 1);
  });

  it("notify an agent that asks for progress, and stop with the answer", async () => {
    const clock = new FakeClock();
    const { settled, settle } = createGate();
    const call = (): Promise<ToolResult> => settled.then(() => ({ text: "done", isError: false }));
    const params = { name: "hover", arguments: {}, _meta: { ...meta, progressToken: "p" } };
    const called = answered("tools/call", params, { clock, call });
    await until(() => clock.pendingTimers === 1);
    clock.advance(20_000);
    settle();
    const message = "The call is still running. It may be waiting for the user's answer.";
    assert.deepEqual(
      (await called).notified,
      [1, 2].map(progress => ["notifications/progress", { progressToken: "p", progress, message }]),
    );
    assert.equal(clock.pendingTimers, 0);
  });

  it("notify nobody who does not ask for progress, or whose token is long", async () => {
    const clock = new FakeClock();
    const timers: number[] = [];
    const call = (): Promise<ToolResult> => {
      timers.push(clock.pendingTimers);
      return Promise.resolve({ text: "done", isError: false });
    };
    for (const more of [{}, { progressToken: "p".repeat(1001) }, { progressToken: "p".repeat(1000) }])
      await answered("tools/call", { name: "hover", arguments: {}, _meta: { ...meta, ...more } }, { clock, call });
    assert.deepEqual(timers, [0, 0, 1]);
  });

  it("reject a request that is cancelled, or whose session has ended", async () => {
    const cancel = new AbortController();
    const call = (): Promise<ToolResult> => {
      cancel.abort(new Error("gone"));
      return new Promise(() => {});
    };
    const params = { name: "hover", arguments: {}, _meta: meta };
    await assert.rejects(answered("tools/call", params, { signal: cancel.signal, call }));
  });
});
