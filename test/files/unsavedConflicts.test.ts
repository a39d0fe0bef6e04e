import assert from "node:assert/strict";
import type { SessionEvent, ToolFields } from "../../src/session/events.ts";
import { endsToolCall } from "../../src/session/toolCalls.ts";
import {
  ToolCallPaths,
  hasDiverged,
  hashBytes,
  hashText,
  isBinaryHash,
  missingFileHash,
} from "../../src/files/unsavedConflicts.ts";

const tool = (patch: Partial<ToolFields>): SessionEvent => ({ type: "tool", toolCallId: "t1", patch });

describe("the hash of a text", () => {
  const rows: readonly (readonly [about: string, one: string, other: string, same: boolean])[] = [
    ["line endings", "a\r\nb\r\n", "a\nb\n", true],
    ["old line endings", "a\rb\r", "a\nb\n", true],
    ["a byte-order mark", "\uFEFFa\n", "a\n", true],
    ["the last line's end", "a\n", "a", false],
    ["one letter", "a\n", "b\n", false],
    ["an empty line", "a\n\nb", "a\nb", false],
    ["a second byte-order mark", "\uFEFF\uFEFFa", "\uFEFFa", false],
  ];
  for (const [about, one, other, same] of rows) {
    it(`${same ? "is equal" : "differs"} when only ${about} differ${about.endsWith("s") ? "" : "s"}`, () => {
      assert.equal(hashText(one) === hashText(other), same);
    });
  }

  it("marks a binary file and a missing file", () => {
    const bytes = new TextEncoder().encode(missingFileHash);
    assert.equal(new Set([hashText(missingFileHash), hashBytes(bytes), missingFileHash]).size, 3);
    assert.equal(hashBytes(bytes), hashBytes(new TextEncoder().encode(missingFileHash)));
    assert.deepEqual([hashText(missingFileHash), hashBytes(bytes), missingFileHash].map(isBinaryHash), [
      false,
      true,
      false,
    ]);
  });
});

describe("a conflict", () => {
  const [was, users, agents] = [hashText("was\n"), hashText("user's\n"), hashText("agent's\n")];

  it("exists when the disk equals neither the last common text nor the editor", () => {
    assert.equal(hasDiverged(was, agents, users), true);
    assert.equal(hasDiverged(was, was, users), false);
    assert.equal(hasDiverged(was, users, users), false);
  });

  it("also exists when the file was deleted, or has returned", () => {
    assert.equal(hasDiverged(was, missingFileHash, users), true);
    assert.equal(hasDiverged(missingFileHash, agents, users), true);
    assert.equal(hasDiverged(missingFileHash, missingFileHash, users), false);
  });
});

describe("the end of a tool call", () => {
  it("is reached with a final status", () => {
    for (const status of ["completed", "failed", "cancelled"])
      assert.equal(endsToolCall(tool({ status })), true, status);
    for (const status of ["pending", "in_progress", "paused", "new"])
      assert.equal(endsToolCall(tool({ status })), false);
    assert.equal(endsToolCall(tool({ title: "Edit" })), false);
    assert.equal(endsToolCall({ type: "tool", toolCallId: "t1", patch: { status: null } }), false);
    assert.equal(endsToolCall({ type: "activity", state: "idle" }), false);
  });
});

describe("ToolCallPaths", () => {
  const namedBy = (...events: readonly SessionEvent[]): readonly string[] => {
    const names = new ToolCallPaths();
    for (const event of events) names.observe(event);
    return names.newestFirst();
  };

  it("finds them in locations, diffs and changes", () => {
    const named = namedBy(
      tool({ locations: [{ path: "/a" }] }),
      tool({
        content: [
          { type: "diff", path: "/b", newText: "" },
          { type: "changes", changes: [{ operation: "modify", path: "/c" }] },
          { type: "terminal", terminalId: "1" },
        ],
      }),
      { type: "toolChunk", toolCallId: "t1", content: { type: "diff", path: "/d", newText: "" } },
    );
    assert.deepEqual(named, ["/d", "/c", "/b", "/a"]);
  });

  it("moves a path to the front that is named again", () => {
    const named = namedBy(tool({ locations: [{ path: "/a" }, { path: "/b" }] }), tool({ locations: [{ path: "/a" }] }));
    assert.deepEqual(named, ["/a", "/b"]);
  });

  it("ignores events that name no file", () => {
    assert.deepEqual(
      namedBy({ type: "tool", toolCallId: "t1", patch: { locations: null } }, { type: "activity", state: "idle" }),
      [],
    );
  });

  it("forgets the oldest of very many", () => {
    const many = Array.from({ length: 2000 }, (_, index) => tool({ locations: [{ path: `/${index}` }] }));
    const named = namedBy(...many);
    assert.equal(named.length, 500);
    assert.deepEqual([named[0], named.at(-1)], ["/1999", "/1500"]);
  });
});
