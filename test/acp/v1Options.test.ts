// Modes and models that an agent of version 1 offers as options and in its older lists.
import assert from "node:assert/strict";
import { ProblemError } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { AgentConnection } from "../../src/acp/connect.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

async function problem(promise: Promise<unknown>): Promise<ProblemError["problem"]> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ProblemError, "it was expected to be refused");
  return error.problem;
}

describe("a mode or model that an agent of version 1 refuses as an option", () => {
  let agent: WireAgent;
  let connected: AgentConnection;
  beforeEach(async () => {
    trackLeaks();
    agent = new WireAgent();
    connected = await agent.ready({});
  });
  afterEach(() => {
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  it("is set once more by its own method, if the agent offers both", async () => {
    const client = recordingClient();
    const select = (id: string, category: string, values: readonly string[]): object => ({
      ...{ id, name: id, category, type: "select", currentValue: values[0] },
      options: values.map(value => ({ value, name: value })),
    });
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    agent.answer(await agent.request("session/new"), {
      sessionId: "s",
      configOptions: [select("m", "mode", ["ask", "code", "new"]), select("llm", "model", ["small", "large"])],
      modes: { currentModeId: "ask", availableModes: [{ id: "ask" }, { id: "code" }] },
      models: { currentModelId: "small", availableModels: [{ modelId: "small" }, { modelId: "large" }] },
    });
    const session = await opening;
    const setting = session.setOption("m", "code");
    agent.fail(await agent.request("session/set_config_option"), -32603, "Internal error");
    const request = await agent.request("session/set_mode");
    assert.deepEqual(request.params, { sessionId: "s", modeId: "code" });
    agent.answer(request, {});
    await setting;
    assert.deepEqual(client.events.at(-1), { type: "option", id: "m", value: "code" });
    const both = problem(session.setOption("llm", "large"));
    agent.fail(await agent.request("session/set_config_option"), -32603, "First");
    agent.fail(await agent.request("session/set_model"), -32601, "Second");
    assert.match((await both).message, /rejected this setting: First\./);
    const unknown = problem(session.setOption("m", "new"));
    agent.fail(await agent.request("session/set_config_option"), -32602, "No");
    assert.match((await unknown).message, /rejected this setting: No\./);
    const signedOut = problem(session.setOption("m", "code"));
    agent.fail(await agent.request("session/set_config_option"), -32000, "Your login has expired");
    assert.equal((await signedOut).detail, "Your login has expired");
  });
});

describe("the options of an agent of version 1", () => {
  it("are those of the answer that opens the session, although it reported others before", async () => {
    trackLeaks();
    const agent = new WireAgent();
    const connected = await agent.ready({});
    const options = (value: string): readonly object[] => [
      {
        ...{ id: "m", name: "Mode", type: "select", currentValue: value },
        options: ["a", "b"].map(each => ({ value: each, name: each })),
      },
    ];
    const client = recordingClient();
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    const request = await agent.request("session/new");
    agent.update("s", { sessionUpdate: "config_option_update", configOptions: options("a") });
    agent.answer(request, { sessionId: "s", configOptions: options("b") });
    await opening;
    const reported = client.events.flatMap(event => (event.type === "options" ? event.options : []));
    assert.deepEqual(reported.map(({ value }) => value).at(-1), "b");
    connected.dispose();
    assert.deepEqual(findLeaks(), []);
  });
});
