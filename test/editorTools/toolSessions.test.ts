// Tokens of sessions: which session an agent reaches, and when the server runs.
import assert from "node:assert/strict";
import { nullLog } from "../../src/base/log.ts";
import { maskKnownSecrets } from "../../src/base/secrets/knownSecrets.ts";
import type { ToolAccess, ToolContext } from "../../src/editorTools/tool.ts";
import type { ServedTools, ToolServerOptions } from "../../src/editorTools/toolServer.ts";
import { ToolSessions, type ToolUser } from "../../src/editorTools/toolSessions.ts";
import type { AgentServerTypes, ConnectedServer } from "../../src/session/agent.ts";
import type { ConnectionState } from "../../src/session/events.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

/** Where an agent reaches the server over HTTP. */
interface Address {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Bench {
  readonly sessions: ToolSessions;
  /** The address for an agent that can use servers over HTTP. */
  addressFor(session: string): Promise<Address>;
  readonly clock: FakeClock;
  readonly log: string[];
  /** The tools for the headers of an address, as the server asks for them. */
  toolsFor(headers: Readonly<Record<string, string>>): ServedTools | undefined;
  isOn: boolean;
  failure: Error | undefined;
  /** What a start or an end of the server waits for. */
  waits: Promise<void>;
}

const overHttp: ToolUser = { agent: "a", accepts: { http: true, sse: false } };

function bench(): Bench {
  const log: string[] = [];
  let toolsOf: ToolServerOptions["toolsOf"] = () => undefined;
  const clock = new FakeClock();
  const made: Bench = {
    clock,
    sessions: new ToolSessions({
      startServer: async options => {
        log.push("started");
        await made.waits;
        if (made.failure) throw made.failure;
        ({ toolsOf } = options);
        return {
          url: "http://127.0.0.1:1/mcp",
          close: async () => {
            await made.waits;
            log.push("closed");
          },
        };
      },
      answerMessage: async ({ method, params }, { tools, signal }) => {
        const { text } = await tools.call(method, params, signal);
        return { result: text };
      },
      bridge: { node: "/usr/bin/node", script: "/dist/mcpBridge.js" },
      toolsFor: agent => (made.isOn && agent !== "off" ? "read" : "off"),
      context: (session, access) => {
        log.push(`context of ${session}`);
        const editor = { path: "/ws/a.ts", isActive: true, isVisible: true, hasUnsavedChanges: false };
        return { access, editor: { openEditors: () => [editor] }, changes: () => [] } as unknown as ToolContext;
      },
      ...{ clock, log: nullLog },
    }),
    log,
    async addressFor(session) {
      const server = await made.sessions.serverFor(session, overHttp);
      assert.ok(server?.type === "http");
      return { url: server.url, headers: server.headers };
    },
    toolsFor: headers => toolsOf((headers["Authorization"] ?? "").replace("Bearer ", "")),
    isOn: true,
    failure: undefined,
    waits: Promise.resolve(),
  };
  return made;
}

/** Makes starts and ends of the server wait until the result is called. */
function hold(made: Bench): () => void {
  let release = (): void => {};
  made.waits = new Promise(resolve => (release = resolve));
  return () => release();
}

const access = { passes: () => Promise.resolve(true) } as unknown as ToolAccess;
const never = new AbortController().signal;

describe("the sessions with the editor's tools", () => {
  it("have a token each, which is long, stays the same, and is hidden", async () => {
    const { addressFor, log } = bench();
    const [a, again, b] = await Promise.all(["a", "a", "b"].map(session => addressFor(session)));
    assert.deepEqual(a, again);
    assert.notDeepEqual(a?.headers, b?.headers);
    const token = a?.headers["Authorization"]?.replace("Bearer ", "") ?? "";
    assert.match(token, /^[\w-]{43}$/);
    assert.ok(!a?.url.includes(token));
    assert.equal(maskKnownSecrets(`x ${token} y`), "x ••• y");
    assert.deepEqual(log, ["started"]);
  });

  it("end the calls that run when the user stops the turn, and only those", async () => {
    const { sessions, addressFor, toolsFor } = bench();
    const { headers } = await addressFor("a");
    let waits = 0;
    // The lists of a tool wait for it.
    const passes = (): Promise<boolean> => {
      waits++;
      return waits === 1 ? new Promise(() => {}) : Promise.resolve(true);
    };
    const { stateChanged } = sessions.opened("a", { passes } as unknown as ToolAccess);
    const running = toolsFor(headers)?.call("open_editors", {}, never);
    await until(() => waits === 1);
    const stopping: SessionState = { ...emptySession, cancelling: true };
    stateChanged(emptySession, stopping);
    stateChanged(stopping, stopping);
    assert.equal((await running)?.text, "The call was cancelled.");
    assert.notEqual((await toolsFor(headers)?.call("open_editors", {}, never))?.text, "The call was cancelled.");
  });

  it("reach their own session only", async () => {
    const { sessions, addressFor, log, toolsFor } = bench();
    const a = await addressFor("a");
    await addressFor("b");
    for (const session of ["a", "b"]) sessions.opened(session, access);
    const result = await toolsFor(a.headers)?.call("changes_under_review", {}, never);
    assert.equal(result?.isError, false, result?.text);
    assert.deepEqual(log, ["started", "context of a"]);
    assert.equal(toolsFor({ Authorization: `Bearer ${"A".repeat(43)}` }), undefined);
    assert.equal(toolsFor({ Authorization: "Bearer " }), undefined);
  });

  it("get nothing before the session is open in Parley", async () => {
    const { addressFor, toolsFor } = bench();
    const { headers } = await addressFor("a");
    const tools = toolsFor(headers);
    assert.ok((tools?.descriptions.length ?? 0) > 5);
    assert.match((await tools?.call("changes_under_review", {}, never))?.text ?? "", /not open in Parley yet/);
  });

  it("lose the token with the end of the session, and another begins with a new one", async () => {
    const { sessions, addressFor, toolsFor } = bench();
    const first = await addressFor("a");
    const open = sessions.opened("a", access);
    const { ended } = toolsFor(first.headers) ?? {};
    open.dispose();
    assert.equal(ended?.aborted, true);
    assert.equal(toolsFor(first.headers), undefined);
    const second = await addressFor("a");
    assert.notDeepEqual(second.headers, first.headers);
    assert.equal(toolsFor(first.headers), undefined);
    // An end that is reported twice ends nothing else.
    sessions.opened("a", access);
    open.dispose();
    assert.ok(toolsFor(second.headers));
  });

  it("get no tools while the user has them switched off, also with a token from before", async () => {
    const made = bench();
    const { headers } = await made.addressFor("a");
    made.sessions.opened("a", access);
    made.isOn = false;
    const tools = made.toolsFor(headers);
    assert.deepEqual(tools?.descriptions, []);
    assert.match((await tools?.call("changes_under_review", {}, never))?.text ?? "", /has switched off/);
    assert.deepEqual(made.log, ["started"]);
  });

  it("share a server that ends with the last of them, and starts again", async () => {
    const { sessions, addressFor, log } = bench();
    await Promise.all([addressFor("a"), addressFor("b")]);
    sessions.end("a");
    assert.deepEqual(log, ["started"]);
    sessions.end("b");
    await addressFor("c");
    assert.deepEqual(log, ["started", "closed", "started"]);
    await sessions.close();
    assert.deepEqual(log, ["started", "closed", "started", "closed"]);
    await assert.rejects(addressFor("d"), /closing/);
  });

  it("start no server for a session that ends while the last one closes", async () => {
    const made = bench();
    await made.addressFor("a");
    const release = hold(made);
    made.sessions.end("a");
    const refused = assert.rejects(made.addressFor("b"), /The session has ended/);
    made.sessions.end("b");
    release();
    await refused;
    await made.sessions.close();
    assert.deepEqual(made.log, ["started", "closed"]);
  });

  it("leave no server if the window closes while one closes or starts", async () => {
    for (const isClosing of [true, false]) {
      const made = bench();
      if (isClosing) await made.addressFor("a");
      const release = hold(made);
      made.sessions.end("a");
      const refused = assert.rejects(made.addressFor("b"), /The session has ended/);
      await until(() => made.log.length > 0);
      const closed = made.sessions.close();
      release();
      await Promise.all([refused, closed]);
      assert.deepEqual(made.log, ["started", "closed"]);
    }
  });

  it("get no address with a token that has ended while the server started", async () => {
    const made = bench();
    const release = hold(made);
    const refused = assert.rejects(made.addressFor("a"), /The session has ended/);
    await until(() => made.log.length > 0);
    made.sessions.end("a");
    release();
    await refused;
    await until(() => made.log.at(-1) === "closed");
  });

  it("lose a token after ten minutes if the session never opens, or has closed before it got the token", async () => {
    const { sessions, addressFor, clock, log, toolsFor } = bench();
    const { headers } = await addressFor("never opened");
    const kept = await addressFor("open");
    const open = sessions.opened("open", access);
    sessions.opened("closed", access).dispose();
    const late = await addressFor("closed");
    clock.advance(10 * 60_000);
    assert.deepEqual([headers, late.headers].map(toolsFor), [undefined, undefined]);
    assert.ok(toolsFor(kept.headers));
    open.dispose();
    await sessions.close();
    assert.deepEqual([log, clock.pendingTimers], [["started", "closed"], 0]);
  });

  it("can start the server again after it failed", async () => {
    const made = bench();
    made.failure = new Error("no port");
    await assert.rejects(made.addressFor("a"), /no port/);
    made.failure = undefined;
    assert.equal((await made.addressFor("a")).url, "http://127.0.0.1:1/mcp");
  });

  describe("reach the tools", () => {
    const kinds: Readonly<Record<string, readonly [AgentServerTypes, string | undefined]>> = {
      "over the connection, before all others": [{ acp: true, stdio: true, http: true, sse: true }, "acp"],
      "over HTTP": [{ http: true, sse: true }, "http"],
      "with a command, if the agent takes only those": [{ http: false, sse: false }, "stdio"],
      "with a command, but not over SSE": [{ stdio: true, http: false, sse: true }, "stdio"],
      "in no way, if the agent takes no servers": [{ stdio: false, http: false, sse: true }, undefined],
    };
    for (const [what, [accepts, type]] of Object.entries(kinds)) {
      it(what, async () => {
        const { sessions, log } = bench();
        const server = await sessions.serverFor("a", { agent: "a", accepts });
        assert.equal(server?.type, type);
        assert.deepEqual(log, type === "http" || type === "stdio" ? ["started"] : []);
      });
    }

    it("with a command that has the token in its environment only", async () => {
      const { sessions, addressFor, toolsFor } = bench();
      const server = await sessions.serverFor("a", { agent: "a", accepts: { http: false, sse: false } });
      const { headers, url } = await addressFor("a");
      assert.deepEqual(server, {
        ...{ type: "stdio", command: "/usr/bin/node", args: ["/dist/mcpBridge.js"] },
        env: {
          ELECTRON_RUN_AS_NODE: "1",
          PARLEY_TOOLS_URL: url,
          PARLEY_TOOLS_TOKEN: (headers["Authorization"] ?? "").replace("Bearer ", ""),
        },
      });
      assert.ok(toolsFor(headers));
    });

    it("over the connection until the session or the agent ends", async () => {
      const { sessions, log } = bench();
      const connected = async (): Promise<ConnectedServer> => {
        const server = await sessions.serverFor("a", { agent: "a", accepts: { acp: true, http: false, sse: false } });
        assert.ok(server?.type === "acp");
        return server;
      };
      const call = async ({ answer }: ConnectedServer): Promise<unknown> =>
        answer({ requestId: "r", method: "changes_under_review", params: {} }, { signal: never, notify: () => {} });
      const first = await connected();
      assert.match(JSON.stringify(await call(first)), /not open in Parley yet/);
      const open = sessions.opened("a", access);
      assert.deepEqual(await call(first), { result: "No change of this session waits for review." });
      assert.equal((await connected()).serverId, first.serverId);
      open.dispose();
      assert.equal(first.ended.aborted, true);
      assert.notEqual((await connected()).serverId, first.serverId);
      // No port was needed.
      assert.deepEqual(log, ["context of a"]);
    });
  });

  it("lose the token when the agent ends, or did not open the session, and the next agent gets another one", async () => {
    const { sessions, addressFor, toolsFor } = bench();
    const open = sessions.opened("a", access);
    const state = (name: ConnectionState): SessionState => ({ ...emptySession, connection: { state: name } });
    const first = await addressFor("a");
    for (const name of ["connecting", "opening", "ready"] as const) open.stateChanged(state("starting"), state(name));
    assert.ok(toolsFor(first.headers));
    open.stateChanged(state("opening"), state("closed"));
    assert.equal(toolsFor(first.headers), undefined);
    const second = await addressFor("a");
    assert.notDeepEqual(second.headers, first.headers);
    // The session is still closed while the next agent starts.
    open.stateChanged(state("closed"), state("closed"));
    open.stateChanged(state("closed"), state("starting"));
    assert.equal((await toolsFor(second.headers)?.call("changes_under_review", {}, never))?.isError, false);
  });

  it("get nothing from an agent or in a session for which the user has switched them off", async () => {
    const { sessions, addressFor, toolsFor, log } = bench();
    const off = await sessions.serverFor("off", { agent: "off", accepts: { http: true, sse: false } });
    assert.ok(off?.type === "http");
    const own = await addressFor("a");
    for (const session of ["off", "a"]) sessions.opened(session, access);
    const text = async (headers: Readonly<Record<string, string>>): Promise<string | undefined> =>
      (await toolsFor(headers)?.call("changes_under_review", {}, never))?.text;
    assert.match((await text(off.headers)) ?? "", /has switched off/);
    assert.deepEqual(toolsFor(off.headers)?.descriptions, []);
    sessions.setOn("a", false);
    assert.match((await text(own.headers)) ?? "", /has switched off/);
    assert.deepEqual(log, ["started"]);
    sessions.setOn("a", true);
    assert.match((await text(own.headers)) ?? "", /No change/);
  });
});
