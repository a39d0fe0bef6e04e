// The session that writes a commit message: what it shows, what it refuses, and how it ends.
import assert from "node:assert/strict";
import { ProblemError, type Problem } from "../../src/base/errors.ts";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { maxAskDelay } from "../../src/commitMessage/unaskedTools.ts";
import { maxWritingTime, runMessageSession, type MessageRun } from "../../src/commitMessage/messageSession.ts";
import { CommitMessageUsage } from "../../src/commitMessage/commitMessageUsage.ts";
import type { InitialChoices } from "../../src/session/choices.ts";
import type { SessionOption } from "../../src/session/events.ts";
import { usageView } from "../../src/library/usageReport.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { StubAgent, type StubSession } from "../support/fakes/stubAgent.ts";
import { until } from "../support/fakes/until.ts";

class Bench {
  readonly agent = new StubAgent();
  readonly clock = new FakeClock();
  readonly died = new Emitter<Problem>();
  readonly stop = new AbortController();
  readonly texts: string[] = [];
  choices: InitialChoices = { defaults: {}, last: {} };
  #ids = 0;

  /** The run, once the agent has the prompt. */
  async start(): Promise<{ readonly run: MessageRun; readonly session: StubSession }> {
    const run = runMessageSession(
      {
        ...{ agent: { id: "stub", name: "Stub" }, folder: "/empty", clock: this.clock, log: nullLog },
        newId: () => `id${++this.#ids}`,
        choices: this.choices,
        connection: {
          connect: () => Promise.resolve({ agent: this.agent, onDidDie: this.died.event, hasEnded: () => false }),
          restart: () => Promise.resolve(),
        },
      },
      { prompt: "Write!", onText: text => this.texts.push(text), signal: this.stop.signal },
    );
    run.text.catch(() => {});
    await until(() => (this.agent.sessions[0]?.prompts.length ?? 0) > 0);
    const [session] = this.agent.sessions;
    assert.ok(session);
    return { run, session };
  }
}

const say = (session: StubSession, text: string, messageId = "m1"): void =>
  session.report({ type: "messageChunk", author: "agent", messageId, content: { type: "text", text } });
const fails = (run: MessageRun, message: RegExp): Promise<void> =>
  assert.rejects(run.text, (error: unknown) => error instanceof ProblemError && message.test(error.message));

describe("the session that writes a commit message", () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));

  it("passes on the text as it grows, and closes when the turn has ended", async () => {
    const { run, session } = await bench.start();
    say(session, "Add");
    say(session, " x");
    assert.deepEqual(bench.texts, ["Add", "Add x"]);
    session.end();
    assert.equal(await run.text, "Add x");
    await run.ended;
    assert.deepEqual([session.closed, session.cancels], [true, 0]);
    assert.equal(bench.clock.pendingTimers, 0);
  });

  it("takes the last message, not what the agent wrote before it tried a tool, and no thought", async () => {
    const { run, session } = await bench.start();
    say(session, "I look at the files.");
    session.report({ type: "tool", toolCallId: "t", patch: { title: "Read", kind: "read", status: "failed" } });
    session.report({ type: "messageChunk", author: "thought", messageId: "t1", content: { type: "text", text: "Hm" } });
    say(session, "Add x", "m2");
    session.end();
    assert.equal(await run.text, "Add x");
  });

  it("refuses every request of the agent, and answers a permission request by the agent's own rejection", async () => {
    const { run, session } = await bench.start();
    const { client } = session;
    const { signal } = new AbortController();
    const ask = (...kinds: readonly string[]): Promise<unknown> =>
      client.requestPermission(
        { title: "May I?", options: kinds.map(kind => ({ id: kind, name: kind, kind })) },
        signal,
      );
    assert.deepEqual(await ask("allow_once", "reject_always", "reject_once"), { option: "reject_once" });
    assert.deepEqual(await ask("allow_once", "reject_always"), { option: "reject_always" });
    assert.equal(await ask("allow_once"), "cancelled");
    const refused = [
      client.readTextFile({ path: "/w/a" }, signal),
      client.writeTextFile({ path: "/w/a", content: "" }, signal),
      client.createTerminal({ command: "ls" }, signal),
      client.terminalOutput("1"),
      client.waitForTerminalExit("1", signal),
      client.killTerminal("1"),
      client.releaseTerminal("1"),
    ];
    for (const request of refused) await assert.rejects(request, /only writes a text/);
    const form = await client.askForm(
      { type: "url", id: "e", message: "Open", url: "https://example.com" } as never,
      signal,
    );
    assert.deepEqual(form, { action: "decline" });
    session.end();
    await fails(run, /Stub wrote no message/);
  });

  it("ends when the agent used a tool without asking", async () => {
    const { run, session } = await bench.start();
    say(session, "Add x");
    session.report({
      type: "tool",
      toolCallId: "t",
      patch: { title: "rm -rf x", kind: "execute", status: "in_progress" },
    });
    session.report({ type: "tool", toolCallId: "t", patch: { status: "completed" } });
    await fails(run, /used a tool without asking: “rm -rf x”/);
    await until(() => session.cancels > 0);
  });

  it("ends when the agent read or fetched something without asking, or used a tool of an unknown kind", async () => {
    for (const kind of ["read", "search", "fetch", "switch_mode", "other", undefined] as const) {
      bench = new Bench();
      const { run, session } = await bench.start();
      say(session, "Add x");
      const patch = { title: "Use it", ...(kind && { kind }), status: "completed" } as const;
      session.report({ type: "tool", toolCallId: "t", patch });
      const isReading = kind === "read" || kind === "search" || kind === "fetch";
      await fails(
        run,
        isReading ? /“Use it”\. Parley has ended its session\.$/ : /“Use it”.*Check what it has changed\.$/,
      );
      await until(() => session.cancels > 0);
    }
  });

  const report = (session: StubSession, patch: object, toolCallId = "t"): void =>
    session.report({ type: "tool", toolCallId, patch });
  const runs = { title: "rm -rf x", kind: "execute", status: "in_progress" } as const;
  const permission = (session: StubSession, toolCallId?: string): Promise<unknown> =>
    session.client.requestPermission(
      {
        ...{ title: "May I?", ...(toolCallId !== undefined && { toolCallId }) },
        options: [{ id: "no", name: "No", kind: "reject_once" }],
      },
      new AbortController().signal,
    );

  it("ends while the agent changes or runs something that it has not asked about", async () => {
    for (const kind of ["edit", "delete", "move", "execute"] as const) {
      bench = new Bench();
      const { run, session } = await bench.start();
      say(session, "Add x");
      report(session, { ...runs, kind });
      bench.clock.advance(maxAskDelay - 1);
      report(session, { title: "rm -rf y" });
      assert.equal(session.cancels, 0);
      bench.clock.advance(1);
      await fails(run, /^Stub used a tool without asking: “rm -rf y”\. .*Check what it has changed\.$/);
      await until(() => session.cancels > 0);
      session.end("cancelled");
      await run.ended;
      assert.equal(bench.clock.pendingTimers, 0);
    }
  });

  it("goes on after a tool that the agent reports as running before it asks, and that is refused", async () => {
    for (const asked of ["t", undefined]) {
      bench = new Bench();
      const { run, session } = await bench.start();
      report(session, runs);
      bench.clock.advance(maxAskDelay - 1);
      assert.deepEqual(await permission(session, asked), { option: "no" });
      report(session, { status: "in_progress" });
      bench.clock.advance(maxAskDelay);
      report(session, { status: "failed" });
      say(session, "Add x", "m2");
      session.end();
      assert.equal(await run.text, "Add x");
      await run.ended;
      assert.equal(bench.clock.pendingTimers, 0);
    }
  });

  it("goes on after a tool that failed by itself, that waits, or that only reads", async () => {
    const { run, session } = await bench.start();
    report(session, runs);
    report(session, { status: "failed" });
    report(session, { ...runs, status: "pending" }, "waits");
    report(session, { ...runs, kind: "read" }, "reads");
    bench.clock.advance(maxAskDelay);
    report(session, { status: "failed" }, "reads");
    say(session, "Add x", "m2");
    session.end();
    assert.equal(await run.text, "Add x");
  });

  it("ends with a turn in which a tool was left running without a question, and not after a refusal", async () => {
    for (const isAsked of [false, true]) {
      bench = new Bench();
      const { run, session } = await bench.start();
      report(session, runs);
      if (isAsked) await permission(session, "t");
      say(session, "Add x");
      session.end();
      if (isAsked) assert.equal(await run.text, "Add x");
      else await fails(run, /used a tool without asking: “rm -rf x”/);
      await run.ended;
      assert.equal(bench.clock.pendingTimers, 0);
    }
  });

  it("goes on after a thought", async () => {
    const { run, session } = await bench.start();
    session.report({ type: "tool", toolCallId: "t", patch: { title: "Think", kind: "think", status: "completed" } });
    say(session, "Add x");
    session.end();
    assert.equal(await run.text, "Add x");
  });

  it("goes on after a tool that was refused", async () => {
    const { run, session } = await bench.start();
    session.report({ type: "tool", toolCallId: "t", patch: { title: "ls", kind: "execute", status: "failed" } });
    say(session, "Add x");
    session.end();
    assert.equal(await run.text, "Add x");
  });

  it("is cancelled by its signal at once, and counts what the agent reports afterwards", async () => {
    const { run, session } = await bench.start();
    say(session, "Add");
    bench.stop.abort(new Error("typed"));
    await assert.rejects(run.text, /typed/);
    await until(() => session.cancels > 0);
    assert.equal(session.closed, false);
    session.report({ type: "activity", state: "idle", stopReason: "cancelled", usage: { total: 7 } });
    const { spending, agentSessions } = await run.ended;
    assert.deepEqual([spending[0]?.tokens, agentSessions, session.closed], [7, ["r0"], true]);
  });

  it("closes also if the agent ignores that it is cancelled", async () => {
    const { run, session } = await bench.start();
    bench.stop.abort(new Error("typed"));
    await assert.rejects(run.text, /typed/);
    await until(() => session.cancels > 0);
    bench.clock.advance(3000);
    await run.ended;
    assert.equal(session.closed, true);
  });

  it("has a time limit", async () => {
    const { run } = await bench.start();
    bench.clock.advance(maxWritingTime);
    await fails(run, /Stub did not finish the message within 120 seconds/);
  });

  it("reports why the agent wrote nothing", async () => {
    for (const [stopReason, sentence] of [
      ["refusal", /refused/],
      ["max_tokens", /reached its limit/],
      ["cancelled", /cancelled/],
      ["end_turn", /without an answer/],
    ] as const) {
      bench = new Bench();
      const { run, session } = await bench.start();
      session.end(stopReason);
      await fails(run, sentence);
    }
  });

  it("reports the sentence of an agent that ends, and of one that refuses the prompt", async () => {
    const { run } = await bench.start();
    bench.died.fire({ message: "Stub ended with code 1.", next: [] });
    await fails(run, /Stub ended with code 1/);
    bench = new Bench();
    bench.agent.onOpen = session => (session.promptError = new ProblemError({ message: "No credit left.", next: [] }));
    const second = await bench.start();
    await fails(second.run, /No credit left/);
  });

  it("uses the model of the user, and never the mode", async () => {
    const option = (id: string, category: "mode" | "model"): SessionOption => ({
      ...{ id, name: id, category, type: "select", value: "a" },
      choices: ["a", "b", "bypass"].map(value => ({ value, name: value })),
    });
    bench.agent.options = [option("mode", "mode"), option("model", "model")];
    bench.choices = { defaults: { mode: "bypass" }, last: { model: "b" } };
    const { session } = await bench.start();
    assert.deepEqual(session.requests, ["model = b", "prompt Write!"]);
  });

  it("does without a model that the agent refuses", async () => {
    const choices = [{ value: "a", name: "a" }];
    bench.agent.options = [{ id: "model", name: "Model", category: "model", type: "select", value: "a", choices }];
    bench.choices = { defaults: { model: "gone" }, last: {} };
    const { run, session } = await bench.start();
    say(session, "Add x");
    session.end();
    assert.equal(await run.text, "Add x");
  });
});

describe("the usage of commit messages", () => {
  it("is part of the usage, from all windows, and survives a damaged line", async () => {
    const files = new Map<string, string>();
    const storage = {
      append: async (name: string, text: string) => void files.set(name, (files.get(name) ?? "") + text),
      read: async (name: string) => files.get(name),
    };
    const [one, other] = [new CommitMessageUsage(storage, nullLog), new CommitMessageUsage(storage, nullLog)];
    const at = Date.now();
    await one.add("Stub", [{ at, model: "m", input: 1, output: 2, tokens: 3, cost: { amount: 0.5, currency: "USD" } }]);
    for (const [name, text] of files) files.set(name, `${text}{"agent":`);
    await other.add("Stub", [{ at, tokens: 4 }]);
    await one.load();
    assert.deepEqual(one.entries, other.entries);
    const { agents } = usageView(one.entries, "today", at);
    assert.deepEqual(agents, [
      { name: "Stub", turns: 2, input: 1, output: 2, tokens: 7, costs: [{ amount: 0.5, currency: "USD" }] },
    ]);
  });
});
