// MCP servers on the way to an agent of either version.
import assert from "node:assert/strict";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";

describe("an agent that gets MCP servers", () => {
  it("gets MCP servers in the shape of each type, and says which types it can use", async () => {
    const other = new WireAgent();
    const able = await other.ready({ agentCapabilities: { mcpCapabilities: { http: true, sse: true } } });
    assert.deepEqual(able.agent.info.mcpServers, { http: true, sse: true });
    const opening = able.agent.open(
      {
        cwd: "/w",
        connection: 1,
        mcpServers: [
          { name: "a", type: "stdio", command: "/bin/run", args: ["-x"], env: { KEY: "v" } },
          { name: "b", type: "http", url: "https://b.example", headers: { Authorization: "v" } },
          { name: "c", type: "sse", url: "https://c.example/sse", headers: { Key: "w" } },
        ],
      },
      recordingClient(),
    );
    const request = await other.request("session/new");
    assert.deepEqual(request.params, {
      cwd: "/w",
      mcpServers: [
        { name: "a", command: "/bin/run", args: ["-x"], env: [{ name: "KEY", value: "v" }] },
        { type: "http", name: "b", url: "https://b.example", headers: [{ name: "Authorization", value: "v" }] },
        { type: "sse", name: "c", url: "https://c.example/sse", headers: [{ name: "Key", value: "w" }] },
      ],
    });
    other.answer(request, { sessionId: "s" });
    await opening;
    able.dispose();
  });

  it("can use no type that it does not advertise as true", async () => {
    for (const mcpCapabilities of [undefined, {}, { http: "yes", sse: 1 }]) {
      const other = new WireAgent();
      const able = await other.ready({ agentCapabilities: { mcpCapabilities } });
      assert.deepEqual(able.agent.info.mcpServers, { http: false, sse: false });
      able.dispose();
    }
  });

  it("gets them with their types in version 2, without those that version 2 does not have", async () => {
    const other = new WireAgent();
    const connecting = other.connect(undefined, { protocol: 2 });
    const capabilities = { session: { mcp: { stdio: {}, http: null } } };
    other.answer(await other.request("initialize"), { protocolVersion: 2, info: {}, capabilities });
    const able = await connecting;
    assert.deepEqual(able.agent.info.mcpServers, { stdio: true, http: false, sse: false });
    const opening = able.agent.open(
      {
        cwd: "/w",
        connection: 1,
        mcpServers: [
          { name: "a", type: "stdio", command: "/bin/run", args: ["-x"], env: { KEY: "v" } },
          { name: "b", type: "http", url: "https://b.example", headers: {} },
          { name: "c", type: "sse", url: "https://c.example", headers: {} },
        ],
      },
      recordingClient(),
    );
    const request = await other.request("session/new");
    assert.deepEqual(request.params, {
      cwd: "/w",
      mcpServers: [
        { type: "stdio", name: "a", command: "/bin/run", args: ["-x"], env: [{ name: "KEY", value: "v" }] },
        { type: "http", name: "b", url: "https://b.example", headers: [] },
      ],
    });
    other.answer(request, { sessionId: "s" });
    await opening;
    able.dispose();
  });
});
