// The usage of all sessions: its periods, and its file.
import assert from "node:assert/strict";
import type { SessionEntry } from "../../src/library/sessionEntry.ts";
import type { UsageRow } from "../../src/library/sessionUsage.ts";
import { usageCsv, usageView } from "../../src/library/usageReport.ts";

const now = new Date(2026, 0, 31, 12).getTime();
const row = (day: string, model: string, tokens: number, ...costs: UsageRow["costs"]): UsageRow => ({
  ...{ day, model, turns: 1, input: 0, output: 0, tokens },
  costs,
});
const entry = (agentName: string, ...usage: readonly UsageRow[]): SessionEntry => ({
  ...{ id: agentName, agent: "a", agentName, folder: "/w", title: "T", updated: 1, status: "idle" },
  usage,
});
const entries = [
  entry("A", row("2026-01-31", "m", 5, { amount: 1, currency: "USD" }, { amount: 2, currency: "EUR" })),
  entry("B", row("2026-01-25", "m", 7), row("2026-01-24", "n", 11), row("2025-12-31", "n", 13)),
];

describe("the report of usage", () => {
  it("contains the days of the period", () => {
    const tokens = (["today", "week", "month", "all"] as const).map(
      period => usageView(entries, period, now).total.tokens,
    );
    assert.deepEqual(tokens, [5, 12, 23, 36]);
  });

  it("has the latest day and the most tokens first", () => {
    const { days, agents, models } = usageView(entries, "all", now);
    assert.deepEqual(
      [days, agents, models].map(lines => lines.map(({ name, tokens }) => [name, tokens])),
      [
        [
          ["2026-01-31", 5],
          ["2026-01-25", 7],
          ["2026-01-24", 11],
          ["2025-12-31", 13],
        ],
        [
          ["B", 31],
          ["A", 5],
        ],
        [
          ["n", 24],
          ["m", 12],
        ],
      ],
    );
  });

  it("is CSV with the counts once, and a line for each further currency", () => {
    assert.equal(
      usageCsv(entries, "week", now),
      [
        "day,agent,model,turns,input tokens,output tokens,tokens,cost,currency",
        "2026-01-25,B,m,1,0,0,7,,",
        "2026-01-31,A,m,1,0,0,5,2,EUR",
        "2026-01-31,A,m,,,,,1,USD",
        "",
      ].join("\r\n"),
    );
  });

  it("quotes cells of CSV, and makes formulas inert", () => {
    const hostile = ['=cmd|"/c calc"!A1', "+1", "-1", "@sum", "\t=1", "a,b\nc"].map(model =>
      entry(model, row("2026-01-31", model, 1)),
    );
    const csv = usageCsv(hostile, "today", now);
    for (const cell of [`"'=cmd|""/c calc""!A1"`, "'+1", "'-1", "'@sum", "'\t=1", '"a,b\nc"'])
      assert.ok(csv.includes(`\n2026-01-31,${cell},${cell},1,`), cell);
  });
});
