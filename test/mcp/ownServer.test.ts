// Parley's own server among those of a session: who gets it, and what the user reads about it.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import type { OwnServer } from "../../src/mcp/ownServer.ts";
import type { ServerConsents } from "../../src/mcp/serverConsents.ts";
import type { ServerLauncher } from "../../src/mcp/serverLauncher.ts";
import { SessionServers } from "../../src/mcp/sessionServers.ts";
import type { ConsentingAgent } from "../../src/mcp/signIn/tokenConsents.ts";
import type { AgentInfo, AgentServerLaunch, AgentServerTypes } from "../../src/session/agent.ts";

const command: AgentServerLaunch = { type: "stdio", command: "/node", args: ["/bridge.js"], env: { TOKEN: "x" } };

/** The servers of sessions without any but Parley's own. */
function bench(own: Partial<OwnServer>) {
  const stored = new Map<string, unknown>();
  const memento = {
    get: <T>(key: string, otherwise: T): T => (stored.get(key) ?? otherwise) as T,
    update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
  };
  const users: unknown[] = [];
  const switched: unknown[] = [];
  const sessions = new SessionServers({
    states: { workspaceState: memento, globalState: memento } as never,
    consents: {} as ServerConsents,
    launcher: {} as ServerLauncher,
    environment: hostEnvironment,
    existing: () => Promise.resolve(new Set<string>()),
    ownServer: {
      tools: agent => (agent === "off" ? undefined : ["Read File"]),
      serverFor: (session, user) => {
        users.push([session, user.agent]);
        return Promise.resolve(command);
      },
      setOn: (session, on) => void switched.push([session, on]),
      end: () => {},
      onDidChange: new Emitter<void>().event,
      ...own,
    },
    log: nullLog,
  });
  const open = (agentId: string, accepts?: AgentServerTypes, definition?: ConsentingAgent) =>
    sessions.open(
      "s",
      { servers: [], problems: [] },
      {
        agent: { ...(accepts && { mcpServers: accepts }) } as AgentInfo,
        ...{ agentId, agentName: "One", agentEnv: {}, workspaceFolder: "/ws", definition },
      },
    );
  return { sessions, open, users, switched };
}

describe("Parley's own MCP server", () => {
  it("is given as it is, with the agent that gets it, and without a proxy", async () => {
    const { open, users, sessions } = bench({});
    assert.deepEqual(await open("a"), { servers: [{ name: "parley", ...command }] });
    assert.deepEqual(users, [["s", "a"]]);
    assert.deepEqual(sessions.opened("s", { name: "parley" }), { on: true });
  });

  it("answers again when the session is opened with it", async () => {
    const { open, switched } = bench({});
    await open("a");
    assert.deepEqual(switched, [["s", true]]);
  });

  it("is not started for an agent whose settings have it off, or in a session in which the user has", async () => {
    const { open, users, sessions } = bench({});
    assert.deepEqual(await open("off"), { servers: [] });
    await sessions.setOn("s", { name: "parley" }, false);
    assert.deepEqual(await open("a"), { servers: [] });
    assert.deepEqual(users, []);
    await sessions.setOn("s", { name: "parley" }, true);
    assert.equal((await open("a")).servers.length, 1);
  });

  it("has only a row with the reason if the agent can use no servers, because the user did not ask for it", async () => {
    const { open, sessions } = bench({ serverFor: () => Promise.resolve(undefined) });
    assert.deepEqual(await open("a", { stdio: false, http: false, sse: false }), { servers: [] });
    const reason = "One cannot use MCP servers.";
    assert.deepEqual(sessions.opened("s", { name: "parley" }), { on: true, reason });
  });

  it("is given to an agent on a server only if the server works with the files of this machine", async () => {
    const { open, users, sessions } = bench({});
    const accepts = { stdio: false, http: false, sse: false, acp: true };
    const onServer = (sameFolder: boolean): ConsentingAgent => ({
      ...{ id: "a", command: "", args: [] },
      remote: { url: "wss://a.example", headers: {}, sameFolder },
    });
    assert.deepEqual(await open("a", accepts, onServer(false)), { servers: [] });
    const reason = "One runs on a server that does not work with your files.";
    assert.deepEqual(sessions.opened("s", { name: "parley" }), { on: true, reason });
    assert.deepEqual(users, []);
    assert.equal((await open("a", accepts, onServer(true))).servers.length, 1);
  });

  it("is left out with a notice if it fails", async () => {
    const { open } = bench({ serverFor: () => Promise.reject(new Error("no port is free")) });
    assert.deepEqual(await open("a"), {
      servers: [],
      notice: "The MCP server “parley” is left out. It could not be started: no port is free",
    });
  });
});
