// `elicitation/create` and `elicitation/complete` on the wire: scopes, answers, refusals, and the traffic recording.
import assert from "node:assert/strict";
import type { AgentConnection } from "../../src/acp/connect.ts";
import type { AgentClient } from "../../src/session/agent.ts";
import type { FormAnswer, FormRequest } from "../../src/session/forms/form.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const form = { mode: "form", message: "Who?", requestedSchema };

describe("an agent that asks with a form", () => {
  let agent: WireAgent;
  let connected: AgentConnection;
  let asked: FormRequest[];
  let completed: string[];
  let client: AgentClient;
  let answer: (request: FormRequest, signal: AbortSignal) => Promise<FormAnswer>;
  beforeEach(async () => {
    agent = new WireAgent();
    asked = [];
    completed = [];
    answer = () => Promise.resolve({ action: "decline" });
    client = recordingClient({
      askForm: (request, signal) => {
        asked.push(request);
        return answer(request, signal);
      },
      completeAddress: id => completed.push(id),
    });
    connected = await agent.ready();
  });
  afterEach(() => connected.dispose());

  async function open(): Promise<void> {
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    agent.answer(await agent.request("session/new"), { sessionId: "s" });
    await opening;
  }
  const create = async (params: object): Promise<unknown> => {
    agent.send({ id: "q", method: "elicitation/create", params });
    const { result, error } = await agent.response("q");
    return result ?? error;
  };

  it("gets the values, which are in no recording", async () => {
    await open();
    answer = () => Promise.resolve({ action: "accept", values: new Map([["name", "a secret"]]) });
    assert.deepEqual(await create({ ...form, sessionId: "s", toolCallId: "t" }), {
      action: "accept",
      content: { name: "a secret" },
    });
    assert.equal(asked[0]?.type, "form");
    assert.equal(asked[0].toolCallId, "t");
    assert.ok(!JSON.stringify(agent.recorder.records).includes("a secret"));
  });

  it("gets decline and cancel as different answers", async () => {
    await open();
    assert.deepEqual(await create({ ...form, sessionId: "s" }), { action: "decline" });
    answer = () => Promise.resolve("cancelled");
    assert.deepEqual(await create({ ...form, sessionId: "s" }), { action: "cancel" });
  });

  it("can ask before a session exists, for the request that opens it, whose time limit then does not run", async () => {
    connected.dispose();
    agent = new WireAgent();
    const connecting = agent.connect(undefined, { timeout: 400 });
    agent.answer(await agent.request("initialize"), { protocolVersion: 1 });
    connected = await connecting;
    let settle: (answer: FormAnswer) => void = () => {};
    answer = () => new Promise(resolve => (settle = resolve));
    const started = performance.now();
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    const request = await agent.request("session/new");
    agent.send({ id: "q", method: "elicitation/create", params: { ...form, requestId: request.id } });
    await until(() => asked.length === 1);
    // Past the limit, which runs on the system's clock.
    await until(() => performance.now() - started > 600);
    settle({ action: "decline" });
    assert.deepEqual((await agent.response("q")).result, { action: "decline" });
    agent.answer(request, { sessionId: "s" });
    await opening;
  });

  it("has its form ended when it answers the request that the form belongs to", async () => {
    answer = (_, signal) =>
      new Promise(resolve => signal.addEventListener("abort", () => resolve("cancelled"), { once: true }));
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    const request = await agent.request("session/new");
    agent.send({ id: "q", method: "elicitation/create", params: { ...form, requestId: request.id } });
    await until(() => asked.length === 1);
    agent.answer(request, { sessionId: "s" });
    assert.deepEqual((await agent.response("q")).result, { action: "cancel" });
    await opening;
  });

  it("is refused for a session or a request that is not open", async () => {
    await open();
    for (const scope of [{ sessionId: "other" }, { requestId: 99 }])
      assert.equal(((await create({ ...form, ...scope })) as { code: number }).code, -32002);
    assert.equal(((await create({ ...form, sessionId: "s", mode: "x" })) as { code: number }).code, -32602);
    assert.deepEqual(asked, []);
  });

  it("has a form that requires an unknown type of property declined with a reason", async () => {
    await open();
    const schema = { properties: { f: { type: "file" } }, required: ["f"] };
    await create({ ...form, sessionId: "s", requestedSchema: schema });
    assert.deepEqual(asked, [
      {
        type: "declined",
        message: "Who?",
        reason: "The form requires “f”, and Parley does not know its type.",
      },
    ]);
  });

  it("completes a web address of the session that shows it, and an unknown one without effect", async () => {
    await open();
    answer = () => Promise.resolve({ action: "accept" });
    const url = { mode: "url", message: "Sign in", elicitationId: "e", url: "https://example.com/", sessionId: "s" };
    assert.deepEqual(await create(url), { action: "accept" });
    for (const elicitationId of ["other", "e", "e"])
      agent.send({ method: "elicitation/complete", params: { elicitationId } });
    await until(() => completed.length === 1);
    await create({ ...form, sessionId: "s" });
    assert.deepEqual(completed, ["e"]);
    answer = () => Promise.resolve("cancelled");
    await create(url);
    agent.send({ method: "elicitation/complete", params: { elicitationId: "e" } });
    await create({ ...form, sessionId: "s" });
    assert.deepEqual(completed, ["e"], "a cancelled one is not shown any more");
  });
});
