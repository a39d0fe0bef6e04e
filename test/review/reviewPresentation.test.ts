import assert from "node:assert/strict";
import fc from "fast-check";
import { applyAgentEdit, lineCounts, track } from "../../src/review/fileChanges.ts";
import { type FileChanges } from "../../src/review/hunk.ts";
import type { ReviewedFile } from "../../src/review/review.ts";
import { meanwhileTurn, unknownTurn } from "../../src/history/author.ts";
import {
  countFiles,
  hunkRows,
  hunksBetween,
  hunkLenses,
  linesWithHunks,
  hunkMarks,
  adjacentHunk,
  nextFile,
  changeRows,
  reviewTargetOf,
  textBefore,
  type ChangeRow,
} from "../../src/review/reviewPresentation.ts";

const lines = (...all: readonly string[]): string => all.map(line => `${line}\n`).join("");

const base = lines("a", "b", "c", "d", "e", "f", "g", "h");

/** Line 1 changed, lines 3 and 4 removed, a line added after "g". */
const text = lines("a", "B", "c", "f", "g", "new", "h");
const changes = track(base, text, "t1");

const reviewed = (path: string, of: FileChanges, unknown?: string): ReviewedFile => ({
  path,
  changes: of,
  ...lineCounts(of),
  turns: [...new Set(of.hunks.flatMap(hunk => hunk.turns))],
  ...(unknown !== undefined && { unknown }),
});
const [changed, removed, added] = changes.hunks.map(({ id }) => id);
const ids = (first: number, last: number, side?: "base" | "text"): readonly string[] =>
  hunksBetween(changes, first, last, side).map(({ id }) => id);

describe("the marks of a review", () => {
  it("distinguish changed, removed and added lines", () => {
    assert.deepEqual(hunkMarks(changes), [
      { id: changed, kind: "changed", from: 1, to: 2 },
      { id: removed, kind: "removed", from: 3, to: 4 },
      { id: added, kind: "added", from: 5, to: 6 },
    ]);
  });

  it("are after the last line ending for lines removed there", () => {
    assert.deepEqual(
      hunkMarks(track("a\nb\n", "a\n", "t")).map(({ kind, from }) => [kind, from]),
      [["removed", 1]],
    );
  });

  it("are on the only line of a file that was created empty, or was emptied", () => {
    const created = hunkMarks(track(null, "", "t"));
    assert.deepEqual(
      created.map(({ kind, from, to }) => [kind, from, to]),
      [["added", 0, 1]],
    );
    assert.deepEqual(
      hunkMarks(track("a\nb\n", "", "t")).map(({ kind, from, to }) => [kind, from, to]),
      [["removed", 0, 1]],
    );
  });

  it("are always inside the document", () => {
    const some = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 }).map(all => all.join("\n"));
    fc.assert(
      fc.property(some, some, (before, after) => {
        const last = after.split("\n").length;
        for (const { from, to } of hunkMarks(track(before, after, "t")))
          assert.ok(from >= 0 && from < to && to <= last);
        for (const { line } of hunkLenses(track(before, after, "t"))) assert.ok(line >= 0 && line < last);
      }),
    );
  });
});

describe("the hunks of a selection", () => {
  it("are the hunks whose lines it touches", () => {
    assert.deepEqual(ids(0, 0), []);
    assert.deepEqual(ids(1, 1), [changed]);
    assert.deepEqual(ids(0, 9), [changed, removed, added]);
    assert.deepEqual(ids(2, 4), [removed]);
    assert.deepEqual(ids(4, 5), [added]);
  });

  it("include removed lines at the line after them", () => {
    assert.deepEqual(ids(3, 3), [removed]);
    assert.deepEqual(ids(2, 2), []);
  });

  it("are also found on the base's side", () => {
    assert.deepEqual(ids(3, 3, "base"), [removed]);
    assert.deepEqual(ids(4, 4, "base"), [removed]);
    assert.deepEqual(ids(7, 7, "base"), [added]);
    assert.deepEqual(ids(5, 6, "base"), []);
  });
});

describe("the lenses above hunks", () => {
  it("show the number of lines of each hunk, and its position in the file", () => {
    assert.deepEqual(hunkLenses(changes), [
      { id: changed, line: 1, added: 1, removed: 1, position: 1, count: 3 },
      { id: removed, line: 3, added: 0, removed: 2, position: 2, count: 3 },
      { id: added, line: 5, added: 1, removed: 0, position: 3, count: 3 },
    ]);
  });

  it("are absent for a deleted file", () => assert.deepEqual(hunkLenses(track("a\n", null, "t")), []));

  it("provide the lines for the line number menu, up to a limit", () => {
    assert.deepEqual(linesWithHunks(changes), [1, 3, 5]);
    assert.equal(linesWithHunks(track(null, "x\n".repeat(20_000), "t")).length, 5000);
  });
});

describe("the next change", () => {
  const files = [
    reviewed("/w/a", changes),
    reviewed("/w/b", track("x\n", "y\n", "t1")),
    reviewed("/w/c", track("", "", "t1"), "Nothing is known."),
  ];
  const to = (path: string, line: number, direction: "next" | "previous"): string => {
    const stop = adjacentHunk(files, { path, line }, direction);
    return `${stop?.path} ${stop?.path === "/w/a" ? [changed, removed, added].indexOf(stop.id) : ""}`.trim();
  };

  it("is the next in the file, then in the following files, and wraps around", () => {
    assert.equal(to("/w/a", 0, "next"), "/w/a 0");
    assert.equal(to("/w/a", 1, "next"), "/w/a 1");
    assert.equal(to("/w/a", 3, "next"), "/w/a 2");
    assert.equal(to("/w/a", 5, "next"), "/w/b");
    assert.equal(to("/w/b", 0, "next"), "/w/a 0");
  });

  it("is found backwards in the same way", () => {
    assert.equal(to("/w/a", 6, "previous"), "/w/a 2");
    assert.equal(to("/w/a", 5, "previous"), "/w/a 1");
    assert.equal(to("/w/a", 1, "previous"), "/w/b");
    assert.equal(to("/w/b", 0, "previous"), "/w/a 2");
  });

  it("is the first from a file without changes, or from no file", () => {
    assert.equal(to("/w/aa", 9, "next"), "/w/b");
    assert.equal(to("/w/z", 0, "next"), "/w/a 0");
    assert.equal(adjacentHunk(files, undefined, "previous")?.path, "/w/a");
    assert.equal(adjacentHunk(files.slice(2), undefined, "next"), undefined);
    assert.equal(adjacentHunk([], { path: "/w/a", line: 0 }, "next"), undefined);
  });

  it("of the next file is its first, and wraps around; without another file there is none", () => {
    assert.equal(nextFile(files, "/w/a")?.path, "/w/b");
    assert.deepEqual(nextFile(files, "/w/b"), { path: "/w/a", id: changed });
    assert.equal(nextFile(files)?.path, "/w/a");
    assert.equal(nextFile(files.slice(1), "/w/b"), undefined);
  });

  it("is the same change if there is only one", () => {
    assert.equal(adjacentHunk(files.slice(1, 2), { path: "/w/b", line: 0 }, "next")?.path, "/w/b");
  });
});

describe("the text before some hunks", () => {
  it("contains the other hunks", () => {
    assert.equal(
      textBefore(changes, ({ id }) => id === removed),
      lines("a", "B", "c", "d", "e", "f", "g", "new", "h"),
    );
  });

  it("is the base before all hunks, and the text before none", () => {
    const some = fc.option(
      fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 8 }).map(all => all.join("\n")),
      { nil: null },
    );
    fc.assert(
      fc.property(some, some, (before, after) => {
        const any = track(before, after, "t");
        assert.equal(
          textBefore(any, () => true),
          before,
        );
        if (any.hunks.length > 0)
          assert.equal(
            textBefore(any, () => false),
            after,
          );
      }),
    );
  });
});

describe("the tree of changes", () => {
  const later = applyAgentEdit(changes, text.replace("h\n", "H\n").replace("new\n", "new\nsame\n"), "t2");
  const files = [
    reviewed("/w/a", later),
    reviewed("/w/b", track("x\n", "y\n", "t2")),
    reviewed("/w/c", track("", "", "t3"), "Nothing is known."),
  ];
  const turns = [
    { id: "t1", title: "First" },
    { id: "t2", title: "Second" },
  ];

  const pathsOf = (row: ChangeRow): unknown => {
    if (row.kind === "session") return row.rows.map(pathsOf);
    return row.kind === "turn" ? row.files.map(({ file }) => file.path) : row.file.path;
  };

  it("groups by session if there are several, each with its turns, and the unknown agent last", () => {
    const session = (id: string, title: string): { session: { id: string; title: string } } => ({
      session: { id, title },
    });
    const more = [reviewed("/w/d", track("", "x", unknownTurn)), reviewed("/w/e", track("", "x", "t3"))];
    const both = [...more, ...files];
    const named = [
      { id: unknownTurn, title: "" },
      { id: "t1", title: "First", ...session("a", "Session A") },
      { id: "t2", title: "Second", ...session("b", "Session B") },
      { id: "t3", title: "Third", ...session("b", "Renamed") },
    ];
    const rows = changeRows({ files: both, turns: named });
    assert.deepEqual(
      rows.map(row => [row.kind, row.kind === "session" && [row.id, row.title], pathsOf(row)]),
      [
        ["session", ["a", "Session A"], ["/w/a"]],
        ["session", ["b", "Renamed"], [["/w/a", "/w/b"], ["/w/e"]]],
        ["session", [undefined, ""], ["/w/d"]],
        ["file", false, "/w/c"],
      ],
    );
    assert.deepEqual(rows[1] && reviewTargetOf(rows[1]), { kind: "turns", turns: ["t2", "t3"] });
    assert.equal(countFiles({ files: both }, { kind: "turns", turns: ["t2", "t3"] }), 3);
    // One session alone is no group, but what nobody reported is always marked.
    assert.equal(changeRows({ files, turns: named.slice(2) })[0]?.kind, "turn");
    assert.equal(changeRows({ files: both.slice(0, 1), turns: named.slice(0, 1) })[0]?.kind, "session");
  });

  it("lists what was changed meanwhile last, apart from the hunks of agents in the same file", () => {
    const both = applyAgentEdit(changes, text.replace("h\n", "H\n"), meanwhileTurn);
    const mine = { ...reviewed("/w/mine", track("x\n", "y\n", meanwhileTurn)), isMeanwhile: true as const };
    const named = [...turns.slice(0, 1), { id: meanwhileTurn, title: "" }];
    const rows = changeRows({ files: [reviewed("/w/a", both), mine], turns: named });
    assert.deepEqual(
      rows.map(row => [row.kind, row.kind === "session" && row.isMeanwhile, pathsOf(row)]),
      [
        ["file", false, "/w/a"],
        ["session", true, ["/w/a", "/w/mine"]],
      ],
    );
    const [file, group] = rows;
    assert.ok(file?.kind === "file" && group?.kind === "session");
    assert.ok(file.hunks.length > 0 && file.hunks.every(hunk => !hunk.turns.includes(meanwhileTurn)));
    assert.deepEqual(reviewTargetOf(group), { kind: "turns", turns: [meanwhileTurn] });
    assert.equal(countFiles({ files: [reviewed("/w/a", both), mine] }, { kind: "all" }), 1);
    const apart = changeRows({ files: [mine], turns: named });
    assert.deepEqual(
      apart.map(row => row.kind === "session" && row.isMeanwhile),
      [true],
    );
  });

  it("lists files if there is one turn", () => {
    const rows = changeRows({ files, turns: turns.slice(0, 1) });
    assert.deepEqual(
      rows.map(row => row.kind === "file" && row.file.path),
      ["/w/a", "/w/b", "/w/c"],
    );
    assert.deepEqual(rows[1] && reviewTargetOf(rows[1]), { kind: "file", path: "/w/b" });
  });

  it("groups by turn if there are several, each with its own hunks, and omits no file", () => {
    const rows = changeRows({ files, turns });
    assert.deepEqual(
      rows.map(row => [row.kind, pathsOf(row)]),
      [
        ["turn", ["/w/a"]],
        ["turn", ["/w/a", "/w/b"]],
        ["file", "/w/c"],
      ],
    );
    const [first, second] = rows;
    assert.ok(first?.kind === "turn" && second?.kind === "turn" && first.files[0] && second.files[0]);
    assert.deepEqual(reviewTargetOf(first), { kind: "turn", turn: "t1" });
    assert.ok(second.files[0].hunks.every(hunk => hunk.turns.includes("t2")));
    assert.deepEqual(reviewTargetOf(second.files[0]), {
      kind: "hunks",
      path: "/w/a",
      ids: second.files[0].hunks.map(({ id }) => id),
    });
    assert.ok(second.files[0].hunks.length < later.hunks.length);
  });

  it("shows the line, the size and the first words of each hunk", () => {
    const [row] = changeRows({ files: [reviewed("/w/a", changes)], turns: [] });
    assert.ok(row?.kind === "file");
    assert.deepEqual(
      hunkRows(row).map(({ line, words, added: more, removed: less }) => [line, words, more, less]),
      [
        [1, "B", 1, 1],
        [3, "d", 0, 2],
        [5, "new", 1, 0],
      ],
    );
    const [hunk] = hunkRows(row);
    assert.deepEqual(hunk && reviewTargetOf(hunk), { kind: "hunks", path: "/w/a", ids: [changed] });
  });

  it("counts the files of a decision", () => {
    const review = { files };
    assert.equal(countFiles(review, { kind: "all" }), 3);
    assert.equal(countFiles(review, { kind: "turn", turn: "t2" }), 2);
    assert.equal(countFiles(review, { kind: "file", path: "/w/a" }), 1);
  });
});
