// A conversation that continues: in the agent's session if the agent has it, otherwise attached to the next prompt.
import assert from "node:assert/strict";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { ContinueSessionRequest } from "../../src/session/agent.ts";
import type { ContentBlock, LoggedEvent } from "../../src/session/events.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { StubSession } from "../support/fakes/stubAgent.ts";

const textOf = (content: readonly ContentBlock[] | undefined): string =>
  (content ?? []).map(block => (block.type === "text" || block.type === "resource" ? block.text : "")).join("");

describe("a conversation that continues", () => {
  let bench: SessionBench;
  beforeEach(() => {
    trackLeaks();
    bench = new SessionBench();
  });
  afterEach(() => {
    bench.session.dispose();
    bench.died.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  const turn = async (prompt: string, answer: string): Promise<void> => {
    bench.send(prompt);
    await bench.flushPromises();
    bench.remote.report({
      type: "messageChunk",
      author: "agent",
      messageId: answer,
      content: { type: "text", text: answer },
    });
    bench.remote.end();
    await bench.flushPromises();
  };
  const reload = (continues?: (request: ContinueSessionRequest) => boolean): readonly ContinueSessionRequest[] => {
    const log: readonly LoggedEvent[] = bench.log;
    bench.session.dispose();
    bench = new SessionBench(log);
    bench.log.push(...log);
    const requests: ContinueSessionRequest[] = [];
    const { agent } = bench;
    if (continues)
      agent.continueSession = async (request, client) => {
        requests.push(request);
        if (!continues(request)) return undefined;
        const session = new StubSession(request.sessionId, client);
        agent.sessions.push(session);
        session.report({ type: "agentSession", sessionId: request.sessionId, continued: true });
        return { session, by: "resume" };
      };
    return requests;
  };
  const notices = (): readonly string[] =>
    [...bench.session.state.entries].flatMap(entry => (entry.kind === "notice" ? [entry.title] : []));

  it("is resumed by the agent, with one line about it and without the conversation in the prompt", async () => {
    await bench.openReady();
    await turn("one", "First.");
    const requests = reload(() => true);
    await bench.openReady();
    assert.deepEqual(
      requests.map(({ sessionId, connection, cwd }) => [sessionId, connection, cwd]),
      [["r0", 2, "/w"]],
    );
    const isKnown = requests[0]?.isKnown ?? assert.fail();
    const chunk = { type: "messageChunk", author: "agent", content: { type: "text", text: "" } } as const;
    assert.deepEqual(
      [isKnown({ ...chunk, messageId: "First." }), isKnown({ ...chunk, messageId: "x" })],
      [true, false],
    );
    assert.deepEqual(notices(), ["Stub resumed this conversation."]);
    await turn("two", "Second.");
    assert.deepEqual(bench.remote.contexts, [[]]);
    assert.deepEqual(bench.session.state.agentSessions, ["r0"]);
  });

  it("waits in front of the gate with its prompts, which go out once the gate lets it pass", async () => {
    await bench.openReady();
    await turn("one", "First.");
    const requests = reload(() => true);
    bench.mayContinue = false;
    bench.send("two");
    await bench.flushPromises();
    bench.send("three");
    await bench.session.open();
    bench.session.resumeQueue();
    await bench.flushPromises();
    assert.deepEqual([requests.length, bench.queued], [0, ["two", "three"]]);
    const { connection, lost } = bench.session.state;
    assert.deepEqual([connection, lost], [{ state: "closed" }, null]);
    assert.deepEqual(notices(), []);
    bench.mayContinue = true;
    await bench.session.open();
    await bench.flushPromises();
    assert.deepEqual([requests.length, bench.remote.texts, bench.queued], [1, ["two"], ["three"]]);
  });

  it("passes the gate without a question after the agent has opened a session since the restore", async () => {
    await bench.openReady();
    await turn("one", "First.");
    reload(() => false);
    await bench.openReady();
    assert.equal(bench.continueQuestions, 1);
    await turn("two", "Second.");
    bench.mayContinue = false;
    const { continueSession } = bench.agent;
    assert.ok(continueSession);
    const restarting = bench.session.restart();
    bench.agent.continueSession = continueSession;
    await restarting;
    assert.equal(bench.continueQuestions, 1);
    assert.equal(bench.session.state.connection?.state, "ready");
  });

  it("is not asked about if the agent cannot continue it, or has it open still", async () => {
    await bench.openReady();
    await turn("one", "First.");
    for (const loads of [undefined, false]) {
      reload(loads === undefined ? undefined : () => true);
      if (loads !== undefined) bench.agent.loadsSession = () => loads;
      bench.mayContinue = false;
      await bench.openReady();
      assert.equal(bench.continueQuestions, 0);
    }
  });

  it("is attached to the first prompt that the agent answers, if the agent refuses to continue it", async () => {
    await bench.openReady();
    await turn("one", "First.");
    reload(() => false);
    await bench.openReady();
    assert.deepEqual(notices(), [
      "Stub no longer has this conversation in its context. Parley attaches it to your next prompt.",
    ]);
    bench.send("fails");
    await bench.flushPromises();
    bench.remote.end("error");
    await bench.flushPromises();
    await turn("two", "Second.");
    await turn("three", "Third.");
    assert.deepEqual(
      bench.remote.contexts.map(textOf).map(text => text !== ""),
      [true, true, false],
    );
    const attached = textOf(bench.remote.contexts[1]);
    assert.match(attached, /## User\n\n> one/);
    assert.match(attached, /## Agent: Stub\n\n> First\./);
    assert.doesNotMatch(attached, /two|fails/);
    assert.deepEqual(bench.remote.texts, ["fails", "two", "three"]);
  });

  it("is not attached to a slash command as text, because the text would become a part of the command", async () => {
    await bench.openReady();
    await turn("one", "First.");
    reload();
    await bench.openReady();
    await turn("/compact", "Compacted.");
    await turn("two", "Second.");
    assert.deepEqual(
      bench.remote.contexts.map(textOf).map(text => text !== ""),
      [false, true],
    );
  });

  it("is attached with its end if it is long", async () => {
    await bench.openReady();
    await turn("one", `${"x".repeat(120_000)} the end`);
    reload();
    await bench.openReady();
    await turn("two", "Second.");
    const attached = textOf(bench.remote.contexts[0]);
    assert.ok(attached.length < 101_000);
    assert.match(attached, /x the end/);
  });

  it("moves to a new agent session when a prompt fails because the agent no longer has the session", async () => {
    await bench.openReady();
    await turn("one", "First.");
    const requests = reload(() => true);
    await bench.openReady();
    bench.send("two");
    await bench.flushPromises();
    const problem = { message: "Stub could not finish this turn: Session not found.", next: ["retry"] as const };
    bench.remote.report({ type: "activity", state: "idle", stopReason: "error", problem, forgotten: true });
    await bench.flushPromises();
    assert.equal(bench.session.state.connection?.state, "ready");
    assert.equal(requests.length, 1);
    assert.deepEqual(bench.session.state.agentSessions.length, 2);
    assert.match(notices().at(-1) ?? "", /no longer has this conversation/);
    assert.deepEqual(bench.remote.texts, []);
    await turn("two", "Second.");
    assert.match(textOf(bench.remote.contexts[0]), /First\./);
    assert.equal(bench.restarts, 0);
  });

  it("does not ask again for an agent session that the agent no longer has", async () => {
    await bench.openReady();
    await turn("one", "First.");
    bench.remote.report({ type: "activity", state: "running" });
    bench.remote.report({ type: "activity", state: "idle", stopReason: "error", forgotten: true });
    const requests = reload(() => true);
    await bench.openReady();
    assert.deepEqual(requests, []);
  });

  it("says nothing about an agent session if nothing was written in it", async () => {
    await bench.openReady();
    const requests = reload(() => true);
    await bench.openReady();
    assert.deepEqual([requests, notices()], [[], []]);
  });
});
