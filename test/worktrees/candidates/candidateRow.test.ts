// What the page that compares candidates shows of each.
import assert from "node:assert/strict";
import type { SessionEvent, SessionOption } from "../../../src/session/events.ts";
import { emptySession, type SessionState } from "../../../src/session/state.ts";
import type { Candidate } from "../../../src/worktrees/candidates/candidateGroups.ts";
import { candidateRow, stateOf, type KnownCandidate } from "../../../src/worktrees/candidates/candidateRow.ts";
import { permissionQuestion, SessionBench } from "../../support/fakes/sessionBench.ts";

const candidate: Candidate = { session: "s", name: "Demo 1", agent: "demo", worktree: "/w", branch: "b" };
const row = (known: Partial<KnownCandidate>, check?: Candidate["check"]): ReturnType<typeof candidateRow> =>
  candidateRow({ ...candidate, ...(check && { check }) }, { exists: true, ...known });

describe("the state of a candidate", () => {
  let bench: SessionBench;
  const report = (event: SessionEvent): void => bench.remote.report(event);
  const shown = (): string => stateOf(bench.session.state);
  beforeEach(() => (bench = new SessionBench()));
  afterEach(() => bench.session.dispose());

  it("goes from its start over the held prompt, its work and a question to the end", async () => {
    bench.send("hello");
    const [prompt] = bench.session.state.pendingPrompts;
    bench.session.queue.hold(prompt?.id ?? "");
    assert.equal(shown(), "starting");
    await bench.openReady();
    assert.equal(shown(), "held");
    bench.session.queue.release(prompt?.id ?? "");
    await bench.flushPromises();
    assert.equal(shown(), "working");
    const answered = bench.remote.client.requestPermission(permissionQuestion, new AbortController().signal);
    assert.equal(shown(), "waiting");
    bench.session.answer(bench.session.state.questions[0]?.id ?? "", "y");
    await answered;
    bench.clock.advance(5000);
    report({ type: "activity", state: "idle", stopReason: "end_turn" });
    assert.equal(shown(), "done");
    assert.equal(row({ state: bench.session.state }).worked, 5000);
  });

  it("names a turn that was stopped, one that failed, and an agent that could not be started", async () => {
    const ended = (stopReason: "cancelled" | "error"): SessionState => ({
      ...emptySession,
      activity: { state: "idle", since: 0, stopReason },
    });
    assert.equal(stateOf(ended("cancelled")), "stopped");
    assert.equal(stateOf(ended("error")), "failed");
    bench.refuse = new Error("No program.");
    await bench.session.open();
    const failed = row({ state: bench.session.state });
    assert.equal(failed.state, "failed");
    assert.match(failed.reason ?? "", /No program\./);
  });

  it("stays held after a reload of the window, in which the agent starts with the prompt", () => {
    const held: SessionState = { ...emptySession, pendingPrompts: [{ id: "p", content: [], isOnHold: true }] };
    assert.equal(stateOf({ ...held, connection: { state: "closed" } }), "held");
    assert.equal(stateOf({ ...held, connection: { state: "starting", since: 1 } }), "starting");
    assert.equal(stateOf(held), "starting");
  });

  it("is about the sign-in if the agent needs one", () => {
    const problem = { message: "Sign in.", next: [], signIn: { methods: [], reason: "needed" } } as never;
    assert.equal(stateOf({ ...emptySession, signIn: problem }), "signIn");
    assert.equal(stateOf({ ...emptySession, lost: problem }), "signIn");
  });
});

describe("the row of a candidate", () => {
  const check = { command: "npm test", outcome: "failed", exitCode: 1, ended: 100, duration: 5, output: "x" } as const;

  it("has the usage of a session that is not open, and says when its worktree is gone", () => {
    const usage = [{ day: "2026-01-31", model: "", turns: 1, input: 1, output: 2, tokens: 3, costs: [] }];
    const closed = row({ entry: { status: "idle", updated: 1, usage } });
    assert.deepEqual([closed.state, closed.tokens, closed.worked], ["closed", 3, undefined]);
    assert.equal(row({ exists: false, changes: [] }).changes, undefined);
    assert.equal(row({ exists: false, state: emptySession }).state, "removed");
  });

  it("sums the lines of changes, and has the reason if git cannot compare", () => {
    const changes = [
      { path: "a", kind: "changed", lines: { added: 3, removed: 1 } },
      { path: "b", kind: "deleted", lines: { added: 0, removed: 2 } },
      { path: "c", kind: "added" },
    ] as const;
    assert.deepEqual(row({ changes }).changes, { files: 3, added: 3, removed: 3 });
    assert.equal(row({ changes: "git failed" }).changes, "git failed");
  });

  it("says that a check is outdated once the agent has worked since", () => {
    const idleSince = (since: number): SessionState => ({ ...emptySession, activity: { state: "idle", since } });
    assert.equal(row({ state: idleSince(99) }, check).check?.isOutdated, undefined);
    assert.equal(row({ state: idleSince(101) }, check).check?.isOutdated, true);
    assert.equal(row({}, check).check?.isOutdated, undefined);
  });

  it("offers models and modes only while the prompt is held", () => {
    const option: SessionOption = {
      ...{ id: "m", name: "Model", category: "model", value: "a", type: "select" as const },
      choices: [{ value: "a", name: "Large", description: "x" }],
    };
    const ready: SessionState = {
      ...{ ...emptySession, options: [option], connection: { state: "ready" } },
      pendingPrompts: [{ id: "p", content: [], isOnHold: true }],
    };
    const held = row({ state: ready });
    assert.deepEqual(held.options, [{ id: "m", name: "Model", value: "a", choices: [{ value: "a", name: "Large" }] }]);
    const done = row({ state: { ...ready, pendingPrompts: [] } });
    assert.deepEqual([done.options, done.choices], [[], ["Large"]]);
  });
});
