// The proxy between Parley and an agent on a server, with the SDK's server, which counts and cuts by itself in other tests.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detachedClient } from "../../../src/acp/detachedClient.ts";
import { AgentPool } from "../../../src/agents/pool.ts";
import type { AgentDefinition } from "../../../src/agents/registry.ts";
import { connectToAgent, newCookies } from "../../../src/agents/remote/client/connectToAgent.ts";
import { RemoteAgents } from "../../../src/agents/remote/remoteAgents.ts";
import { nullLog, systemClock } from "../../../src/base/log.ts";
import { hostEnvironment } from "../../../src/base/windowEnvironment.ts";
import type { SessionEvent } from "../../../src/session/events.ts";
import { remoteAgent } from "../../support/agents/remoteAgent.ts";
import { RemoteTestServer } from "../../support/agents/remoteServer.ts";
import { until } from "../../support/fakes/until.ts";
import { CuttingProxy } from "./cuttingProxy.ts";
import { transportNames } from "./daemonTable.ts";

for (const kind of ["ws", "http"] as const) {
  describe(`a proxy for ${transportNames[kind]} that cuts`, () => {
    const made = remoteAgent();
    let server: RemoteTestServer;
    let proxy: CuttingProxy;
    let pool: AgentPool;
    beforeEach(async () => {
      server = await RemoteTestServer.start(made.create);
      proxy = await CuttingProxy.start(`http://127.0.0.1:${server.port}`);
      const remote = new RemoteAgents(() => ({ connectToAgent, newCookies }));
      pool = new AgentPool(nullLog, systemClock, "0", join(tmpdir(), "no-agents"), undefined, hostEnvironment, remote);
    });
    afterEach(async () => {
      await pool.dispose();
      await proxy.stop();
      await server.stop();
    });

    /** Opens a session, and begins a turn with a question. */
    async function begin(events: SessionEvent[]): Promise<{ readonly hasEnded: () => boolean }> {
      const agent: AgentDefinition = {
        ...{ id: "team", name: "Team", command: "", args: [], env: {}, missingFiles: "error", startTimeout: 5 },
        remote: { url: `${kind}://${proxy.host}/acp`, headers: {}, sameFolder: false },
      };
      const connected = await pool.get(agent, () => {});
      const session = await connected.agent.open(
        { cwd: "/work", connection: 1 },
        {
          ...detachedClient(event => events.push(event)),
          requestPermission: () => Promise.resolve({ option: "yes" }),
        },
      );
      session.prompt([{ type: "text", text: "hello" }]).catch(() => {});
      return connected;
    }
    const isOver = (events: readonly SessionEvent[]): boolean =>
      events.some(event => event.type === "activity" && event.state === "idle");

    it("counts the same messages as the server, and forwards all of them", async () => {
      const events: SessionEvent[] = [];
      await begin(events);
      await until(() => isOver(events));
      assert.deepEqual(made.record.answers, ["yes"]);
      assert.ok(proxy.messages >= 10, `${proxy.messages}`);
      assert.equal(proxy.messages, server.messages);
    });

    it("ends the connections of both sides in place of a message", async () => {
      const events: SessionEvent[] = [];
      proxy.cutAfter(7);
      const connected = await begin(events);
      await until(() => connected.hasEnded() && server.connections === 0);
      assert.ok(!isOver(events));
      assert.ok(proxy.hasCut);
      assert.equal(proxy.messages, 8);
      assert.ok(server.messages >= 7, "the messages before have passed");
    });
  });
}
