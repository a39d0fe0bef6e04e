import assert from "node:assert/strict";
import fc from "fast-check";
import type { SessionEvent, ToolFields } from "../../src/session/events.ts";
import {
  changedLines,
  editedLines,
  lineSpanOf,
  shiftLines,
  LocationTracker,
  type LineSpan,
  type AgentLocation,
  type Replacement,
} from "../../src/follow/agentLocations.ts";
import { FedEvents } from "../support/fakes/fedEvents.ts";

/** A tracker that gets events with the states around them, as in a session. */
class FedTracker extends LocationTracker {
  readonly #events = new FedEvents(() => ({
    stateChanged: (before, after) => this.stateChanged(before, after),
    observe: (event, before, after) => this.observe(event, before, after),
  }));

  feed(event: SessionEvent): readonly AgentLocation[] {
    return this.#events.feed(event);
  }
}

const tool = (patch: Partial<ToolFields>, toolCallId = "t1", parent?: string): SessionEvent => ({
  type: "tool",
  toolCallId,
  patch,
  ...(parent !== undefined && { parent }),
});

describe("LocationTracker", () => {
  const rows: readonly (readonly [title: string, patch: Partial<ToolFields>, places: readonly AgentLocation[]])[] = [
    ["a read", { kind: "read", locations: [{ path: "/a", line: 3 }] }, [{ path: "/a", line: 3, doing: "read" }]],
    [
      "an edit in progress",
      { kind: "edit", status: "in_progress", locations: [{ path: "/a" }] },
      [{ path: "/a", doing: "edit" }],
    ],
    [
      "an edit that may be refused as a read",
      { kind: "edit", status: "pending", locations: [{ path: "/a" }] },
      [{ path: "/a", doing: "read" }],
    ],
    ["no location in a failed edit", { kind: "edit", status: "failed", locations: [{ path: "/a" }] }, []],
    [
      "the latest of several locations last",
      { kind: "search", locations: [{ path: "/a" }, { path: "/b", line: 0 }] },
      [
        { path: "/a", doing: "read" },
        { path: "/b", line: 0, doing: "read" },
      ],
    ],
    [
      "a diff with its change",
      { status: "completed", content: [{ type: "diff", path: "/a", oldText: "1", newText: "2" }] },
      [{ path: "/a", doing: "edit", change: { oldText: "1", newText: "2" } }],
    ],
    [
      "a diff and its location as one",
      {
        kind: "edit",
        status: "completed",
        locations: [{ path: "/a", line: 9 }],
        content: [{ type: "diff", path: "/a", newText: "2" }],
      },
      [{ path: "/a", line: 9, doing: "edit", change: { newText: "2" } }],
    ],
    [
      "a deleted file without a change",
      { status: "completed", content: [{ type: "diff", path: "/a", oldText: "1", newText: "", deleted: true }] },
      [{ path: "/a", doing: "edit" }],
    ],
    [
      "the files of a list of changes",
      { status: "completed", content: [{ type: "changes", changes: [{ operation: "add", path: "/a" }] }] },
      [{ path: "/a", doing: "edit" }],
    ],
    [
      "a linked file, with its line",
      {
        content: [
          { type: "content", content: { type: "link", uri: "file:///w/a%20b.ts#L12", name: "a b" } },
          { type: "content", content: { type: "link", uri: "https://example.com/a.ts", name: "web" } },
          { type: "content", content: { type: "link", uri: "file://%zz", name: "broken" } },
        ],
      },
      [{ path: "/w/a b.ts", line: 12, doing: "read" }],
    ],
    ["no location in a call that names no file", { kind: "think", status: "in_progress", title: "Think" }, []],
  ];
  for (const [title, patch, places] of rows) {
    it(`finds ${title}`, () => assert.deepEqual(new FedTracker("/w").feed(tool(patch)), places));
  }

  it("reports an edit again when it completes, and a read once", () => {
    const trail = new FedTracker("/w");
    trail.feed(tool({ kind: "edit", status: "pending", locations: [{ path: "/a", line: 2 }] }));
    trail.feed(tool({ kind: "read", status: "pending", locations: [{ path: "/b", line: 2 }] }, "t2"));
    assert.deepEqual(trail.feed(tool({ status: "completed" })), [{ path: "/a", line: 2, doing: "edit" }]);
    assert.deepEqual(trail.feed(tool({ status: "completed" }, "t2")), []);
  });

  it("accepts content that arrives in chunks", () => {
    const trail = new FedTracker("/w");
    trail.feed(tool({ kind: "edit", status: "in_progress" }));
    const content = { type: "diff", path: "/a", newText: "x" } as const;
    assert.deepEqual(trail.feed({ type: "toolChunk", toolCallId: "t1", content }), [
      { path: "/a", doing: "edit", change: { newText: "x" } },
    ]);
    assert.deepEqual(trail.feed({ type: "toolChunk", toolCallId: "none", content }), []);
  });

  it("attributes later updates to the sub-agent of the call", () => {
    const trail = new FedTracker("/w");
    trail.feed(tool({ kind: "edit", status: "pending" }, "t1", "task"));
    assert.deepEqual(trail.feed(tool({ status: "in_progress", locations: [{ path: "/a" }] })), [
      { path: "/a", doing: "edit", parent: "task" },
    ]);
  });

  describe("attributes a request", () => {
    const trail = (): FedTracker => {
      const made = new FedTracker("/w");
      made.feed(tool({ kind: "other", status: "in_progress" }, "task"));
      made.feed(tool({ kind: "read", status: "in_progress", locations: [{ path: "/sub" }] }, "t1", "task"));
      made.feed(tool({ kind: "edit", status: "in_progress", locations: [{ path: "/main" }] }, "t2"));
      return made;
    };
    it("to the sub-agent whose call names the file", () => {
      assert.deepEqual(trail().readLocation({ path: "/sub", line: 4, limit: 2 }), {
        path: "/sub", line: 4, count: 2, doing: "read", parent: "task",
      }); // prettier-ignore
    });
    it("to the main agent if its call names the file", () => {
      assert.deepEqual(trail().writeLocation("/main"), { path: "/main", doing: "edit" });
    });
    it("to a sub-agent while one works and no call names the file", () => {
      assert.deepEqual(trail().writeLocation("/new"), { path: "/new", doing: "edit", parent: "task" });
    });
    it("to the main agent after the sub-agent's calls or the turn have ended", () => {
      const ended = trail();
      ended.feed(tool({ status: "completed" }, "t1"));
      assert.equal(ended.readLocation({ path: "/new" }).parent, undefined);
      const over = trail();
      over.feed({ type: "activity", state: "idle" });
      assert.equal(over.readLocation({ path: "/sub" }).parent, undefined);
    });
  });

  describe("with a command's output", () => {
    const output = (text: string): SessionEvent => ({ type: "terminalOutput", terminalId: "x", text });
    const stack = "    at sum (src/sum.js:6:3)\n    at main.js:4:10\n";
    const guessed = { doing: "read", guessed: true } as const;

    it("visits the locations in it, the first of them last, resolved against the command's working folder", () => {
      const trail = new FedTracker("/w");
      assert.deepEqual(trail.feed(output(stack)), [
        { path: "/w/main.js", line: 4, ...guessed },
        { path: "/w/src/sum.js", line: 6, ...guessed },
      ]);
      assert.deepEqual(trail.feed({ type: "terminal", terminalId: "x", cwd: "/w/sub", output: "a.js:1" }), [
        { path: "/w/sub/a.js", line: 1, ...guessed },
      ]);
      assert.deepEqual(
        trail.feed(output(stack)).map(({ path }) => path),
        ["/w/sub/main.js", "/w/sub/src/sum.js"],
      );
    });

    it("finds the sub-agent by the call that shows the terminal", () => {
      const trail = new FedTracker("/w");
      trail.feed(tool({ kind: "execute", content: [{ type: "terminal", terminalId: "x" }] }, "t1", "task"));
      assert.equal(trail.feed(output("a.js:1"))[0]?.parent, "task");
    });
  });

  it("treats a limit of zero as one line", () => {
    assert.equal(new FedTracker("/w").readLocation({ path: "/a", limit: 0 }).count, 1);
  });

  it("reports at most twenty locations at once, and the latest of them", () => {
    const locations = Array.from({ length: 500 }, (_, i) => ({ path: `/${i}` }));
    const places = new FedTracker("/w").feed(tool({ kind: "search", locations }));
    assert.deepEqual([places.length, places.at(-1)?.path], [20, "/499"]);
  });
});

describe("lineSpanOf", () => {
  const at = (line: number, count?: number): AgentLocation => ({
    path: "/a",
    doing: "read",
    line,
    ...(count !== undefined && { count }),
  });
  const rows: readonly (readonly [place: AgentLocation, lineCount: number, lines: LineSpan | undefined])[] = [
    [at(1), 10, { first: 0, last: 0 }],
    [at(0), 10, { first: 0, last: 0 }],
    [at(10), 10, { first: 9, last: 9 }],
    [at(11), 10, { first: 9, last: 9 }],
    [at(1e300), 10, { first: 9, last: 9 }],
    [at(-5), 10, { first: 0, last: 0 }],
    [at(Number.NaN), 10, { first: 0, last: 0 }],
    [at(3, 2), 10, { first: 2, last: 3 }],
    [at(9, 50), 10, { first: 8, last: 9 }],
    [at(3), 0, { first: 0, last: 0 }],
    [{ path: "/a", doing: "read" }, 10, undefined],
  ];
  for (const [place, lineCount, lines] of rows) {
    it(`for line ${place.line} with count ${place.count ?? 1} of ${lineCount} lines is ${JSON.stringify(lines)}`, () => {
      assert.deepEqual(lineSpanOf(place, lineCount), lines);
    });
  }
  it("prefers the lines of the change over the reported line", () => {
    const place: AgentLocation = { ...at(1), change: { oldText: "b", newText: "B" } };
    assert.deepEqual(
      lineSpanOf(place, 3, () => "a\nB\nc"),
      { first: 1, last: 1 },
    );
    assert.deepEqual(
      lineSpanOf(place, 3, () => "nothing\nof\nit"),
      { first: 0, last: 0 },
    );
  });
});

describe("changedLines", () => {
  const rows: readonly (readonly [
    title: string,
    text: string,
    old: string | undefined,
    now: string,
    LineSpan | undefined,
  ])[] = [
    ["of a fragment in the text", "a\nb\nX\nd", "c", "X", { first: 2, last: 2 }],
    ["of a fragment that is about to be inserted", "a\nb\nc\nd", "c", "X", { first: 2, last: 2 }],
    ["of a whole file", "a\nX\nY\nd", "a\nb\nd", "a\nX\nY\nd", { first: 1, last: 2 }],
    ["of a new file", "a\nb", undefined, "a\nb", { first: 0, last: 1 }],
    ["of lines deleted from a fragment", "a\nd", "a\nb\nc\nd", "a\nd", { first: 1, last: 1 }],
    ["with other line endings", "a\r\nX\r\nc", "b\n", "X\n", { first: 1, last: 1 }],
    ["of a line that other lines contain", "line 1\nline 10\nX 1\nX 10", "line 1\n", "X 1", { first: 2, last: 2 }],
    ["of a last line without its line feed", "a\nb", "b\n", "X\n", { first: 1, last: 1 }],
    ["but not of a text that occurs twice", "X\nX", "b", "X", undefined],
    ["but not of a missing text", "a\nb", "q", "r", undefined],
    ["but not of an empty text", "a\nb", "", "", undefined],
  ];
  for (const [title, text, oldText, newText, lines] of rows) {
    it(`finds the lines ${title}`, () => {
      assert.deepEqual(changedLines(text, { newText, ...(oldText !== undefined && { oldText }) }), lines);
    });
  }
  it("does not search for texts of megabytes", () => {
    const newText = "x".repeat(1_000_001);
    assert.equal(changedLines(newText, { newText }), undefined);
  });
});

/** Replacements of whole lines in a text with this number of lines. */
const replacements = (lineCount: number): fc.Arbitrary<readonly Replacement[]> =>
  fc
    .uniqueArray(fc.nat(lineCount), { maxLength: 6 })
    .chain(cuts => {
      const sorted = cuts.sort((a, b) => a - b);
      const pairs = sorted.flatMap((start, i) => (i % 2 === 0 ? [{ start, end: sorted[i + 1] ?? start }] : []));
      return fc.tuple(fc.constant(pairs), fc.array(fc.nat(3), { minLength: pairs.length, maxLength: pairs.length }));
    })
    .map(([pairs, counts]) =>
      pairs.map(({ start, end }, i) => ({
        start: { line: start, character: 0 },
        end: { line: end, character: 0 },
        text: "new\n".repeat(counts[i] ?? 0),
      })),
    );

function applied(lines: readonly string[], changes: readonly Replacement[]): readonly string[] {
  const result = [...lines];
  for (const { start, end, text } of [...changes].sort((a, b) => b.start.line - a.start.line)) {
    result.splice(start.line, end.line - start.line, ...text.split("\n").slice(0, -1));
  }
  return result;
}

describe("replacements in a document", () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i}`);

  it("are marked where the new lines are", () => {
    fc.assert(
      fc.property(replacements(20), changes => {
        const after = applied(before, changes);
        const touched = new Set(
          editedLines(changes.filter(({ text }) => text !== "")).length === changes.length
            ? editedLines(changes).flatMap(({ first, last }) =>
                Array.from({ length: last - first + 1 }, (_, i) => first + i),
              )
            : [],
        );
        if (touched.size === 0) return;
        after.forEach((line, at) => assert.equal(touched.has(at), line === "new", `${at} of ${after.join("|")}`));
      }),
    );
  });

  it("move a line that they do not touch, wherever they are", () => {
    fc.assert(
      fc.property(replacements(20), fc.nat(19), (changes, at) => {
        const after = applied(before, changes);
        const now = after.indexOf(`line ${at}`);
        if (now < 0) return;
        assert.deepEqual(shiftLines({ first: at, last: at }, changes), { first: now, last: now });
      }),
    );
  });

  it("mark the line they are in, and at the end of a line the inserted lines", () => {
    const within: Replacement = { start: { line: 4, character: 2 }, end: { line: 4, character: 5 }, text: "word" };
    const behind: Replacement = { start: { line: 9, character: 7 }, end: { line: 9, character: 7 }, text: "\nx\ny" };
    assert.deepEqual(editedLines([behind, within]), [
      { first: 4, last: 4 },
      { first: 10, last: 11 },
    ]);
  });
});
