import assert from "node:assert/strict";
import type { Cut } from "./cutTurns.ts";
import { daemonTable } from "./daemonTable.ts";

describe("the table of agents on servers", () => {
  const cut = (at: number, took: number, more: Partial<Cut> = {}): Cut => ({
    ...{ at, took, goesOn: "loaded", isEdited: false, repeats: false },
    ...more,
  });

  it("counts what was left of the sessions for each transport", () => {
    const whole = { messages: 3, opened: 1000, took: 2000 };
    const cuts = [
      cut(1, 4000, { failure: "hung\nhere", goesOn: undefined }),
      cut(2, 1000),
      cut(3, 2000, { isEdited: true }),
    ];
    const table = daemonTable([
      {
        ...{ agent: "Agent", spec: "@a/agent@1.2.3", day: "2026-11-20" },
        transports: [
          { ...whole, kind: "ws", cuts, restart: cut(0, 3000) },
          {
            ...whole,
            kind: "http",
            cuts: [cut(1, 1000, { goesOn: "attached" })],
            restart: cut(0, 1, { failure: "no" }),
          },
        ],
      },
    ]);
    assert.match(table, /^Run on 2026-11-20 with Agent 1\.2\.3\./);
    for (const row of [
      "|  | WebSocket | Streamable HTTP |",
      "| Cuts, one for each message of the turn | 3 | 1 |",
      "| Session usable afterwards | 2 | 1 |",
      "| The agent loaded the session | 2 | 0 |",
      "| New session, with the conversation attached | 0 | 1 |",
      "| File edited by the cut turn | 1 | 0 |",
      "| Cut to end of the next turn (median) | 2.0 s | 1.0 s |",
      "| Cut to end of the next turn (longest) | 4.0 s | 1.0 s |",
      "| Restart of the server after the turn | ok, 3.0 s, loaded | **differs**: no |",
    ])
      assert.ok(table.split("\n").includes(row), `${row}\n${table}`);
  });
});
