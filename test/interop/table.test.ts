import assert from "node:assert/strict";
import { agents } from "./agents.ts";
import type { Result } from "./run.ts";
import { table } from "./table.ts";

describe("the table of the tests with real agents", () => {
  const [agent] = agents;
  assert.ok(agent);
  const result = (fields: Partial<Result>): Result => ({
    agent: agent.id,
    name: "Agent",
    spec: "agent@1.0.0",
    scenario: "plain",
    title: "Plain answer",
    opened: 1000,
    took: 500,
    remarks: [],
    ...fields,
  });
  const results = [
    result({}),
    result({ scenario: "stop", title: "Stop", failure: "It went on." }),
    result({ scenario: "list", title: "List", impossible: "The agent has no list." }),
  ];

  it("counts every cell, also those of the tests in VS Code", () => {
    const panel = [{ title: "the panel streams, asks before an edit: Agent", state: "failed", ms: 1 }];
    const [summary] = table({ results, panel, day: "2026-11-20" }).split("\n");
    const tried = agent.noTerminalSignIn === undefined ? 5 : 4;
    assert.equal(
      summary,
      `Run on 2026-11-20: 1 of ${tried} ok. ${6 - tried} cells cannot be tried, for the reason that they state.`,
    );
  });
});
