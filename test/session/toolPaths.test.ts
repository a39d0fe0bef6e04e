import assert from "node:assert/strict";
import type { SessionEvent, ToolFields } from "../../src/session/events.ts";
import { newPathsIn, pathsOf, type PathSource } from "../../src/session/toolPaths.ts";

const call: Partial<ToolFields> = {
  locations: [{ path: "/place", line: 3 }, { path: "/diff" }],
  content: [
    { type: "diff", path: "/diff", newText: "" },
    { type: "terminal", terminalId: "1" },
    {
      type: "changes",
      changes: [
        { operation: "modify", path: "/changed" },
        { operation: "move", path: "/to", oldPath: "/from" },
        { operation: "copy", path: "/copy", oldPath: "/original" },
      ],
    },
  ],
  rawInput: { path: "/raw" },
};

describe("pathsOf", () => {
  const rows: readonly (readonly [sources: readonly PathSource[], paths: readonly string[]])[] = [
    [["locations"], ["/place", "/diff"]],
    [["diffs"], ["/diff", "/changed", "/to", "/copy"]],
    [["moves"], ["/from"]],
    [["origins"], ["/from", "/original"]],
    [
      ["locations", "diffs", "moves"],
      ["/place", "/diff", "/diff", "/changed", "/to", "/from", "/copy"],
    ],
    [[], []],
  ];
  for (const [sources, paths] of rows) {
    it(`takes ${sources.join(", ") || "nothing"}`, () => assert.deepEqual(pathsOf(call, ...sources), paths));
  }

  it("takes nothing from fields that are cleared", () => {
    assert.deepEqual(pathsOf({ locations: null, content: null }, "locations", "diffs"), []);
  });
});

describe("newPathsIn", () => {
  it("takes the paths of an update and of a piece of content, and none of other events", () => {
    const events: readonly SessionEvent[] = [
      { type: "tool", toolCallId: "t", patch: { locations: [{ path: "/a" }] } },
      { type: "toolChunk", toolCallId: "t", content: { type: "diff", path: "/b", newText: "" } },
      { type: "activity", state: "idle" },
    ];
    assert.deepEqual(
      events.map(event => newPathsIn(event, "locations", "diffs")),
      [["/a"], ["/b"], []],
    );
  });
});
