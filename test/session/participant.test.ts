// Features that take part in a session: when the session calls them, and with which states.
import assert from "node:assert/strict";
import { Emitter, findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { WriteResult } from "../../src/session/agent.ts";
import type { AgentActions, SessionParticipant } from "../../src/session/participant.ts";
import { Session } from "../../src/session/session.ts";
import { openQuestions } from "../../src/session/state.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { StubAgent, type StubSession } from "../support/fakes/stubAgent.ts";
import { until } from "../support/fakes/until.ts";

describe("the participants of a session", () => {
  const agent = new StubAgent();
  const faults: string[] = [];
  const calls: string[] = [];
  let died: Emitter<never>;
  let session: Session | undefined;
  let written: WriteResult;

  const start = async (participants: readonly SessionParticipant[]): Promise<StubSession> => {
    session = new Session({
      id: "session",
      agent: { id: "stub", name: "Stub" },
      workspaceFolder: "/w",
      clock: new FakeClock(),
      log: { ...nullLog, error: message => faults.push(message), warn: message => faults.push(message) },
      newId: () => "s1",
      connection: {
        connect: async () => ({ agent, onDidDie: died.event, hasEnded: () => false }),
        restart: async () => {},
      },
      createServices: dispatch => ({
        ...questionServices(new PermissionBroker({ report: dispatch, newId: () => "q1" }), () => {}),
        readTextFile: async ({ path }) => {
          calls.push(`read ${path}`);
          return "text";
        },
        writeTextFile: async ({ path }) => {
          calls.push(`write ${path}`);
          return written;
        },
        participants,
      }),
    });
    await session.open();
    const remote = agent.sessions.at(-1);
    assert.ok(remote);
    calls.length = 0;
    return remote;
  };
  const named = (name: string, more: Partial<SessionParticipant> = {}): SessionParticipant => ({
    dispose: () => calls.push(`${name} is disposed`),
    ...more,
  });

  beforeEach(() => {
    trackLeaks();
    died = new Emitter();
    written = { saved: true };
    for (const list of [faults, calls]) list.length = 0;
  });
  afterEach(() => {
    session?.dispose();
    died.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  it("observe what the agent reports, also when it changes nothing, with the states around it", async () => {
    const seen: unknown[] = [];
    const remote = await start([
      named("one", {
        observe: (event, before, after) => {
          if (event.type === "tool") seen.push([before.entries.length, after.entries.length, before === after]);
        },
      }),
    ]);
    const event = { type: "tool", toolCallId: "t", patch: { title: "Read" } } as const;
    remote.report(event);
    remote.report(event);
    assert.deepEqual(seen, [
      [0, 1, false],
      [1, 1, true],
    ]);
  });

  it("do not observe Parley's own events, but learn of every change before they observe it", async () => {
    const remote = await start([
      named("one", {
        observe: ({ type }) => calls.push(`observes ${type}`),
        stateChanged: (before, after) => {
          if (before.title !== after.title) calls.push("title changed");
          if (before.ownTitle !== after.ownTitle) calls.push("own title changed");
        },
      }),
    ]);
    session?.rename("Mine");
    remote.report({ type: "info", title: "Theirs" });
    assert.deepEqual(calls, ["own title changed", "title changed", "observes info"]);
  });

  it("get the changes in their order, also when one change leads to another", async () => {
    const steps: (readonly [before: unknown, after: unknown])[] = [];
    const remote = await start([named("one", { stateChanged: (before, after) => steps.push([before, after]) })]);
    remote.report({ type: "activity", state: "running" });
    void remote.client.requestPermission({ title: "May I?", options: [] }, new AbortController().signal);
    await until(() => session !== undefined && openQuestions(session.state).length === 1);
    // The end of the turn cancels the question.
    remote.end();
    assert.equal(session && openQuestions(session.state).length, 0);
    steps.slice(1).forEach(([before], at) => assert.equal(before, steps[at]?.[1]));
    assert.equal(steps.at(-1)?.[1], session?.state);
  });

  it("act in place of the agent: others observe it, its writes are as the agent's, and Stop ends its question", async () => {
    let actions: AgentActions | undefined;
    const remote = await start([
      named("acts", { begin: begun => void (actions = begun) }),
      named("other", {
        observe: ({ type }) => calls.push(`observes ${type}`),
        aroundWrite: (path, text, next) => {
          calls.push(`around ${path} ${text}`);
          return next();
        },
        beforeQuestion: ({ title, tool }) => calls.push(`asks ${title} about ${tool?.title}`),
      }),
    ]);
    assert.ok(actions && session);
    remote.report({ type: "activity", state: "running" });
    calls.length = 0;
    actions.report({ type: "tool", toolCallId: "own", patch: { title: "Rename" } });
    const { signal } = new AbortController();
    const answer = actions.requestPermission({ title: "May I?", toolCallId: "own", options: [] }, signal);
    const write = async (): Promise<WriteResult> => {
      calls.push("writes");
      return { saved: true };
    };
    await actions.writeFile("/a", "text", write);
    assert.deepEqual(calls, ["observes tool", "asks May I? about Rename", "around /a text", "writes"]);
    assert.equal(actions.state().activity.state, "running");
    session.stop();
    assert.equal(await answer, "cancelled");
    assert.equal(await actions.requestPermission({ title: "Again?", options: [] }, signal), "cancelled");
    assert.equal(await actions.askForm({ type: "form", form: { message: "?", fields: [] } }, signal), "cancelled");
  });

  it("are called around a write, the first outermost, and for a permission request and a read", async () => {
    written = { saved: true, result: { before: "a", after: "b" } };
    const around = (name: string): SessionParticipant =>
      named(name, {
        aroundWrite: async (path, text, next) => {
          calls.push(`${name} before ${path} ${text}`);
          const result = await next();
          calls.push(`${name} after`);
          return result;
        },
        afterRead: ({ path }) => calls.push(`${name} after reading ${path}`),
        beforeQuestion: ({ title }) => calls.push(`${name} before ${title}`),
      });
    const remote = await start([around("one"), named("none"), around("two")]);
    const { signal } = new AbortController();
    remote.report({ type: "tool", toolCallId: "t", patch: { locations: [{ path: "/a" }] } });
    await remote.client.writeTextFile({ path: "/a", content: "text" }, signal);
    assert.deepEqual(calls.splice(0), [
      "one before /a text",
      "two before /a text",
      "write /a",
      "two after",
      "one after",
    ]);
    const entry = session?.state.entries.at(0);
    assert.ok(entry?.kind === "tool");
    assert.deepEqual(entry.results, [{ type: "diff", path: "/a", oldText: "a", newText: "b", line: 1 }]);
    await remote.client.readTextFile({ path: "/b" }, signal);
    assert.deepEqual(calls.splice(0), ["read /b", "one after reading /b", "two after reading /b"]);
    void remote.client.requestPermission({ title: "May I?", options: [] }, signal);
    assert.deepEqual(calls.splice(0), ["one before May I?", "two before May I?"]);
  });

  it("keep the writes of a file in the order of the requests, however long they wait before a write", async () => {
    written = { saved: true };
    const waits: (() => void)[] = [];
    const wait = (text: string): Promise<void> =>
      text === "slow" ? new Promise(resolve => waits.push(resolve)) : Promise.resolve();
    const remote = await start([
      named("one", {
        aroundWrite: async (path, text, next) => {
          await wait(text);
          calls.push(`${path} ${text}`);
          return next();
        },
      }),
    ]);
    const { signal } = new AbortController();
    const write = (path: string, content: string): Promise<void> =>
      remote.client.writeTextFile({ path, content }, signal);
    const done = [write("/a", "slow"), write("/a", "fast"), write("/b", "fast")];
    await until(() => calls.includes("write /b"));
    assert.deepEqual(calls.splice(0), ["/b fast", "write /b"], "another file does not wait");
    waits.forEach(release => release());
    await Promise.all(done);
    assert.deepEqual(calls.splice(0), ["/a slow", "write /a", "/a fast", "write /a"]);
  });

  it("prepare a turn at once, and one that fails stops neither the others nor the prompt", async () => {
    let finish: () => void = () => {};
    const remote = await start([
      named("one", { beforeTurn: () => Promise.reject(new Error("no")) }),
      named("two", { beforeTurn: () => new Promise(resolve => (finish = resolve)) }),
      named("three", { beforeTurn: async turn => void calls.push(`three prepares ${turn}`) }),
    ]);
    session?.send([{ type: "text", text: "hello" }]);
    await until(() => calls.includes("three prepares s1") && faults.length === 1);
    assert.deepEqual(remote.texts, []);
    finish();
    await until(() => remote.texts.length === 1);
    assert.deepEqual(faults, ["A turn could not be prepared."]);
  });

  it("do not disturb the session or each other when they fail, and end with it", async () => {
    const fail = (): never => {
      throw new Error("no");
    };
    const remote = await start([
      named("one", { observe: fail, stateChanged: fail }),
      named("two", { observe: ({ type }) => calls.push(`two observes ${type}`) }),
    ]);
    remote.report({ type: "info", title: "Title" });
    assert.equal(session?.state.title, "Title");
    session?.dispose();
    remote.report({ type: "info", title: "Late" });
    assert.deepEqual(calls, ["two observes info", "one is disposed", "two is disposed"]);
    assert.deepEqual([...new Set(faults)], ["A feature failed while it took part in a session."]);
  });
});
