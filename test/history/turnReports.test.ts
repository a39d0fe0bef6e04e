// When the tool calls of a turn ran that name a file, also those that report after the turn.
import assert from "node:assert/strict";
import type { SessionEvent } from "../../src/session/events.ts";
import { TurnReports } from "../../src/history/turnReports.ts";
import { FedEvents } from "../support/fakes/fedEvents.ts";

const path = "/folder/a.txt";
const minute = 60_000;

type ToolPatch = Extract<SessionEvent, { type: "tool" }>["patch"];

/** Reports, and a function that feeds an update of a tool call at a time. */
function fed(): { readonly reports: TurnReports; readonly tool: (at: number, patch: ToolPatch, id?: string) => void } {
  const reports = new TurnReports();
  let now = 0;
  const events = new FedEvents(() => ({ observe: (event, _, after) => void reports.observe(event, after, now) }));
  const tool = (at: number, patch: ToolPatch, toolCallId = "t1"): void => {
    now = at;
    events.feed({ type: "tool", toolCallId, patch });
  };
  return { reports, tool };
}

describe("a tool call that names a file", () => {
  const running = { kind: "edit", status: "in_progress", locations: [{ path }] } as const;

  it("can have written it from its first report until its end", () => {
    const { reports, tool } = fed();
    tool(10 * minute, running);
    assert.ok(reports.isRunning(path, 20 * minute));
    assert.ok(reports.ranAt(path, 15 * minute, 20 * minute));
    assert.ok(!reports.ranAt(path, 9 * minute, 20 * minute));
    tool(21 * minute, { status: "completed" });
    assert.ok(reports.ranAt(path, 15 * minute, 30 * minute));
    assert.ok(!reports.ranAt(path, 22 * minute, 30 * minute));
    assert.ok(!reports.isRunning(path, 22 * minute));
    assert.ok(!reports.ranAt("/folder/b.txt", 15 * minute, 30 * minute));
  });

  it("can have written it shortly before its only report", () => {
    const { reports, tool } = fed();
    tool(10 * minute, { ...running, status: "completed" });
    assert.ok(reports.ranAt(path, 10 * minute - 1000, 10 * minute));
    assert.ok(!reports.ranAt(path, 9 * minute, 10 * minute));
    assert.ok(!reports.ranAt(path, 10 * minute + 1000, 11 * minute));
  });

  it("counts as ended with its turn, unless it reports again", () => {
    const { reports, tool } = fed();
    tool(10 * minute, running);
    reports.turnEnded(12 * minute);
    assert.ok(reports.isLeft(path));
    assert.ok(!reports.isRunning(path, 20 * minute));
    assert.ok(!reports.ranAt(path, 15 * minute, 20 * minute));
    tool(21 * minute, { status: "completed" });
    assert.ok(!reports.isLeft(path));
    assert.ok(reports.ranAt(path, 15 * minute, 21 * minute));
  });

  it("has written nothing if it reads", () => {
    const { reports, tool } = fed();
    tool(10 * minute, { ...running, kind: "read" });
    assert.ok(reports.isNamed(path));
    assert.ok(!reports.isRunning(path, 11 * minute));
    assert.ok(!reports.ranAt(path, 10 * minute, 11 * minute));
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
});
