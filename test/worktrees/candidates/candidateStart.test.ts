// Waiting until the sessions of candidates can work, and sending their prompts.
import assert from "node:assert/strict";
import { Emitter } from "../../../src/base/lifecycle.ts";
import type { OpenSessionsChange } from "../../../src/library/openSessions.ts";
import type { Session } from "../../../src/session/session.ts";
import { sendHeldPrompts, whenStarted, type FailedStart } from "../../../src/worktrees/candidates/candidateStart.ts";
import { SessionBench } from "../../support/fakes/sessionBench.ts";

describe("the start of candidates", () => {
  let benches: ReadonlyMap<string, SessionBench>;
  let open: Map<string, Session>;
  let changed: Emitter<OpenSessionsChange>;
  let release: () => void;
  let progress: number[];
  const bench = (id: string): SessionBench => benches.get(id) ?? assert.fail();
  const started = (signal = new AbortController().signal): Promise<readonly FailedStart[]> =>
    whenStarted(
      { get: id => open.get(id ?? ""), onDidChange: changed.event },
      ["one", "two"],
      done => progress.push(done),
      signal,
    );
  beforeEach(() => {
    progress = [];
    changed = new Emitter();
    benches = new Map(["one", "two"].map(id => [id, new SessionBench()]));
    open = new Map([...benches].map(([id, { session }]) => [id, session]));
    const gate = new Promise<void>(resolve => (release = resolve));
    for (const each of benches.values()) {
      each.gate = gate;
      const { session } = each;
      session.onDidChange(state => changed.fire({ type: "changed", session, before: state, isContent: false }));
    }
  });
  const openAll = (): void => {
    for (const { session } of benches.values()) void session.open();
  };
  afterEach(() => {
    for (const { session } of benches.values()) session.dispose();
  });

  it("is over when all of them are ready", async () => {
    openAll();
    const all = started();
    assert.deepEqual(progress, [0]);
    release();
    assert.deepEqual(await all, []);
    assert.deepEqual(progress, [0, 1, 2]);
  });

  it("names those that failed or were closed", async () => {
    bench("one").refuse = new Error("No program.");
    openAll();
    const all = started();
    open.delete("two");
    release();
    const failed = await all;
    assert.equal(failed[0]?.session, "one");
    assert.match(failed[0]?.reason ?? "", /No program\./);
    assert.deepEqual(failed[1], { session: "two", reason: "Its session was closed." });
  });

  it("ends early when the user cancels", async () => {
    openAll();
    const cancel = new AbortController();
    const all = started(cancel.signal);
    cancel.abort(new Error("cancelled"));
    await assert.rejects(all, /cancelled/);
    await assert.rejects(started(cancel.signal), /cancelled/);
  });

  it("sends a prompt that is held once, and not before", async () => {
    openAll();
    const one = bench("one");
    one.send("hello");
    for (const { id } of one.session.state.pendingPrompts) one.session.queue.hold(id);
    release();
    await one.openReady();
    await one.flushPromises();
    assert.deepEqual(one.remote.prompts, []);
    sendHeldPrompts(one.session);
    sendHeldPrompts(one.session);
    await one.flushPromises();
    assert.equal(one.remote.prompts.length, 1);
  });
});
