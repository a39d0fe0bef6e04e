// Steering of agents of version 1, a de-facto extension: a prompt that goes into the running turn.
import assert from "node:assert/strict";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { PromptReturnedError, type AgentClient, type AgentSession } from "../../src/session/agent.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

describe("steering: an agent of version 1 that", () => {
  let agent: WireAgent;
  let connected: AgentConnection;
  beforeEach(() => trackLeaks());
  afterEach(() => {
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });
  async function opened(client: AgentClient, result: object): Promise<AgentSession> {
    agent = new WireAgent();
    connected = await agent.ready(result);
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    agent.answer(await agent.request("session/new"), { sessionId: "s" });
    return opening;
  }

  for (const { outcome, inserted } of [
    { outcome: "injected", inserted: true },
    { outcome: "startedNewTurn", inserted: true },
    { outcome: "promptRequired", inserted: false },
    { outcome: undefined, inserted: false },
  ]) {
    it(`supports it gets a prompt while it works, and its answer is ${outcome ?? "missing"}`, async () => {
      const client = recordingClient();
      const session = await opened(client, { _meta: { steering: { supported: true } } });
      await session.prompt([{ type: "text", text: "go" }]);
      await agent.request("session/prompt");
      const sent = session.sendWhileRunning?.([{ type: "text", text: "and this" }]).catch((error: unknown) => error);
      const request = await agent.request("_session/steering");
      assert.deepEqual(request.params, {
        sessionId: "s",
        prompt: [{ type: "text", text: "and this" }],
        _meta: { steering: { idleBehavior: "promptRequired" } },
      });
      agent.answer(request, outcome === undefined ? null : { outcome });
      const result = await sent;
      const prompts = client.events.filter(event => event.type === "message" && event.author === "user");
      assert.equal(prompts.length, inserted ? 2 : 1);
      if (inserted) assert.deepEqual(result, { messageId: "~2" });
      else assert.ok(result instanceof PromptReturnedError && result.sendLater);
    });
  }

  it("repeats the prompt before it answers does not have it shown twice", async () => {
    const client = recordingClient();
    const session = await opened(client, { _meta: { steering: { supported: true } } });
    await session.prompt([{ type: "text", text: "go" }]);
    await agent.request("session/prompt");
    const sent = session.sendWhileRunning?.([{ type: "text", text: "and this" }]);
    const request = await agent.request("_session/steering");
    const content = { type: "text", text: "and this\n" };
    agent.update("s", { sessionUpdate: "user_message_chunk", content });
    agent.answer(request, { outcome: "injected" });
    await sent;
    const shown = client.events.filter(event => event.type === "message" || event.type === "messageChunk");
    assert.deepEqual(
      shown.map(({ content: blocks }) => blocks),
      [[{ type: "text", text: "go" }], [{ type: "text", text: "and this" }]],
    );
  });

  it("does not support it gets no prompt while it works", async () => {
    const session = await opened(recordingClient(), {});
    assert.equal(session.sendWhileRunning, undefined);
  });
});
