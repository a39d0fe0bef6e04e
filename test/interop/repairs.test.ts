import assert from "node:assert/strict";
import { nextRepairCall, repairOf, reportedErrors } from "./repairs.mjs";
import { toolTable, type ToolRun } from "./toolRuns.ts";

const error = {
  ...{ path: "/ws/a.ts", line: 3, column: 7, code: "18048" },
  message: "'found' is possibly 'undefined'.",
};
const asText = "1 error.\n/ws/a.ts:3:7 error: 'found' is possibly 'undefined'. (ts 18048)";
const asStructure = JSON.stringify({
  problems: [{ ...error, severity: "error", endLine: 3, endColumn: 12, source: "ts" }],
  ...{ settled: true, notChecked: [], notReported: [], notOpened: [] },
});
const marker = { server: "parley", args: { path: "/ws" } };
const tools = [{ name: "parley_diagnostics" }, { name: "parley_apply_edits" }];
const result = (text: string, name = "parley_diagnostics"): { name: string; text: string } => ({ name, text });
/** The name and the arguments of the next call. */
const next = (...outcomes: { name: string; text: string }[]): readonly [string, object] | undefined => {
  const call = nextRepairCall(marker, outcomes, tools);
  return call && [call.name, call.args];
};

describe("the repairs of the scripted model", () => {
  it("come from the result of the tool, as its text, as its structure and as both", () => {
    const both = `<context>\n${asStructure}\n${asText}\n</context>`;
    for (const text of [asText, asStructure, both])
      assert.deepEqual(
        reportedErrors(text).map(({ path, line, column, message, code }) => ({ path, line, column, message, code })),
        [error],
      );
    const at = { path: "/ws/a.ts", line: 3, column: 7, endLine: 3, endColumn: 12 };
    assert.deepEqual(repairOf(error), { ...at, oldText: "found", newText: "found?" });
    assert.equal(repairOf({ ...error, code: "2345" }), undefined);
    assert.equal(repairOf({ ...error, message: "Another message." }), undefined);
  });

  it("are made only after the tool has reported an error, and checked again afterwards", () => {
    assert.deepEqual(next(result("Edited.", "edit")), ["diagnostics", { path: "/ws" }]);
    assert.equal(next(result("Edited.", "edit"), result(asText))?.[0], "apply_edits");
    assert.equal(next(result(asText), result("Changed 1 file.", "parley_apply_edits"))?.[0], "diagnostics");
    assert.equal(next(result("No problems.")), undefined);
    assert.equal(nextRepairCall(marker, [result("Edited.", "edit")], [{ name: "edit" }]), undefined);
  });

  it("show a file that no language server has checked, once, and ask again a few times while more may come", () => {
    const unchecked = result("No problems are known so far.\nNo language server has checked /ws/b.ts.\nMany check…");
    assert.deepEqual(next(unchecked), ["show_to_user", { path: "/ws/b.ts" }]);
    const shown = result("The user sees it.", "parley_show_to_user");
    assert.equal(next(unchecked, shown)?.[0], "diagnostics");
    assert.equal(next(unchecked, shown, unchecked)?.[0], "diagnostics");
    assert.equal(next(unchecked, shown, unchecked, unchecked, unchecked), undefined);
  });

  it("are listed with the figures without the tools and with them", () => {
    const run = (errors: string[], calls: number): ToolRun => ({ errors, calls, editorCalls: 1, requests: calls + 1 });
    const task = { kind: "Null", without: run(["18048"], 2), with: run([], 7) };
    const table = toolTable({ agent: "Agent", spec: "@x/agent@1.2.3", day: "2026-11-20", tasks: [task, task] });
    assert.match(table, /^Run on 2026-11-20 with Agent 1\.2\.3\./);
    assert.match(table, /\| Null \| 18048 \| 1 → 0 \| 2 → 7 \| 1 → 1 \| 3 → 8 \|/);
    assert.match(table, /\| All 2 \| +\| 2 → 0 \| 4 → 14 \| 2 → 2 \| 6 → 16 \|/);
  });
});
