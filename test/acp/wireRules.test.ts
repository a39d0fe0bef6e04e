// Rules for the requests between Parley and an agent: when they may be sent, what their ids are, how they end, and what
// each error code leads to.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { Confinement } from "../../src/files/paths.ts";
import { isBusy } from "../../src/session/state.ts";
import { SessionTerminals } from "../../src/terminals/sessionTerminals.ts";
import { recordingClient } from "../support/fakes/recordingClient.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent, type SentMessage } from "../support/fakes/wireAgent.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

beforeEach(() => trackLeaks());
afterEach(() => assert.deepEqual(findLeaks(), []));

describe("requests of Parley", () => {
  it("begin with initialize, and a session is opened after its answer", async () => {
    const wire = new WireSession();
    const order: string[] = [];
    wire.agent.stdin.on("data", (line: string) => order.push((JSON.parse(line) as SentMessage).method ?? ""));
    const { send } = wire.agent;
    wire.agent.send = message => {
      order.push("answer");
      send.call(wire.agent, message);
    };
    const opening = wire.session.open();
    wire.session.send([{ type: "text", text: "go" }]);
    wire.agent.answer(await wire.agent.request("session/new"), { sessionId: "s" });
    await opening;
    await wire.agent.request("session/prompt");
    assert.deepEqual(order, ["initialize", "answer", "session/new", "answer", "session/prompt"]);
    wire.dispose();
  });

  it("have ids of their own while they wait for their responses", async () => {
    const agent = new WireAgent();
    const connected = await agent.ready();
    const openings = Array.from({ length: 9 }, (_, at) =>
      connected.agent.open({ cwd: "/w", connection: at }, recordingClient()),
    );
    const requests = [];
    for (const _ of openings) requests.push(await agent.request("session/new"));
    assert.equal(new Set(requests.map(({ id }) => id)).size, openings.length);
    for (const [at, request] of requests.reverse().entries()) agent.answer(request, { sessionId: `s${at}` });
    await Promise.all(openings);
    connected.dispose();
  });

  it("do not sign out of an agent of version 1 that does not advertise logout", async () => {
    for (const auth of [undefined, null, {}, { logout: null }, { logout: true }]) {
      const agent = new WireAgent();
      const connected = await agent.ready({ agentCapabilities: { auth }, authMethods: [{ id: "key", name: "Key" }] });
      assert.equal(connected.agent.signOut, undefined, JSON.stringify(auth));
      connected.dispose();
    }
    const agent = new WireAgent();
    const connected = await agent.ready({ agentCapabilities: { auth: { logout: {} } } });
    const done = connected.agent.signOut?.();
    const request = await agent.request("logout");
    assert.deepEqual(request.params, {});
    agent.answer(request, {});
    await done;
    connected.dispose();
  });
});

describe("a request of an agent", () => {
  it("ends with the cancellation error if Parley ends the wait by itself", async () => {
    const agent = new WireAgent();
    const connected = await agent.ready();
    const terminals = new SessionTerminals({
      ...{
        confinement: new Confinement(nodePaths(), [tmpdir()]),
        workspaceFolder: tmpdir(),
        environment: hostEnvironment,
      },
      report: () => {},
    });
    let waits = false;
    const client = recordingClient({
      createTerminal: request => terminals.createTerminal(request),
      waitForTerminalExit: (id, signal) => {
        waits = true;
        return terminals.waitForTerminalExit(id, signal);
      },
    });
    const opening = connected.agent.open({ cwd: "/w", connection: 1 }, client);
    agent.answer(await agent.request("session/new"), { sessionId: "s" });
    await opening;
    const ask = (id: number, method: string, params: object): void =>
      agent.send({ id, method, params: { sessionId: "s", ...params } });
    ask(1, "terminal/create", { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] });
    const { result } = await agent.response(1);
    ask(2, "terminal/wait_for_exit", result as object);
    await until(() => waits);
    await terminals.close();
    assert.equal((await agent.response(2)).error?.code, -32800);
    connected.dispose();
  });
});

for (const version of [1, 2] as const) {
  describe(`an error that an agent of version ${version} answers a prompt with`, () => {
    let wire: WireSession;
    beforeEach(async () => {
      wire = await new WireSession(undefined, { version }).opened();
    });
    afterEach(() => wire.dispose());

    /** The problem, the problem that asks for the sign-in, and the prompts that wait. */
    async function fail(code: number, message: string, data?: object): Promise<readonly unknown[]> {
      wire.agent.fail(await wire.send("go"), code, message, data);
      await until(() => !isBusy(wire.state));
      await wire.processed();
      const problem = [...wire.state.entries].find(entry => entry.kind === "problem");
      return [problem?.kind === "problem" && problem.problem.message, wire.state.signIn?.message, wire.queued];
    }
    const failed = version === 1 ? "could not finish this turn" : "did not accept this message";

    for (const { code, name, data } of [
      { code: -32700, name: "Parse error" },
      { code: -32600, name: "Not a request" },
      { code: -32601, name: "No such method" },
      { code: -32602, name: "Wrong fields" },
      { code: -32603, name: "It broke" },
      // Without the file, the agent no longer has the session.
      { code: -32002, name: "No such file", data: { uri: "file:///w/a" } },
      { code: -32022, name: "No such version" },
      { code: -31999, name: "A future error" },
    ]) {
      it(`is shown with its reason if its code is ${code}`, async () => {
        const [problem, signIn, queued] = await fail(code, name, data);
        assert.ok(String(problem).startsWith(`Robo ${failed}: ${name}.`), String(problem));
        assert.deepEqual([signIn, queued], [undefined, []]);
      });
    }

    it("asks for the sign-in if its code is -32000, and keeps the prompt", async () => {
      const [problem, signIn, queued] = await fail(-32000, "Please log in");
      assert.deepEqual([problem, queued], [false, ["go"]]);
      assert.match(String(signIn), /^Robo needs you to sign in\./);
    });

    it("is a cancellation and no failure if its code is -32800", async () => {
      const [problem, signIn, queued] = await fail(-32800, "Cancelled");
      assert.deepEqual([problem, signIn, queued], [false, undefined, version === 1 ? [] : ["go"]]);
    });
  });
}
