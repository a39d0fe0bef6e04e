// What an agent on a server gets of the protocol, beside one that Parley starts.
import assert from "node:assert/strict";
import type { AgentPlace } from "../../src/acp/agentPlace.ts";
import { signInMethods } from "../../src/acp/signInMethods.ts";
import { detachedClient } from "../../src/acp/detachedClient.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

const server = (more: object = {}): AgentPlace => ({ server: { sharesFiles: false, ...more } });
const methodNotFound = -32601;

async function capabilities(place: AgentPlace, protocol: 1 | 2): Promise<Record<string, unknown>> {
  const agent = new WireAgent();
  const connecting = agent.connect(undefined, { place, protocol });
  const request = await agent.request("initialize");
  agent.answer(request, { protocolVersion: protocol });
  (await connecting).dispose();
  return request.params ?? {};
}

describe("an agent on a server", () => {
  it("is offered neither files nor terminals, and no sign-in by a program", async () => {
    const { clientCapabilities } = await capabilities(server(), 1);
    assert.deepEqual(clientCapabilities, {
      elicitation: { form: {}, url: {} },
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      plan: {},
      subagents: {},
      _meta: { terminal_output: true },
    });
    assert.deepEqual((await capabilities(server(), 2))["capabilities"], { elicitation: { form: {}, url: {} } });
  });

  it("is offered files and terminals if it works with the same files", async () => {
    const { clientCapabilities } = await capabilities(server({ sharesFiles: true }), 1);
    assert.deepEqual((clientCapabilities as Record<string, unknown>)["fs"], {
      readTextFile: true,
      writeTextFile: true,
    });
    assert.equal((clientCapabilities as Record<string, unknown>)["terminal"], true);
    assert.equal((clientCapabilities as Record<string, unknown>)["auth"], undefined);
  });

  for (const [method, params] of [
    ["fs/read_text_file", { path: "/etc/hosts" }],
    ["fs/write_text_file", { path: "/tmp/x", content: "" }],
    ["terminal/create", { command: "id" }],
  ] as const) {
    it(`gets no answer but an error to ${method}, which it was not offered`, async () => {
      const agent = new WireAgent();
      const connecting = agent.connect(undefined, { place: server() });
      agent.answer(await agent.request("initialize"), { protocolVersion: 1 });
      const connected = await connecting;
      const opening = connected.agent.open(
        { cwd: "/work", connection: 1 },
        detachedClient(() => {}),
      );
      agent.answer(await agent.request("session/new"), { sessionId: "s" });
      await opening;
      agent.send({ id: 7, method, params: { sessionId: "s", ...params } });
      assert.equal((await agent.next(({ id }) => id === 7)).error?.code, methodNotFound);
      connected.dispose();
    });
  }

  it("lists its sessions in that folder as those of the workspace folder", async () => {
    const agent = new WireAgent();
    const connecting = agent.connect(undefined, { place: server({ folder: "/srv/app" }) });
    const sessionCapabilities = { list: {} };
    agent.answer(await agent.request("initialize"), { protocolVersion: 1, agentCapabilities: { sessionCapabilities } });
    const connected = await connecting;
    const listing = connected.agent.sessionStore?.list?.("/work");
    const request = await agent.request("session/list");
    assert.equal(request.params?.["cwd"], "/srv/app");
    const sessions = [
      { sessionId: "a", cwd: "/srv/app" },
      { sessionId: "b", cwd: "/srv/other" },
    ];
    agent.answer(request, { sessions });
    const folders = (await listing)?.sessions.map(({ cwd }) => cwd);
    assert.deepEqual(folders, ["/work", "/srv/other"]);
    connected.dispose();
  });

  it("works in the folder of the server that the settings name, or else in the path of the workspace folder", async () => {
    for (const [place, cwd] of [
      [server({ folder: "/srv/app" }), "/srv/app"],
      [server(), "/work"],
    ] as const) {
      const agent = new WireAgent();
      const connecting = agent.connect(undefined, { place });
      agent.answer(await agent.request("initialize"), {
        protocolVersion: 1,
        agentCapabilities: { sessionCapabilities: { additionalDirectories: {} } },
      });
      const connected = await connecting;
      const request = { cwd: "/work", connection: 1, additionalFolders: ["/other"] };
      const opening = connected.agent.open(
        request,
        detachedClient(() => {}),
      );
      const { params, id } = await agent.request("session/new");
      assert.deepEqual(params, { cwd, mcpServers: [] });
      agent.answer({ ...(id !== undefined && { id }) }, { sessionId: "s" });
      await opening;
      connected.dispose();
    }
  });

  it("offers only those ways to sign in that need no program and no variables", () => {
    const methods = [
      { id: "a", type: "agent" },
      { id: "t", type: "terminal", args: ["login"] },
      { id: "v", type: "env_var", vars: [{ name: "KEY" }] },
    ];
    assert.deepEqual(signInMethods(methods, undefined), [{ id: "a", name: "a", type: "agent" }]);
  });
});
