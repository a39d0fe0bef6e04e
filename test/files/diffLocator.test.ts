// The line numbers of diffs of which agents send only the changed lines: in the tool card, in the question, and in a
// restored session.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { DiffLocator } from "../../src/files/diffLocator.ts";
import { Confinement } from "../../src/files/paths.ts";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import { WholeProjector, replayAtOnce } from "../support/fakes/wholeViews.ts";
import type { ToolPart } from "../../src/panel/protocol.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import type { LoggedEvent, ToolContent, ToolStatus } from "../../src/session/events.ts";
import { Session } from "../../src/session/session.ts";
import { openQuestions, type SessionState } from "../../src/session/state.ts";
import { FakeClock, FakeDocuments } from "../support/fakes/fakePorts.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { StubAgent, type StubSession } from "../support/fakes/stubAgent.ts";
import { until } from "../support/fakes/until.ts";

type FileDiff = Extract<ToolContent, { type: "diff" }>;

const path = "/w/a.txt";
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
const hunk: FileDiff = { type: "diff", path, oldText: "line 10\nline 11\n", newText: "line 10\nline eleven\n" };

/** Counts how often a file is read. */
class CountingDocuments extends FakeDocuments {
  reads = 0;
  override read(file: string): Promise<string> {
    this.reads++;
    return super.read(file);
  }
}

describe("the lines of a diff", () => {
  let documents: CountingDocuments;
  let clock: FakeClock;
  let log: LoggedEvent[];
  const faults: string[] = [];
  const sessions: Session[] = [];

  const startSession = async (past?: readonly LoggedEvent[]): Promise<{ session: Session; remote: StubSession }> => {
    const agent = new StubAgent();
    const session = new Session({
      id: "session",
      agent: { id: "stub", name: "Stub" },
      workspaceFolder: "/w",
      clock: new FakeClock(),
      log: nullLog,
      newId: () => `s${log.length}`,
      connection: {
        connect: async () => ({ agent, onDidDie: () => ({ dispose: () => {} }), hasEnded: () => false }),
        restart: async () => {},
      },
      createServices: report => ({
        ...questionServices(new PermissionBroker({ report }), () => {}),
        participants: [
          new DiffLocator({
            documents,
            confinement: new Confinement(documents.resolver, ["/w"], "posix"),
            report,
            clock,
            log: { ...nullLog, error: message => faults.push(message) },
          }),
        ],
      }),
      onLog: one => log.push(one),
      ...(past && { earlier: replayAtOnce(past, nullLog) }),
    });
    sessions.push(session);
    await session.open();
    const remote = agent.sessions.at(-1);
    assert.ok(remote);
    return { session, remote };
  };
  /** Lets the searches end. */
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 30; i++) await new Promise(resolve => setImmediate(resolve));
  };
  const call = (remote: StubSession, status: ToolStatus, content?: readonly ToolContent[], toolCallId = "t"): void =>
    remote.report({ type: "tool", toolCallId, patch: { kind: "edit", status, ...(content && { content }) } });

  const startOf = (part: ToolPart | undefined): number | "none" | undefined => {
    if (part?.type !== "diff") return undefined;
    const [first] = part.hunks;
    assert.equal(first?.oldStart, first?.newStart);
    return part.unplaced ? "none" : first?.oldStart;
  };
  const view = (state: SessionState) =>
    new WholeProjector().project(state, {
      agents: [],
      changes: null,
      follow: "off",
      chosenAgent: null,
      problem: null,
      sendKey: "enter",
    });
  /** Where the diffs of the cards start. */
  const shown = (state: SessionState): readonly unknown[] =>
    view(state).entries.flatMap(entry =>
      entry.kind === "tool" ? entry.parts.flatMap(part => startOf(part) ?? []) : [],
    );

  beforeEach(() => {
    trackLeaks();
    documents = new CountingDocuments();
    clock = new FakeClock();
    log = [];
  });
  afterEach(() => {
    for (const session of sessions.splice(0)) session.dispose();
    assert.deepEqual(findLeaks(), []);
    assert.deepEqual(faults.splice(0), []);
  });

  it("are found by its old text when the call arrives, and stay after the edit, in a restored session too", async () => {
    documents.put(path, numbered(20));
    const { session, remote } = await startSession();
    call(remote, "pending", [hunk]);
    assert.deepEqual(shown(session.state), ["none"], "until it is found");
    await until(() => shown(session.state)[0] === 10);
    documents.put(path, `something\nelse\n${numbered(20).replace("line 11", "line eleven")}`);
    call(remote, "completed", [hunk]);
    await settled();
    assert.deepEqual(shown(session.state), [10]);
    const lines = log.filter(({ event }) => event.type === "diffLines");
    assert.deepEqual(
      lines.map(({ event }) => event),
      [{ type: "diffLines", toolCallId: "t", lines: [{ item: 0, line: 10 }] }],
    );
    documents.files.clear();
    const restored = await startSession(JSON.parse(JSON.stringify(log)) as readonly LoggedEvent[]);
    assert.deepEqual(shown(restored.session.state), [10]);
  });

  it("are found by its new text when the call is done, with or without the last line feed", async () => {
    for (const end of ["\n", ""]) {
      const { session, remote } = await startSession();
      documents.put(path, "hello\n");
      const diff = { ...hunk, oldText: `line 20${end}`, newText: `line twenty${end}` };
      call(remote, "in_progress", [diff]);
      await settled();
      assert.deepEqual(shown(session.state), ["none"]);
      documents.put(path, `${numbered(19)}line twenty`);
      call(remote, "completed");
      await until(() => shown(session.state)[0] === 20);
    }
  });

  it("are those of the recorded shapes", async () => {
    documents.put(path, numbered(12));
    const { session, remote } = await startSession();
    const updates = new V1Updates();
    const lines = readFileSync("test/transcripts/shapes/edits.ndjson", "utf8").trim().split("\n");
    for (const line of lines) {
      const { msg } = JSON.parse(line) as { msg: { params?: { update?: Readonly<Record<string, unknown>> } } };
      if (msg.params?.update) for (const event of updates.update(msg.params.update)) remote.report(event);
    }
    await until(() => shown(session.state)[0] !== "none");
    assert.deepEqual(shown(session.state), [10, 1, 1]);
  });

  it("are shown in the question, and found when it arrives if they were not found before", async () => {
    const { session, remote } = await startSession();
    call(remote, "pending", [hunk]);
    await settled();
    documents.put(path, numbered(20));
    const options = [{ id: "y", name: "Yes", kind: "allow_once" }];
    const answer = remote.client.requestPermission(
      { title: "Edit?", toolCallId: "t", options },
      new AbortController().signal,
    );
    const inQuestion = (): unknown => startOf(view(session.state).head.questions[0]?.parts[0]);
    await until(() => inQuestion() === 10);
    session.answer(openQuestions(session.state)[0]?.id ?? "", "y");
    await answer;
  });

  it("are unknown, not the first, if its text is missing, ambiguous, binary, or in a file of more than 1 MB", async () => {
    documents.put(path, `${numbered(20)}${numbered(20)}`);
    documents.put("/w/binary", Buffer.from("line 10\0\nline 11\n"));
    documents.put("/w/large", `${"x".repeat(1_000_000)}\n${numbered(20)}`);
    documents.folders.add("/w/folder");
    const { session, remote } = await startSession();
    const files = [path, "/w/missing", "/w/binary", "/w/large", "/w/folder", "relative.txt", ""];
    call(
      remote,
      "completed",
      files.map(file => ({ ...hunk, path: file })),
    );
    await settled();
    assert.deepEqual(
      shown(session.state),
      files.map(() => "none"),
    );
    assert.ok(!log.some(({ event }) => event.type === "diffLines"));
  });

  it("begin at 1 for a new file, for a whole file of any size, and for the result of a write", async () => {
    const large = `${numbered(100_000)}`;
    documents.put("/w/whole", numbered(20));
    documents.put("/w/large", large);
    const { session, remote } = await startSession();
    const whole = (file: string, oldText: string): FileDiff => ({
      type: "diff",
      path: file,
      oldText,
      newText: oldText.replace("line 2\n", "2\n"),
    });
    call(remote, "pending", [
      { type: "diff", path: "/w/new", newText: "a\n" },
      { type: "diff", path: "/w/empty", oldText: "", newText: "a\n" },
      whole("/w/whole", numbered(20).trimEnd()),
      whole("/w/large", large),
      { type: "diff", path: "/w/gone", oldText: "a\n", newText: "", deleted: true },
    ]);
    await until(() => !shown(session.state).includes("none"));
    assert.deepEqual(shown(session.state), [1, 1, 1, 1, 1]);
  });

  it("are those of unsaved text, because the user sees it", async () => {
    documents.put(path, numbered(20));
    documents.type(path, `my\nown\n${numbered(20)}`);
    const { session, remote } = await startSession();
    call(remote, "pending", [hunk]);
    await until(() => shown(session.state)[0] === 12);
  });

  it("are looked for only inside the session's folders, also if a link leads out of them", async () => {
    documents.put("/secret/a.txt", numbered(20));
    documents.put("/w/swapped/a.txt", numbered(20));
    documents.resolver.links.set("/w/link", "/secret");
    const { session, remote } = await startSession();
    call(remote, "completed", [
      { ...hunk, path: "/secret/a.txt" },
      { ...hunk, path: "/w/link/a.txt" },
      { ...hunk, path: "/w/../secret/a.txt" },
    ]);
    await settled();
    assert.deepEqual([documents.reads, shown(session.state)], [0, ["none", "none", "none"]]);
    // The folder becomes a link while its file is read.
    const read = documents.read.bind(documents);
    documents.read = async file => {
      documents.resolver.links.set("/w/swapped", "/secret");
      return read(file);
    };
    call(remote, "completed", [{ ...hunk, path: "/w/swapped/a.txt", newText: "line 10\nline 11\n" }], "t2");
    await settled();
    assert.deepEqual(shown(session.state).at(-1), "none");
  });

  it("belong to the content that was searched, even if the call replaces it in the meantime", async () => {
    documents.put(path, numbered(20));
    const { session, remote } = await startSession();
    call(remote, "pending", [hunk]);
    call(remote, "pending", [{ ...hunk, oldText: "line 3\n", newText: "3\n" }, hunk]);
    await until(() => !shown(session.state).includes("none"));
    assert.deepEqual(shown(session.state), [3, 10]);
    remote.report({ type: "toolChunk", toolCallId: "t", content: { ...hunk, oldText: "line 5\n", newText: "5\n" } });
    await until(() => shown(session.state)[2] === 5);
  });

  it("of many calls need few readings of their file", async () => {
    documents.put(path, numbered(1000));
    const { session, remote } = await startSession();
    for (let i = 0; i < 500; i++) {
      call(remote, "pending", [{ ...hunk, oldText: `line ${i + 1}\n`, newText: `${i}\n` }], `t${i}`);
    }
    await until(() => log.filter(({ event }) => event.type === "diffLines").length === 500);
    assert.deepEqual(
      shown(session.state),
      Array.from({ length: 500 }, (_, i) => i + 1),
    );
    assert.ok(documents.reads <= 2, `${documents.reads} readings`);
  });

  it("of calls that follow each other quickly are collected for a moment, so that they need few readings", async () => {
    documents.put(path, numbered(1000));
    const { session, remote } = await startSession();
    for (let i = 0; i < 60; i++) {
      call(remote, "pending", [{ ...hunk, oldText: `line ${i + 1}\n`, newText: `${i}\n` }], `t${i}`);
      await settled();
    }
    assert.equal(documents.reads, 20);
    assert.ok(shown(session.state).includes("none"));
    clock.advance(100);
    await until(() => !shown(session.state).includes("none"));
    assert.equal(documents.reads, 21);
  });

  it("are not looked for any more when the session ends while calls are collected", async () => {
    documents.put(path, numbered(1000));
    const { session, remote } = await startSession();
    for (let i = 0; i < 30; i++) {
      call(remote, "pending", [{ ...hunk, oldText: `line ${i + 1}\n`, newText: `${i}\n` }], `t${i}`);
      await settled();
    }
    const waiting = clock.pendingTimers;
    session.dispose();
    await settled();
    assert.equal(documents.reads, 20);
    assert.ok(clock.pendingTimers < waiting);
  });
});
