// Two texts as the hunks of a diff.
import assert from "node:assert/strict";
import fc from "fast-check";
import { diffWork, diffHunks } from "../../src/panel/diff/diffHunks.ts";
import type { DiffBody, DiffLine } from "../../src/panel/protocol.ts";

const lines = (body: DiffBody): readonly string[] =>
  body.hunks.flatMap(hunk => hunk.lines.map(line => `${{ same: " ", add: "+", del: "-" }[line.op]}${line.text}`));
const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join("");

/** A text from its lines: each with its line ending, if it has one. */
const split = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const endOf = (line: DiffLine): string => `${line.text}${line.noEnd ? "" : "\n"}`;

/** Computes the new text from the old text and the hunks. Fails if a hunk does not fit. */
function applied(oldText: string, body: DiffBody, newText: string): string {
  // If neither text ends with a line feed, the hunks do not report it.
  const open = [oldText, newText].every(text => text !== "" && !text.endsWith("\n"));
  return open ? replayed(`${oldText}\n`, body).slice(0, -1) : replayed(oldText, body);
}

function replayed(oldText: string, { hunks }: DiffBody): string {
  const old = split(oldText);
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    out.push(...old.slice(at, hunk.oldStart - 1));
    at = hunk.oldStart - 1;
    assert.equal(hunk.newStart, out.length + 1);
    for (const line of hunk.lines) {
      if (line.op !== "add") assert.equal(old[at++], endOf(line));
      if (line.op !== "del") out.push(endOf(line));
    }
  }
  return [...out, ...old.slice(at)].join("");
}

/** Lines that repeat, move, are similar, and end or do not end. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "c", "", "  d", "one two 👩‍👩‍👧", "one e\u0301 three", "one two"), {
      maxLength: 40,
    }),
    fc.boolean(),
  )
  .map(([rows, ends]) => (rows.length > 0 && ends ? `${rows.join("\n")}\n` : rows.join("\n")));
/** A text and an edit of it that keeps most of it. */
const edited = fc
  .tuple(fc.integer({ min: 1, max: 400 }), fc.array(fc.tuple(fc.nat(400), fc.nat(3), text), { maxLength: 12 }))
  .map(([size, edits]) => {
    const rows = split(numbered(size));
    const now = [...rows];
    for (const [at, gone, come] of edits) now.splice(at, gone, come.endsWith("\n") ? come : `${come}\n`);
    return [rows.join(""), now.join("")] as const;
  });

describe("the hunks of a change", () => {
  it("show removed and added lines with three lines of context", () => {
    const before = numbered(20);
    const body = diffHunks(before, before.replace("10\n", "ten\n"));
    assert.deepEqual(lines(body), [" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"]);
    assert.deepEqual([body.added, body.removed, body.hunks[0]?.oldStart, body.hunks[0]?.newStart], [1, 1, 7, 7]);
  });

  it("are separate if more than six lines between them are unchanged", () => {
    const before = numbered(40);
    const near = diffHunks(before, before.replace("10\n", "ten\n").replace("\n17\n", "\nx\n"));
    const far = diffHunks(before, before.replace("10\n", "ten\n").replace("\n18\n", "\nx\n"));
    assert.deepEqual([near.hunks.length, far.hunks.length, far.hunks[1]?.oldStart], [1, 2, 15]);
  });

  it("contain all lines of a new file and of a deleted file", () => {
    assert.deepEqual(lines(diffHunks("", "a\r\nb\n")), ["+a", "+b"]);
    assert.deepEqual(lines(diffHunks("a\nb", "")), ["-a", "-b"]);
    assert.deepEqual([diffHunks("", "a\n\nb\n").added, diffHunks("a\n", "").removed], [3, 1]);
  });

  it("are empty for equal texts", () => {
    for (const same of ["", "a\n", "a"]) assert.deepEqual(diffHunks(same, same), { hunks: [], added: 0, removed: 0 });
  });

  it("report the line without a line ending", () => {
    const [hunk] = diffHunks("a\nb", "a\nb\n").hunks;
    assert.deepEqual(hunk?.lines, [
      { op: "same", text: "a" },
      { op: "del", text: "b", noEnd: true },
      { op: "add", text: "b" },
    ]);
  });

  it("report no missing line ending if neither text has one", () => {
    assert.deepEqual(diffHunks("a", "a\nb").hunks[0]?.lines, [
      { op: "same", text: "a" },
      { op: "add", text: "b" },
    ]);
  });

  it("report changed line endings in one word, and show only the other changes", () => {
    assert.deepEqual(diffHunks("a\nb\n", "a\r\nb\r\n"), { hunks: [], added: 0, removed: 0, lineEnds: "crlf" });
    assert.equal(diffHunks("a\r\nb\r\n", "a\nb\n").lineEnds, "lf");
    assert.equal(diffHunks("a\nb\nc", "a\r\nb\r\nc").lineEnds, "crlf");
    const both = diffHunks("a\r\nb\r\nc\n", "a\nx\nc\n");
    assert.equal(diffHunks("a\nb\nc\n", "a\r\nb\nc\n").lineEnds, "mixed");
    assert.deepEqual([lines(both), both.lineEnds], [[" a", "-b", "+x", " c"], "lf"]);
    assert.equal(diffHunks("a\r\nb\r\n", "a\r\nc\r\n").lineEnds, undefined);
  });

  it("keep lines that look like diff marks", () => {
    assert.deepEqual(lines(diffHunks("+a\n-b\n\\ c\n", "+a\n@@\n\\ c\n")), [" +a", "--b", "+@@", " \\ c"]);
  });

  it("turn the old text into the new, for any texts", () => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(text, text), edited), ([before, after]) => {
        const body = diffHunks(before, after);
        assert.equal(applied(before, body, after), after);
        const count = (op: string): number =>
          body.hunks.flatMap(hunk => hunk.lines).filter(line => line.op === op).length;
        assert.deepEqual([body.added, body.removed], [count("add"), count("del")]);
      }),
      { numRuns: 300 },
    );
  });

  it("turn the old text into the new if the search for the shortest diff is too long", () => {
    let state = 7;
    const random = (below: number): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    const words = (count: number): string => Array.from({ length: 900 }, () => `w${random(count)}\n`).join("");
    for (const count of [2, 30, 400, 5000]) {
      const [before, after] = [words(count), words(count)];
      assert.equal(applied(before, diffHunks(before, after), after), after);
    }
  });

  it("are short if lines only moved, or every other line changed", () => {
    const plain = split(numbered(3000));
    const moved = diffHunks(plain.join(""), [...plain.slice(100), ...plain.slice(0, 100)].join(""));
    assert.deepEqual([moved.added, moved.removed], [100, 100]);
    const other = plain.map((line, i) => (i % 2 === 0 ? `x${line}` : line));
    const changed = diffHunks(plain.join(""), other.join(""));
    assert.deepEqual([changed.added, changed.removed], [1500, 1500]);
  });

  it("are cut to a limit, counted in full, and marked", () => {
    const body = diffHunks("", numbered(5000));
    assert.deepEqual([lines(body).length, body.added, body.more], [2000, 5000, 3000]);
    const wide = diffHunks("", `${"x".repeat(4999)}😀\n`.repeat(200));
    const [first] = wide.hunks[0]?.lines ?? [];
    assert.deepEqual([first?.text.length, first?.cut], [4999, 2]);
    assert.ok(wide.more !== undefined && JSON.stringify(wide).length < 500_000);
    for (const huge of ["x".repeat(8_000_001), "\n".repeat(200_001)]) {
      assert.deepEqual(diffHunks("a\n", huge), { hunks: [], added: 0, removed: 0, state: "tooLarge" });
    }
  });

  it("are computed in a limited number of small slices, for any texts", () => {
    const file = (line: (i: number) => number): string =>
      Array.from({ length: 20_000 }, (_, i) => `${line(i)}\n`).join("");
    const [plain, repeating, two] = [file(i => i), file(i => (i * 31) % 9973), file(i => (i * i) % 3)] as const;
    const pairs = [
      [plain, plain.replace("\n10000\n", "\nx\n")],
      [plain, file(i => -i)],
      [plain, file(i => (i % 2 === 0 ? i : -i))],
      [repeating, file(i => (i * 77) % 9973)],
      [two, file(i => i % 2)],
      [two, repeating],
    ] as const;
    for (const [before, after] of pairs) {
      const steps = [...diffWork(before, after)];
      assert.ok(Math.max(...steps) <= 250_000, `a piece of ${Math.max(...steps)} steps`);
      assert.ok(steps.reduce((sum, one) => sum + one, 0) <= 4_000_000);
    }
  });
});
