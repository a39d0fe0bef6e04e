// One session: which requests it sends to its agent and when, and what happens when the agent, the user or the window
// ends it.
import assert from "node:assert/strict";
import { ProblemError, type Problem } from "../../src/base/errors.ts";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { LoggedEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, openQuestions, sessionTitle } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";
import { SessionBench, exitedProblem, permissionQuestion } from "../support/fakes/sessionBench.ts";
import { until } from "../support/fakes/until.ts";

/** The problem of a start that fails also offers to check the agent. */
const failedStart: Problem = { ...exitedProblem, next: [...exitedProblem.next, "checkAgent"] };

describe("a session", () => {
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

  it("runs one turn at a time and keeps the order of prompts", async () => {
    await bench.openReady();
    for (const text of ["one", "two", "three"]) bench.send(text);
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one"]);
    assert.deepEqual(bench.queued, ["two", "three"]);
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two"]);
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
    assert.deepEqual(bench.queued, []);
  });

  it("starts its agent for a prompt, and sends it when the agent is ready", async () => {
    bench.send("hello");
    await until(() => bench.agent.sessions.length === 1);
    await bench.flushPromises();
    assert.deepEqual([bench.connects, bench.remote.texts], [1, ["hello"]]);
  });

  it("never sends an empty prompt", async () => {
    await bench.openReady();
    bench.session.send([]);
    await bench.flushPromises();
    assert.deepEqual([bench.remote.prompts.length, bench.session.state.pendingPrompts.length], [0, 0]);
  });

  it("queues a second prompt while the agent reports any state except idle, known or not", async () => {
    await bench.openReady();
    bench.remote.report({ type: "activity", state: "compacting" });
    bench.send("later");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, []);
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["later"]);
  });

  it("holds the queue after a stop until the user sends another prompt", async () => {
    await bench.openReady();
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    bench.session.stop();
    assert.ok(bench.session.state.cancelling);
    assert.equal(bench.remote.cancels, 1);
    bench.remote.end("cancelled");
    await bench.flushPromises();
    assert.equal(bench.session.state.cancelling, false);
    assert.deepEqual([bench.remote.texts, bench.queued], [["one"], ["two"]]);
    bench.send("three");
    await bench.flushPromises();
    bench.remote.end();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
  });

  it("resumes the queue that a stop has held, also if the user resumes before the turn has ended", async () => {
    await bench.openReady();
    for (const text of ["one", "two", "three"]) bench.send(text);
    await bench.flushPromises();
    bench.session.stop();
    assert.ok(bench.session.state.queuePaused);
    bench.session.resumeQueue();
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.session.state.queuePaused], [["one"], false]);
    bench.remote.end("cancelled");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two"]);
    bench.session.stop();
    bench.remote.end("cancelled");
    await bench.flushPromises();
    assert.deepEqual(bench.queued, ["three"]);
    bench.session.resumeQueue();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two", "three"]);
  });

  it("starts a lost agent again when the user resumes the queue", async () => {
    await bench.openReady();
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    bench.died.fire(exitedProblem);
    assert.ok(bench.session.state.queuePaused);
    bench.session.resumeQueue();
    await bench.flushPromises();
    assert.deepEqual([bench.connects, bench.remote.texts], [2, ["two"]]);
  });

  it("holds the queue after a failed turn", async () => {
    await bench.openReady();
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    bench.remote.report({ type: "activity", state: "idle", stopReason: "error", problem: exitedProblem });
    await bench.flushPromises();
    assert.deepEqual([bench.remote.texts, bench.queued], [["one"], ["two"]]);
    assert.equal(bench.entryKinds.at(-1), "problem");
  });

  it("stops nothing when nothing runs", async () => {
    await bench.openReady();
    bench.session.stop();
    assert.deepEqual([bench.remote.cancels, bench.session.state.cancelling], [0, false]);
  });

  it('answers an open question with "cancelled" on stop, and accepts updates until the agent has finished', async () => {
    await bench.openReady();
    bench.send("go");
    await bench.flushPromises();
    const answer = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    assert.equal(openQuestions(bench.session.state).length, 1);
    bench.session.stop();
    assert.equal(await answer, "cancelled");
    assert.deepEqual(openQuestions(bench.session.state), []);
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { status: "failed" } });
    assert.equal(bench.entryKinds.at(-1), "tool");
  });

  it("sends the user's answer to the agent once", async () => {
    await bench.openReady();
    const answer = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    const [ask] = openQuestions(bench.session.state);
    assert.ok(ask);
    bench.session.answer(ask.id, "no such option");
    assert.equal(openQuestions(bench.session.state).length, 1);
    bench.session.answer(ask.id, "y");
    bench.session.answer(ask.id, "y");
    assert.deepEqual(await answer, { option: "y" });
    assert.equal(bench.log.filter(one => one.event.type === "askClosed").length, 1);
  });

  it("prefers the user's title to the agent's, on one line, until it is cleared", async () => {
    await bench.openReady();
    bench.session.rename("  Sums\n of  lists ");
    bench.remote.client.report({ type: "info", title: "The agent's title" });
    assert.equal(sessionTitle(bench.session.state), "Sums of lists");
    assert.equal(sessionTitle(bench.log.reduce(reduce, emptySession)), "Sums of lists");
    bench.session.rename(" ");
    assert.equal(sessionTitle(bench.session.state), "The agent's title");
  });

  it("removes a queued prompt, but not a sent one", async () => {
    await bench.openReady();
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    bench.session.queue.withdraw("s1");
    bench.session.queue.withdraw("s2");
    bench.session.queue.withdraw("no such prompt");
    assert.deepEqual(bench.queued, []);
    assert.deepEqual(bench.entryKinds, ["message"]);
  });

  it("answers a question of Parley after a stop at once, so that the turn can end", async () => {
    await bench.openReady();
    bench.send("one");
    await bench.flushPromises();
    bench.session.stop();
    // As when the agent reads a file outside the workspace while it finishes.
    const answer = bench.broker?.requestPermission(permissionQuestion, new AbortController().signal);
    assert.equal(await answer, "cancelled");
    assert.deepEqual(openQuestions(bench.session.state), []);
  });

  it("ends the agent's commands when the agent exits, when it is restarted and when the session is disposed", async () => {
    await bench.openReady();
    bench.died.fire({ message: "It died.", next: [] });
    assert.equal(bench.endTerminalsCount, 1);
    await bench.session.restart();
    assert.equal(bench.endTerminalsCount, 2);
    bench.session.dispose();
    assert.equal(bench.endTerminalsCount, 3);
  });

  it("answers a question after a stop at once, so that the turn can end", async () => {
    await bench.openReady();
    bench.send("one");
    await bench.flushPromises();
    bench.session.stop();
    const answer = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    assert.equal(await answer, "cancelled");
    assert.deepEqual(
      bench.session.state.questions.map(question => question.answer),
      ["cancelled"],
    );
  });

  it("cancels a question that is still open when its turn ends", async () => {
    await bench.openReady();
    bench.send("one");
    await bench.flushPromises();
    const answer = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    bench.remote.end();
    assert.equal(await answer, "cancelled");
  });

  it("reports the exit of an agent that exits while it opens the session, not the end of its stream", async () => {
    bench.agent.open = () => Promise.reject(new Error("The connection has ended."));
    bench.ended = true;
    const opening = bench.session.open();
    await bench.flushPromises();
    bench.died.fire(exitedProblem);
    await opening;
    assert.deepEqual(bench.session.state.lost, failedStart);
  });

  it("sends a queued prompt next on request, stopping the turn, and then the other prompts", async () => {
    await bench.openReady();
    for (const text of ["one", "two", "three"]) bench.send(text);
    await bench.flushPromises();
    bench.session.sendNow("s3");
    assert.equal(bench.remote.cancels, 1);
    assert.deepEqual(bench.queued, ["three", "two"]);
    for (let i = 0; i < 2; i++) {
      bench.remote.end("cancelled");
      await bench.flushPromises();
    }
    assert.deepEqual(bench.remote.texts, ["one", "three", "two"]);
  });

  it("changes nothing if the prompt to send now is missing", async () => {
    await bench.openReady();
    bench.send("one");
    await bench.flushPromises();
    bench.session.sendNow("gone");
    assert.equal(bench.remote.cancels, 0);
  });

  it("shows a refused prompt with the reason, and continues with the next", async () => {
    await bench.openReady();
    bench.remote.promptError = new ProblemError(exitedProblem);
    bench.send("one");
    await bench.flushPromises();
    assert.deepEqual(bench.entryKinds, ["message", "problem"]);
    bench.remote.promptError = undefined;
    bench.send("two");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["one", "two"]);
    assert.deepEqual(bench.queued, []);
  });

  it("reports why its agent could not be started, and starts it again for the next prompt", async () => {
    bench.refuse = new ProblemError(exitedProblem);
    await bench.session.open();
    assert.deepEqual(bench.session.state.lost, failedStart);
    bench.refuse = undefined;
    bench.send("again");
    await until(() => bench.agent.sessions.length === 1);
    await bench.flushPromises();
    assert.equal(bench.session.state.lost, null);
    assert.deepEqual(bench.remote.texts, ["again"]);
  });

  it("keeps the conversation and the unsent prompts when its agent exits, and leaves nothing pending", async () => {
    await bench.openReady();
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    const answer = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    const remote = bench.remote;
    bench.died.fire(exitedProblem);
    assert.equal(await answer, "cancelled");
    assert.deepEqual([bench.session.state.lost, bench.session.state.activity.state], [exitedProblem, "idle"]);
    assert.ok(remote.disposed);
    assert.deepEqual([bench.queued, bench.entryKinds], [["two"], ["message"]]);
  });

  it("restarts its agent, keeps the conversation, and explains that the agent does not remember it", async () => {
    await bench.openReady();
    bench.send("one");
    await bench.flushPromises();
    const first = bench.remote;
    await bench.session.restart();
    assert.ok(first.disposed);
    assert.equal(bench.restarts, 1);
    assert.equal(bench.session.state.connection?.state, "ready");
    assert.deepEqual(bench.entryKinds, ["message", "turnEnd", "notice"]);
    bench.send("two");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["two"]);
  });

  it("restarts while it is still starting, and does not report the end of that start as a loss", async () => {
    let fail: (error: Error) => void = () => {};
    bench.gate = new Promise<void>((_, reject) => (fail = reject));
    const opening = bench.session.open();
    const restarting = bench.session.restart();
    bench.gate = Promise.resolve();
    fail(new ProblemError(exitedProblem));
    await Promise.all([opening, restarting]);
    assert.ok(!bench.log.some(one => one.event.type === "agentLost"));
    assert.equal(bench.session.state.connection?.state, "ready");
    assert.equal(bench.connects, 2);
  });

  it("does not open a session on an agent that exited meanwhile", async () => {
    let go: () => void = () => {};
    bench.agent.ready = new Promise<void>(resolve => (go = resolve));
    const opening = bench.session.open();
    await until(() => bench.session.state.connection?.state === "opening");
    bench.died.fire(exitedProblem);
    go();
    await opening;
    assert.deepEqual(bench.session.state.lost, failedStart);
    assert.ok(bench.remote.disposed);
  });

  it("starts its agent once, however often it is opened", async () => {
    await Promise.all([bench.session.open(), bench.session.open()]);
    await bench.session.open();
    assert.equal(bench.connects, 1);
  });

  it("settles every question and accepts no events after it is disposed", async () => {
    await bench.openReady();
    const answer = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    bench.session.dispose();
    assert.equal(await answer, "cancelled");
    const { length } = bench.log;
    bench.remote.report({ type: "notice", severity: "info", title: "late" });
    assert.equal(bench.log.length, length);
    assert.ok(bench.remote.disposed);
  });

  it("numbers its events without gaps", async () => {
    await bench.openReady();
    bench.send("one");
    await bench.flushPromises();
    bench.remote.end();
    assert.deepEqual(
      bench.log.map(one => one.seq),
      bench.log.map((_, at) => at),
    );
  });
});

describe("a session after a window reload", () => {
  const resumed = (past: readonly LoggedEvent[]): SessionBench =>
    new SessionBench(JSON.parse(JSON.stringify(past)) as readonly LoggedEvent[]);

  async function inTheMiddle(): Promise<SessionBench> {
    const bench = await new SessionBench().openReady();
    bench.send("one");
    bench.send("two");
    await bench.flushPromises();
    bench.remote.report({ type: "tool", toolCallId: "t", patch: { status: "in_progress" } });
    void bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    return bench;
  }

  it("in the middle of a turn reports it, closes everything that was open, and keeps unsent prompts", async () => {
    const before = await inTheMiddle();
    const bench = resumed(before.log);
    const { state } = bench.session;
    assert.deepEqual(openQuestions(state), []);
    assert.deepEqual([state.activity.state, state.connection?.state], ["idle", "closed"]);
    const [last] = [...state.entries].slice(-1);
    assert.ok(last?.kind === "notice" && /closed or reloaded while Stub was working/.test(last.title));
    assert.deepEqual(bench.queued, ["two"]);
    // Queued prompts wait for the user. Opening the session sends nothing.
    await bench.openReady();
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, []);
    bench.send("three");
    await bench.flushPromises();
    assert.deepEqual(bench.remote.texts, ["two"]);
    before.session.dispose();
    bench.session.dispose();
  });

  it("in the middle of a turn reports it, also if the agent had asked nothing", async () => {
    const before = await new SessionBench().openReady();
    before.send("one");
    await before.flushPromises();
    const bench = resumed(before.log);
    const last = bench.session.state.entries.at(-1);
    assert.ok(last?.kind === "notice" && /closed or reloaded while Stub was working/.test(last.title));
    before.session.dispose();
    bench.session.dispose();
  });

  it("forgets the commands that ended with the window, and the notes about files", () => {
    const { session } = new SessionBench([
      ...logged([
        { type: "opened", agent: "stub", agentName: "Stub", cwd: "/w" },
        { type: "tool", toolCallId: "t", patch: { locations: [{ path: "/w/a" }] } },
        { type: "file", path: "/w/a", note: "unsaved" },
        { type: "file", path: "/w/b", note: "diverged" },
        { type: "terminal", terminalId: "x", own: true },
        { type: "terminal", terminalId: "theirs" },
      ]),
    ]);
    const { terminals, entries } = session.state;
    assert.deepEqual([terminals.get("x")?.exit, terminals.get("theirs")?.exit], [{}, undefined]);
    const noted = [...entries].flatMap(entry => ("files" in entry ? (entry.files ?? []) : []));
    assert.deepEqual(noted, []);
  });

  it("between turns reports nothing about a turn", async () => {
    const before = await new SessionBench().openReady();
    before.send("one");
    await before.flushPromises();
    before.remote.report({ type: "tool", toolCallId: "t", patch: { status: "completed" } });
    before.remote.end();
    const bench = resumed(before.log);
    assert.deepEqual(bench.entryKinds, ["message", "tool"]);
    await bench.openReady();
    assert.deepEqual(bench.entryKinds, ["message", "tool", "notice"]);
    before.session.dispose();
    bench.session.dispose();
  });

  it("continues the numbers of the log, and logs its additions", async () => {
    const before = await inTheMiddle();
    const bench = resumed(before.log);
    const all = [...before.log, ...bench.log];
    assert.ok(bench.log.length > 0);
    assert.deepEqual(
      all.map(one => one.seq),
      all.map((_, at) => at),
    );
    const again = resumed(all);
    assert.deepEqual([...again.session.state.entries], [...bench.session.state.entries]);
    for (const one of [before, bench, again]) one.session.dispose();
  });

  it("opens although a newer version wrote events that it does not know", () => {
    const strange = [
      { seq: 0, at: 0, event: { type: "hologram" } },
      { seq: 1, at: 0, event: { type: "tool" } },
    ];
    const bench = new SessionBench(strange as unknown as readonly LoggedEvent[]);
    assert.equal(bench.warnings.length, 2);
    assert.equal(bench.session.state.agent?.id, "stub");
    bench.session.dispose();
  });
});
