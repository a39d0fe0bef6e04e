// When the tool calls of a turn ran that name a file, also those that report after the turn.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { isReportedAt } from "../../src/history/author.ts";
import { TurnReports } from "../../src/history/turnReports.ts";
import { FedEvents } from "../support/fakes/fedEvents.ts";

const path = "/folder/a.txt";
const minute = 60_000;

type ToolPatch = Extract<SessionEvent, { type: "tool" }>["patch"];

/** Reports, and a function that feeds an update of a tool call at a time. */
function fed() {
  const reports = new TurnReports();
  let now = 0;
  const events = new FedEvents(() => ({
    stateChanged: (_, after) => reports.stateChanged(after, now),
    observe: (event, _, after) => void reports.observe(event, after, now),
  }));
  const tool = (at: number, patch: ToolPatch, toolCallId = "t1"): void => {
    now = at;
    events.feed({ type: "tool", toolCallId, patch });
  };
  const feed = (at: number, event: SessionEvent): void => {
    now = at;
    events.feed(event);
  };
  return { reports, tool, feed };
}

/** Whether a call that names the file ran at the time. */
const ranAt = (reports: TurnReports, file: string, time: number): boolean =>
  isReportedAt({
    time,
    turns: [{ turn: "t", ran: { from: 0 }, calls: reports.callsFor(file), isEarlier: false, canBeReported: true }],
  });

describe("a tool call that names a file", () => {
  const running = { kind: "edit", status: "in_progress", locations: [{ path }] } as const;

  it("can have written it from its first report until its end", () => {
    const { reports, tool } = fed();
    tool(10 * minute, running);
    assert.ok(reports.isRunning(path, 20 * minute));
    assert.ok(ranAt(reports, path, 15 * minute));
    assert.ok(!ranAt(reports, path, 9 * minute));
    tool(21 * minute, { status: "completed" });
    assert.ok(ranAt(reports, path, 15 * minute));
    assert.ok(!ranAt(reports, path, 22 * minute));
    assert.ok(!reports.isRunning(path, 22 * minute));
    assert.ok(!ranAt(reports, "/folder/b.txt", 15 * minute));
  });

  it("can have written it shortly before its only report", () => {
    const { reports, tool } = fed();
    tool(10 * minute, { ...running, status: "completed" });
    assert.ok(ranAt(reports, path, 10 * minute - 1000));
    assert.ok(!ranAt(reports, path, 9 * minute));
    assert.ok(!ranAt(reports, path, 10 * minute + 1000));
  });

  it("counts as ended with its turn, unless it reports again", () => {
    const { reports, tool } = fed();
    tool(10 * minute, running);
    reports.turnEnded(12 * minute);
    assert.ok(reports.isLeft(path));
    assert.ok(!reports.isRunning(path, 20 * minute));
    assert.ok(!ranAt(reports, path, 15 * minute));
    tool(21 * minute, { status: "completed" });
    assert.ok(!reports.isLeft(path));
    assert.ok(ranAt(reports, path, 15 * minute));
  });

  it("has written nothing if it reads", () => {
    const { reports, tool } = fed();
    tool(10 * minute, { ...running, kind: "read" });
    assert.ok(reports.isNamed(path));
    assert.ok(!reports.isRunning(path, 11 * minute));
    assert.ok(!ranAt(reports, path, 10 * minute));
  });

  it("is found by each path that leads to the file, with the edits in the order of the calls", () => {
    const { reports, tool } = fed();
    const edit = (given: string, oldText: string, newText: string): ToolPatch => ({
      ...running,
      locations: [{ path: given }],
      content: [{ type: "diff", path: given, oldText, newText }],
    });
    reports.setResolvedPath("/link/a.txt", path);
    tool(10 * minute, edit(path, "one", "two"), "t1");
    tool(11 * minute, edit("/link/a.txt", "two", "three"), "t2");
    tool(12 * minute, edit(path, "three", "four"), "t3");
    assert.ok(reports.isNamed(path));
    assert.ok(!reports.isNamed("/link/a.txt"));
    assert.deepEqual(reports.paths(), [path, "/link/a.txt"]);
    assert.equal(reports.before(path, "four"), "one");
    assert.ok(reports.containsReportedEdit(path, "three"));
    assert.ok(!reports.containsReportedEdit(path, "five"));
  });

  it("does not run while it waits for the user, also for a question of Parley that names no call", () => {
    for (const named of [{ toolCallId: "t1" }, {}]) {
      const { reports, tool, feed } = fed();
      tool(5 * minute, { ...running, status: "completed" }, "t0");
      tool(10 * minute, running);
      feed(12 * minute, { type: "askOpened", ask: "q", title: "Run it?", options: [], ...named });
      feed(13 * minute, { type: "askOpened", ask: "other", title: "And?", options: [], toolCallId: "t0" });
      assert.ok(ranAt(reports, path, 11 * minute));
      assert.ok(!ranAt(reports, path, 14 * minute));
      feed(15 * minute, { type: "askClosed", ask: "q", answer: { option: "yes" } });
      assert.ok(!ranAt(reports, path, 14 * minute));
      assert.ok(ranAt(reports, path, 16 * minute));
    }
  });

  it("runs nothing itself if it made other calls, as that of a sub-agent", () => {
    const { reports, tool, feed } = fed();
    tool(10 * minute, { ...running, kind: "other" }, "parent");
    assert.ok(ranAt(reports, path, 11 * minute));
    feed(12 * minute, { type: "tool", toolCallId: "child", parent: "parent", patch: { kind: "read" } });
    assert.ok(!ranAt(reports, path, 11 * minute));
  });
});
