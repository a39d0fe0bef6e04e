// Which of several turns that overlap made a change.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { authorOf, unknownTurn } from "../../src/history/author.ts";
import { isTurnRunning, RunningTurns } from "../../src/history/runningTurns.ts";
import { maxReportDelay } from "../../src/history/turnTimes.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";

describe("the turns that overlap", () => {
  let turns: RunningTurns;
  const states = new Map<string, SessionState>();
  beforeEach(() => {
    turns = new RunningTurns();
    states.clear();
  });
  const report = (session: string, now: number, event: SessionEvent): void => {
    const after = logged([event]).reduce(reduce, states.get(session) ?? emptySession);
    states.set(session, after);
    turns.observe(event, after, session, now);
  };
  const call = (session: string, now: number, status: "in_progress" | "completed", path: string, kind = "edit"): void =>
    report(session, now, { type: "tool", toolCallId: "c", patch: { kind, status, locations: [{ path }] } });
  /** A turn begins, with a call that names no file and runs until its end. */
  const begin = (turn: string, session: string, now: number, folder?: string): boolean => {
    const isAlone = turns.begin(turn, session, now, folder);
    report(session, now, { type: "tool", toolCallId: "whole", patch: { kind: "execute", status: "in_progress" } });
    return isAlone;
  };
  /** Who changed the file at that time: the turn of an agent, or who else. */
  const authorAt = (path: string, time: number, now: number): string => {
    const evidence = { time, isCompared: false, isGone: false, isUsers: false, isDecided: false };
    const others = { isSavedElsewhere: false, isGits: false };
    const author = authorOf({ ...evidence, ...others, turns: turns.evidenceFor(path, now) });
    return author.kind === "agent" ? author.turn : author.kind;
  };
  const end = (session: string, now: number): void => {
    turns.of(session)?.times.end(now);
    turns.of(session)?.reports.turnEnded(now);
  };

  it("give a change to the turn whose agent reported it, although the ids of their calls are the same", () => {
    begin("a1", "a", 1000);
    begin("b1", "b", 2000);
    call("a", 3000, "in_progress", "/w/x");
    call("b", 3000, "in_progress", "/w/y");
    call("b", 3000, "in_progress", "/w/y");
    assert.equal(authorAt("/w/x", 3100, 3200), "a1");
    assert.equal(authorAt("/w/y", 3100, 3200), "b1");
    call("b", 4000, "completed", "/w/y");
    assert.equal(authorAt("/w/y", 3900, 4500), "b1");
  });

  it("give a change in a worktree to its session alone, and none outside of it, unless a call names the file", () => {
    begin("a1", "a", 1000);
    begin("b1", "b", 1000, "/trees/b");
    assert.equal(authorAt("/trees/b/x", 1500, 1600), "b1");
    assert.equal(authorAt("/w/x", 1500, 1600), "a1");
    assert.equal(authorAt("/trees/bc/x", 1500, 1600), "a1");
    assert.deepEqual([turns.firstOf("/trees/b/x"), turns.firstOf("/w/x")], ["b1", "a1"]);
    call("b", 2000, "in_progress", "/w/y");
    call("a", 2000, "in_progress", "/trees/b/y");
    assert.equal(authorAt("/w/y", 2100, 2200), "b1");
    assert.equal(authorAt("/trees/b/y", 2100, 2200), "a1");
  });

  it("give no change outside of its worktree to the only turn that runs", () => {
    begin("b1", "b", 1000, "/trees/b");
    assert.equal(authorAt("/trees/b/x", 1500, 1600), "b1");
    assert.equal(authorAt("/w/x", 1500, 1600), "nobody");
  });

  it("give a change that no agent reported to the only turn that ran, otherwise to none", () => {
    begin("a1", "a", 1000);
    assert.equal(authorAt("/w/x", 1500, 1600), "a1");
    begin("b1", "b", 2000);
    assert.equal(authorAt("/w/x", 1500, 2100), "a1");
    assert.equal(authorAt("/w/x", 2500, 2600), unknownTurn);
    end("a", 3000);
    assert.equal(authorAt("/w/x", 2500, 3100), unknownTurn);
    assert.equal(authorAt("/w/x", 3500, 3600), "b1");
  });

  it("give no change to a turn whose agent only read the file, and none of two that report it at the same time", () => {
    begin("a1", "a", 1000);
    begin("b1", "b", 1000);
    call("a", 2000, "in_progress", "/w/x", "read");
    assert.equal(authorAt("/w/x", 2100, 2200), unknownTurn);
    call("b", 2000, "in_progress", "/w/x");
    assert.equal(authorAt("/w/x", 2100, 2200), "b1");
    report("a", 2000, {
      type: "tool",
      toolCallId: "d",
      patch: { kind: "edit", status: "in_progress", locations: [{ path: "/w/x" }] },
    });
    assert.equal(authorAt("/w/x", 2100, 2200), unknownTurn);
  });

  it("forget the turns before one that overlaps no other, and keep those that can still be reported", () => {
    assert.equal(begin("a1", "a", 1000), true);
    assert.equal(begin("b1", "b", 2000), false);
    end("a", 3000);
    assert.equal(begin("c1", "c", 3000 + maxReportDelay + 1), false);
    assert.deepEqual([turns.has("a1"), turns.has("b1"), turns.has("c1")], [false, true, true]);
    assert.equal(begin("b2", "b", 10_000), false);
    assert.deepEqual([turns.first, turns.latest, turns.busy], ["c1", "b2", ["c1", "b2"]]);
    end("b", 11_000);
    end("c", 11_000);
    assert.equal(begin("b3", "b", 11_001), true);
    assert.equal(turns.isOverlap, false);
  });

  it("know a session again that reports after its turn, when the turns of others have replaced it", () => {
    begin("a1", "a", 1000);
    end("a", 1100);
    begin("b1", "b", 9000);
    call("a", 9500, "in_progress", "/w/x");
    assert.equal(authorAt("/w/x", 9600, 9700), "a1");
    assert.equal(authorAt("/w/y", 9600, 9700), "b1");
  });
});

describe("a turn runs", () => {
  const queued: SessionEvent = { type: "promptSent", submission: "p1", content: [{ type: "text", text: "Go" }] };
  const state = (...events: readonly SessionEvent[]): SessionState => logged(events).reduce(reduce, emptySession);

  it("while its prompt waits to be sent and the turn is prepared, and while the agent works", () => {
    assert.equal(isTurnRunning(state(queued), "p1"), true);
    assert.equal(isTurnRunning(state({ type: "activity", state: "running" }), "p1"), true);
  });

  it("not because of another prompt that waits", () => assert.equal(isTurnRunning(state(queued), "p0"), false));

  it("not while the user keeps its prompt on hold, and again when the prompt is released", () => {
    const hold = (onHold: boolean): SessionEvent => ({ type: "promptOnHold", submission: "p1", onHold });
    assert.equal(isTurnRunning(state(queued, hold(true)), "p1"), false);
    assert.equal(isTurnRunning(state(queued, hold(true), hold(false)), "p1"), true);
  });
});
