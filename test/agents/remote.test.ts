// Agents on servers: the official SDK's server on loopback, over both transports.
import assert from "node:assert/strict";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkAgent } from "../../src/agents/checkAgent.ts";
import { checkReport } from "../../src/agents/checkReport.ts";
import { AgentPool } from "../../src/agents/pool.ts";
import type { AgentDefinition } from "../../src/agents/registry.ts";
import type { RemoteServer } from "../../src/agents/remote/readRemoteServer.ts";
import { connectToAgent, newCookies } from "../../src/agents/remote/client/connectToAgent.ts";
import { RemoteAgents } from "../../src/agents/remote/remoteAgents.ts";
import { transcriptText } from "../../src/acp/trafficRecorder.ts";
import { asProblem, type Problem } from "../../src/base/errors.ts";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { Secret } from "../../src/base/secrets/secret.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import type { AgentClient } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { detachedClient } from "../../src/acp/detachedClient.ts";
import { remoteAgent } from "../support/agents/remoteAgent.ts";
import { RemoteTestServer, type RemoteServerOptions } from "../support/agents/remoteServer.ts";
import { until } from "../support/fakes/until.ts";

const definition = (url: string, more: Partial<RemoteServer> = {}): AgentDefinition => ({
  ...{ id: "team", name: "Team Agent", command: "", args: [], env: {}, missingFiles: "error", startTimeout: 5 },
  remote: { url, headers: {}, sameFolder: false, ...more },
});

for (const kind of ["ws", "http"] as const) {
  describe(`an agent on a server over ${kind === "ws" ? "WebSocket" : "Streamable HTTP"}`, () => {
    let pool: AgentPool;
    let server: RemoteTestServer | undefined;
    let made: ReturnType<typeof remoteAgent>;
    const start = async (options: RemoteServerOptions = {}): Promise<RemoteTestServer> => {
      server = await RemoteTestServer.start(made.create, options);
      return server;
    };
    beforeEach(() => {
      made = remoteAgent();
      const remote = new RemoteAgents(() => ({ connectToAgent, newCookies }));
      pool = new AgentPool(nullLog, systemClock, "0", join(tmpdir(), "no-agents"), undefined, hostEnvironment, remote);
    });
    afterEach(async () => {
      await pool.dispose();
      await server?.stop();
      server = undefined;
    });
    const get = (agent: AgentDefinition): ReturnType<AgentPool["get"]> => pool.get(agent, () => {});
    const failure = async (agent: AgentDefinition): Promise<Problem> =>
      get(agent).then(
        () => assert.fail("it connected"),
        (error: unknown) => asProblem(error),
      );
    const client = (events: SessionEvent[], answer: AgentClient["requestPermission"]): AgentClient => ({
      ...detachedClient(event => events.push(event)),
      requestPermission: answer,
    });

    it("runs a turn with a question", async () => {
      const { agent } = await get(definition((await start()).url(kind)));
      assert.equal(agent.info.name, "Remote Agent");
      const events: SessionEvent[] = [];
      const session = await agent.open(
        { cwd: "/work", connection: 1 },
        client(events, () => Promise.resolve({ option: "yes" })),
      );
      await session.prompt([{ type: "text", text: "hello" }]);
      await until(() => events.some(event => event.type === "activity" && event.state === "idle"));
      assert.deepEqual(made.record.answers, ["yes"]);
      const words = events.flatMap(event =>
        event.type === "messageChunk" && event.content.type === "text" ? [event.content.text] : [],
      );
      assert.deepEqual(words, ["You said: hello", "You answered: yes"]);
      assert.match(transcriptText(pool.tap("team")?.records ?? []), /session\/request_permission/);
    });

    it("names the header to set if the server needs a sign-in, and connects with it", async () => {
      const testServer = await start({ token: "Bearer s3cr3t-token-1" });
      const url = testServer.url(kind);
      const problem = await failure(definition(url));
      assert.match(problem.message, /^Team Agent needs a sign-in: 127\.0\.0\.1:\d+ refused the connection \(401\)/);
      assert.deepEqual([problem.detail, problem.next[0]], ["Sign in first.", "setAgentHeader"]);
      const headers = { Authorization: new Secret("Bearer s3cr3t-token-1") };
      assert.equal((await get(definition(url, { headers }))).agent.info.name, "Remote Agent");
      assert.equal(testServer.requests.at(-1)?.headers.authorization, "Bearer s3cr3t-token-1");
    });

    it("keeps the cookies of the server also for its next connection", async () => {
      const testServer = await start({ cookie: "lb=one; Path=/" });
      const url = testServer.url(kind);
      await get(definition(url));
      await pool.stop("team");
      const before = testServer.requests.length;
      await get(definition(url));
      assert.equal(testServer.requests[before]?.headers.cookie, "lb=one");
    });

    it("keeps no cookies for another account, and none with which it was refused", async () => {
      const testServer = await start({ cookie: "lb=one; Path=/" });
      const url = testServer.url(kind);
      const cookieOf = async (token: string): Promise<string | undefined> => {
        await pool.stop("team");
        const before = testServer.requests.length;
        await get(definition(url, { headers: { Authorization: new Secret(token) } })).catch(() => {});
        return testServer.requests[before]?.headers.cookie;
      };
      assert.equal(await cookieOf("Bearer first-account-token"), undefined);
      assert.equal(await cookieOf("Bearer other-account-token"), undefined);
      testServer.refuses = 403;
      assert.equal(await cookieOf("Bearer other-account-token"), "lb=one");
      testServer.refuses = undefined;
      assert.equal(await cookieOf("Bearer other-account-token"), undefined);
    });

    it("reports once that the connection was cut, and connects again with the next use", async () => {
      const testServer = await start();
      const agent = definition(testServer.url(kind));
      const first = await get(agent);
      const problems: Problem[] = [];
      first.onDidDie(problem => problems.push(problem));
      testServer.cut();
      await until(() => problems.length > 0);
      assert.equal(problems.length, 1);
      assert.equal(problems[0]?.reconnects, true);
      assert.equal(first.hasEnded(), true);
      assert.notEqual(await get(agent), first);
      assert.equal(made.record.introductions.length, 2);
    });

    it("says that nothing answers there", async () => {
      const testServer = await start();
      const address = testServer.url(kind);
      await testServer.stop();
      server = undefined;
      const problem = await failure(definition(address));
      assert.match(problem.message, /^Could not connect to Team Agent: nothing answers at 127\.0\.0\.1:\d+\./);
    });

    it("says that the address is not one of an agent", async () => {
      const testServer = await start();
      testServer.refuses = 404;
      assert.match((await failure(definition(testServer.url(kind)))).message, /answered with HTTP status 404/);
      testServer.refuses = 302;
      assert.match((await failure(definition(testServer.url(kind)))).message, /redirects to another address \(302\)/);
    });

    it("ends the wait for a server that accepts the connection and never answers", async () => {
      const silent: Server = createServer(() => {});
      await new Promise<void>(resolve => silent.listen(0, "127.0.0.1", resolve));
      const { port } = silent.address() as AddressInfo;
      const agent = { ...definition(`${kind}://127.0.0.1:${port}/acp`), startTimeout: 0.2 };
      assert.match((await failure(agent)).message, /did not answer in time/);
      silent.close();
    });

    it("is checked, and the report names the server in place of a program", async () => {
      const testServer = await start({ token: "Bearer s3cr3t-token-2" });
      const check = (headers: RemoteServer["headers"]): Promise<string> => {
        const team = definition(testServer.url(kind), { headers });
        const options = {
          ...{ startFolder: tmpdir(), workspaceFolder: "/work", clientVersion: "0", environment: hostEnvironment },
          ...{ clock: systemClock, log: nullLog, onOutput: () => {} },
          remote: new RemoteAgents(() => ({ connectToAgent, newCookies })),
        };
        return checkAgent(team, options, new AbortController().signal).then(found =>
          checkReport([{ definition: team, started: team, check: found }], "test", { host: {}, programs: {} }),
        );
      };
      const refused = await check({});
      assert.match(refused, /Team Agent — does not work/);
      assert.match(refused, /Server +(ws|http):\/\/127\.0\.0\.1/);
      assert.doesNotMatch(refused, /Program|Command/);
      assert.match(refused, /Next step +Run “Set Header of Agent…”\./);
      const works = await check({ Authorization: new Secret("Bearer s3cr3t-token-2") });
      assert.match(works, /Team Agent — works/);
      assert.match(works, /Version +Remote Agent 1\.0\.0/);
      assert.doesNotMatch(works, /s3cr3t/);
    });

    if (kind === "http")
      it("sends its messages over one connection, beside those of the events", async () => {
        const testServer = await start();
        const { agent } = await get(definition(testServer.url(kind)));
        const answer = (): Promise<{ option: string }> => Promise.resolve({ option: "yes" });
        const session = await agent.open({ cwd: "/work", connection: 1 }, client([], answer));
        for (let count = 0; count < 5; count++) await session.prompt([{ type: "text", text: "hello" }]);
        await until(() => made.record.answers.length === 5);
        assert.ok(testServer.connections <= 5, `${testServer.connections} connections`);
      });

    it("tells the server that the connection ends", async () => {
      const testServer = await start();
      await get(definition(testServer.url(kind)));
      const before = testServer.requests.length;
      await pool.stop("team");
      if (kind === "http") assert.equal(testServer.requests.slice(before).at(-1)?.method, "DELETE");
      await until(() => kind === "http" || testServer.connections === 0);
    });
  });
}
