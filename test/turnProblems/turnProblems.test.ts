// The comparison of problems before and after a turn, with a clock and reports that the test controls.
import assert from "node:assert/strict";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { ReviewedFile } from "../../src/review/review.ts";
import type { AgentChange } from "../../src/review/turns/knownTouches.ts";
import type { NewProblem, SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { foundProblem, type FoundProblem } from "../../src/turnProblems/foundProblem.ts";
import { newProblemsAt } from "../../src/turnProblems/newProblems.ts";
import type { AskedCheck, FileCheck, ProblemReports, ChangedText } from "../../src/turnProblems/problemReports.ts";
import { TurnProblems } from "../../src/turnProblems/turnProblems.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

const problem = (path: string, message: string, fields: Partial<NewProblem> = {}): FoundProblem =>
  foundProblem({ path, line: 1, column: 1, severity: "error", message, lineText: `line of ${message}`, ...fields });

/** The editor of the test. A file is in a tab that a server checks, unless it is in `closed`. */
class FakeReports implements ProblemReports {
  readonly problems = new Map<string, readonly FoundProblem[]>();
  readonly files: Map<string, Partial<AskedCheck>>;
  readonly opened: string[] = [];
  readonly #report = new Emitter<readonly string[]>();
  readonly onDidReport = this.#report.event;
  readonly text = new Emitter<ChangedText>();
  readonly onDidChangeText = this.text.event;

  constructor(files: readonly string[]) {
    this.files = new Map(files.map(path => [path, {}]));
  }
  report(path: string, ...messages: readonly string[]): void {
    this.problems.set(
      path,
      messages.map((message, at) => problem(path, message, { line: at + 1 })),
    );
    if (messages.length === 0) this.problems.delete(path);
    this.#report.fire([path]);
  }
  read(): Promise<ReadonlyMap<string, readonly FoundProblem[]>> {
    return Promise.resolve(new Map(this.problems));
  }
  readFile(path: string): Promise<readonly FoundProblem[]> {
    return Promise.resolve(this.problems.get(path) ?? []);
  }
  openFiles(): ReadonlyMap<string, FileCheck> {
    return new Map(
      [...this.files].filter(([, { isOpen = true }]) => isOpen).map(([path]) => [path, this.#check(path)]),
    );
  }
  open(paths: readonly string[]): Promise<void> {
    this.opened.push(...paths);
    return Promise.resolve();
  }
  checkOf(path: string): Promise<AskedCheck> {
    return Promise.resolve(this.#check(path));
  }
  #check(path: string): AskedCheck {
    const closed = { isOpen: false, isShown: false, isAnswered: false };
    const open = { isOpen: true, isShown: true, isAnswered: true };
    const given = this.files.get(path);
    const state = given === undefined || given.isOpen === false ? closed : open;
    return { ...state, isReported: state.isOpen, exists: true, isUncheckable: false, ...given };
  }
  spelled(path: string): string {
    return path;
  }
}

describe("the problems of a turn", () => {
  let reports: FakeReports;
  let clock: FakeClock;
  let changes: Emitter<AgentChange>;
  let reviewed: Pick<ReviewedFile, "path" | "movedFrom" | "isCreated">[];
  let events: Extract<SessionEvent, { type: "turnProblems" }>[];
  let state: SessionState;
  let part: TurnProblems;
  let prompts = 0;

  const dispatch = (event: SessionEvent): void => {
    const before = state;
    state = reduce(state, { seq: 0, at: clock.now(), event });
    if (event.type === "turnProblems") events.push(event);
    if (state !== before) part.stateChanged(before, state);
    part.observe(event, before, state);
  };
  const start = (files: readonly string[] = ["/w/a.ts", "/w/b.ts"]): void => {
    reports = new FakeReports(files);
    clock = new FakeClock();
    changes = new Emitter();
    reviewed = [];
    events = [];
    state = emptySession;
    part = new TurnProblems({
      ...{ session: "s", roots: ["/w"], reports, clock, log: nullLog, agentChanges: changes.event },
      ...{ reviewed: () => reviewed, report: dispatch },
      secretTest: () => path => Promise.resolve(path.endsWith(".env")),
    });
  };
  /** `meanwhile`: what happens before the agent begins. */
  const beginTurn = async (meanwhile?: () => void): Promise<void> => {
    const submission = `p${++prompts}`;
    dispatch({ type: "promptSent", submission, content: [{ type: "text", text: "Go" }] });
    await part.beforeTurn();
    meanwhile?.();
    dispatch({ type: "promptAccepted", submission, messageId: submission });
    dispatch({ type: "activity", state: "running" });
    const content = { type: "text", text: "Done." } as const;
    dispatch({ type: "messageChunk", author: "agent", messageId: `answer to ${submission}`, content });
  };
  const change = (path: string, session = "s"): void => changes.fire({ session, path });
  /** A report comes in a task of its own. */
  const reportBefore = async (path: string, ...messages: readonly string[]): Promise<void> => {
    reports.report(path, ...messages);
    await new Promise(resolve => setImmediate(resolve));
  };
  const endTurn = (): void => dispatch({ type: "activity", state: "idle", stopReason: "end_turn" });
  /** Lets the promises of the part run, and passes the moment without reports. */
  const settle = async (): Promise<void> => {
    const timers = (): boolean => clock.pendingTimers >= 2;
    await until(timers);
    clock.advance(500);
    await until(() => !timers());
  };
  const result = (): readonly unknown[] => {
    const { state: how, added, fixed, unchecked } = events.at(-1) ?? {};
    return [how, added, fixed, unchecked];
  };
  const compared = async (): Promise<readonly unknown[]> => {
    const count = events.length;
    endTurn();
    await settle();
    await until(() => events.length > count);
    return result();
  };

  beforeEach(() => start());
  afterEach(() => part.dispose());

  it("are those that are new since its first change, and those that are gone", async () => {
    reports.report("/w/a.ts", "old", "gone");
    await beginTurn();
    change("/w/a.ts");
    reports.report("/w/a.ts", "old", "new", "newer");
    assert.deepEqual(await compared(), ["known", 2, 1, undefined]);
    assert.deepEqual(
      events.at(-1)?.problems?.map(({ message, path, line }) => [message, path, line]),
      [
        ["new", "/w/a.ts", 2],
        ["newer", "/w/a.ts", 3],
      ],
    );
    const line = state.entries.get(events.at(-1)?.entry ?? "");
    assert.deepEqual(line?.turn?.problems, { state: "known", added: 2, fixed: 1 });
    assert.equal(line.newProblems?.length, 2);
  });

  it("are only counted in files that look like secrets", async () => {
    start(["/w/a.ts", "/w/.env"]);
    await beginTurn();
    change("/w/a.ts");
    change("/w/.env");
    reports.report("/w/.env", "KEY=1 is wrong", "KEY=2 is wrong");
    reports.report("/w/a.ts", "new");
    assert.deepEqual(await compared(), ["known", 3, 0, undefined]);
    const { withheld, problems } = events.at(-1) ?? {};
    assert.deepEqual([withheld, problems?.map(({ message }) => message)], [2, ["new"]]);
    assert.doesNotMatch(JSON.stringify(events), /KEY/);
    const found = newProblemsAt(state.entries.get(events.at(-1)?.entry ?? ""));
    assert.deepEqual([found?.count, found?.withheld], [1, 2]);
  });

  it("include those in files that the turn did not change", async () => {
    await beginTurn();
    change("/w/a.ts");
    reports.report("/w/b.ts", "wrong argument");
    assert.deepEqual(await compared(), ["known", 1, 0, undefined]);
  });

  it("are not shown if the turn changed no file", async () => {
    await beginTurn();
    reports.report("/w/a.ts", "new");
    endTurn();
    assert.equal(clock.pendingTimers, 0);
    assert.deepEqual(events, []);
  });

  it("do not count what was reported between the begin of the turn and its first change", async () => {
    await beginTurn();
    reports.text.fire({ path: "/w/a.ts", isUser: true });
    await reportBefore("/w/a.ts", "by the user");
    change("/w/a.ts");
    reports.report("/w/a.ts", "by the user", "by the agent");
    assert.deepEqual(await compared(), ["known", 1, 0, undefined]);
  });

  it("count from a tool call that can change files on, and not from one that reads", async () => {
    await beginTurn();
    dispatch({ type: "tool", toolCallId: "1", patch: { kind: "read", status: "in_progress" } });
    await reportBefore("/w/a.ts", "before");
    dispatch({ type: "tool", toolCallId: "2", patch: { kind: "edit", status: "in_progress" } });
    // The language server is faster than the notice of the change.
    reports.report("/w/a.ts", "before", "after");
    change("/w/a.ts");
    assert.deepEqual(await compared(), ["known", 1, 0, undefined]);
  });

  it("count from the moment on when a file is read from disk again", async () => {
    await beginTurn();
    reports.text.fire({ path: "/w/a.ts", isUser: false });
    reports.report("/w/a.ts", "after");
    change("/w/a.ts");
    assert.deepEqual(await compared(), ["known", 1, 0, undefined]);
  });

  it("leave out files that only the user or another session changed meanwhile", async () => {
    await beginTurn();
    change("/w/a.ts");
    reports.text.fire({ path: "/w/b.ts", isUser: true });
    reports.report("/w/b.ts", "by the user");
    reports.files.set("/w/c.ts", {});
    change("/w/c.ts", "other");
    reports.report("/w/c.ts", "by another agent");
    assert.deepEqual(await compared(), ["known", 0, 0, undefined]);
  });

  it("leave out files outside of the session's folders", async () => {
    await beginTurn();
    change("/w/a.ts");
    reports.report("/elsewhere/d.ts", "new");
    assert.deepEqual(await compared(), ["known", 0, 0, undefined]);
  });

  it("are not known for a changed file that was not open, even if its problems are reported afterwards", async () => {
    start(["/w/a.ts"]);
    await beginTurn();
    change("/w/a.ts");
    change("/w/closed.ts");
    reports.files.set("/w/closed.ts", {});
    reports.report("/w/closed.ts", "perhaps old");
    assert.deepEqual(await compared(), ["known", 0, 0, 1]);
  });

  it("are not known at all if no changed file was checked", async () => {
    start([]);
    await beginTurn();
    change("/w/closed.ts");
    assert.deepEqual(await compared(), ["unknown", undefined, undefined, 1]);
  });

  it("are not fixed by closing their file", async () => {
    reports.report("/w/a.ts", "old");
    reports.report("/w/b.ts", "old");
    await beginTurn();
    change("/w/a.ts");
    for (const path of ["/w/a.ts", "/w/b.ts"]) {
      reports.files.set(path, { isOpen: false });
      reports.report(path);
    }
    assert.deepEqual(await compared(), ["unknown", undefined, undefined, 1]);
  });

  it("are not new in an unchanged file that the user opens", async () => {
    start(["/w/a.ts"]);
    await beginTurn();
    change("/w/a.ts");
    reports.files.set("/w/old.ts", {});
    reports.report("/w/old.ts", "old");
    assert.deepEqual(await compared(), ["known", 0, 0, undefined]);
  });

  it("are all new in a file that the turn created, which is opened to be checked", async () => {
    start([]);
    await beginTurn();
    reviewed = [{ path: "/w/new.ts", isCreated: true }];
    change("/w/new.ts");
    endTurn();
    await until(() => reports.opened.length > 0);
    reports.files.set("/w/new.ts", {});
    reports.report("/w/new.ts", "one", "two");
    await settle();
    await until(() => events.length > 0);
    assert.deepEqual([result(), reports.opened], [["known", 2, 0, undefined], ["/w/new.ts"]]);
  });

  it("are not all new in a file that an earlier turn created", async () => {
    start([]);
    reviewed = [{ path: "/w/new.ts", isCreated: true }];
    await beginTurn();
    change("/w/new.ts");
    reports.files.set("/w/new.ts", {});
    reports.report("/w/new.ts", "one");
    assert.deepEqual(await compared(), ["unknown", undefined, undefined, 1]);
  });

  it("stay with a file that the turn moved", async () => {
    start(["/w/from.ts"]);
    reports.report("/w/from.ts", "old", "older");
    await beginTurn();
    reviewed = [{ path: "/w/to.ts", movedFrom: "/w/from.ts" }];
    change("/w/to.ts");
    reports.files.set("/w/from.ts", { isOpen: false, exists: false });
    reports.report("/w/from.ts");
    reports.files.set("/w/to.ts", {});
    reports.report("/w/to.ts", "old", "new");
    assert.deepEqual(await compared(), ["known", 1, 1, undefined]);
  });

  it("are gone with a file that the turn deleted", async () => {
    reports.report("/w/a.ts", "old", "older");
    await beginTurn();
    change("/w/a.ts");
    reports.files.set("/w/a.ts", { isOpen: false, exists: false });
    reports.report("/w/a.ts");
    assert.deepEqual(await compared(), ["known", 0, 2, undefined]);
  });

  it("say nothing about plain text", async () => {
    start([]);
    await beginTurn();
    reports.files.set("/w/notes.txt", { isOpen: false, isUncheckable: true });
    change("/w/notes.txt");
    endTurn();
    await settle();
    await until(() => clock.pendingTimers === 1);
    assert.deepEqual(events, []);
  });

  it("are not known yet after 5 seconds of reports, and known when the servers settle", async () => {
    await beginTurn();
    change("/w/a.ts");
    endTurn();
    for (let at = 0; at < 13; at++) {
      reports.report("/w/a.ts", `${at}`);
      clock.advance(400);
      await new Promise(resolve => setImmediate(resolve));
    }
    assert.deepEqual(events, [{ type: "turnProblems", entry: events[0]?.entry, state: "pending" }]);
    await settle();
    await until(() => events.length > 1);
    assert.deepEqual(result(), ["known", 1, 0, undefined]);
  });

  it("are zero if they were not known yet, and no changed file can have problems", async () => {
    start([]);
    reports.files.set("/w/notes.txt", { isOpen: false, isUncheckable: true });
    await beginTurn();
    change("/w/notes.txt");
    endTurn();
    for (let at = 0; at < 13; at++) {
      reports.report("/w/a.ts");
      clock.advance(400);
      await new Promise(resolve => setImmediate(resolve));
    }
    assert.equal(events.at(-1)?.state, "pending");
    await settle();
    await until(() => events.length > 1);
    assert.deepEqual(result(), ["known", 0, 0, undefined]);
  });

  it("are zero if those of an unchanged file are withdrawn, and no changed file can have problems", async () => {
    start(["/w/b.ts"]);
    reports.files.set("/w/notes.txt", { isOpen: false, isUncheckable: true });
    await beginTurn();
    change("/w/notes.txt");
    reports.report("/w/b.ts", "for a moment");
    assert.deepEqual(await compared(), ["known", 1, 0, undefined]);
    reports.report("/w/b.ts");
    await settle();
    await until(() => events.length === 2);
    assert.deepEqual(result(), ["known", 0, 0, undefined]);
  });

  it("are not known if the next turn begins first, and the next turn compares with its own begin", async () => {
    await beginTurn();
    change("/w/a.ts");
    endTurn();
    for (let at = 0; at < 13; at++) {
      reports.report("/w/a.ts", "first");
      clock.advance(400);
      await new Promise(resolve => setImmediate(resolve));
    }
    const entry = events[0]?.entry;
    await beginTurn();
    assert.deepEqual(events.at(-1), { type: "turnProblems", entry, state: "unknown" });
    change("/w/a.ts");
    reports.report("/w/a.ts", "first", "second");
    assert.deepEqual(await compared(), ["known", 1, 0, undefined]);
    assert.notEqual(events.at(-1)?.entry, entry);
  });

  it("are not known if a queued prompt begins the next turn at once", async () => {
    await beginTurn();
    change("/w/a.ts");
    endTurn();
    await beginTurn();
    assert.deepEqual(result(), ["unknown", undefined, undefined, undefined]);
    endTurn();
    await beginTurn();
    assert.equal(events.length, 1);
  });

  it("are corrected by a report in the next 10 seconds, until the user edits a file", async () => {
    await beginTurn();
    change("/w/a.ts");
    assert.deepEqual(await compared(), ["known", 0, 0, undefined]);
    clock.advance(3000);
    reports.report("/w/a.ts", "late");
    await settle();
    await until(() => events.length === 2);
    assert.deepEqual(result(), ["known", 1, 0, undefined]);
    await until(() => clock.pendingTimers === 1);
    reports.text.fire({ path: "/w/a.ts", isUser: true });
    await until(() => clock.pendingTimers === 0);
    reports.report("/w/a.ts", "late", "by the user");
    assert.equal(clock.pendingTimers, 0);
    assert.equal(events.length, 2);
  });

  it("are also corrected if the user edited a file before the agent began", async () => {
    await beginTurn(() => reports.text.fire({ path: "/w/b.ts", isUser: true }));
    change("/w/a.ts");
    assert.deepEqual(await compared(), ["known", 0, 0, undefined]);
    reports.report("/w/a.ts", "late");
    await settle();
    await until(() => events.length === 2);
    assert.deepEqual(result(), ["known", 1, 0, undefined]);
  });

  it("are compared for a change that is noticed after the end of the turn", async () => {
    reports.report("/w/a.ts", "old");
    await beginTurn();
    dispatch({ type: "tool", toolCallId: "1", patch: { kind: "execute", status: "completed" } });
    reports.report("/w/a.ts", "old", "new");
    endTurn();
    assert.equal(clock.pendingTimers, 0);
    change("/w/a.ts");
    await settle();
    await until(() => events.length > 0);
    assert.deepEqual(result(), ["known", 1, 0, undefined]);
  });

  it("are reported once if a late report changes nothing", async () => {
    await beginTurn();
    change("/w/a.ts");
    reports.report("/w/a.ts", "new");
    assert.deepEqual(await compared(), ["known", 1, 0, undefined]);
    reports.report("/w/a.ts", "new");
    await settle();
    await until(() => clock.pendingTimers === 1);
    assert.equal(events.length, 1);
  });

  it("ask about no other changed file when the session ends", async () => {
    await beginTurn();
    change("/w/a.ts");
    change("/w/b.ts");
    endTurn();
    await until(() => clock.pendingTimers >= 2);
    const asked: string[] = [];
    const check = reports.checkOf.bind(reports);
    reports.checkOf = path => {
      asked.push(path);
      part.dispose();
      return check(path);
    };
    clock.advance(500);
    await until(() => asked.length > 0);
    await new Promise(resolve => setImmediate(resolve));
    assert.deepEqual([asked, events], [["/w/a.ts"], []]);
  });

  it("leave no timer and no wait when the session ends", async () => {
    await beginTurn();
    change("/w/a.ts");
    endTurn();
    await until(() => clock.pendingTimers > 0);
    part.dispose();
    await until(() => clock.pendingTimers === 0);
    assert.deepEqual(events, []);
  });
});
