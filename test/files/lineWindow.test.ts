import assert from "node:assert/strict";
import fc from "fast-check";
import { readLines, sliceLines } from "../../src/files/lineWindow.ts";
import { rejectsWithRefusal } from "../support/contracts/documents.ts";

async function* inChunks(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("sliceLines", () => {
  const rows: readonly (readonly [text: string, line: number, limit: number, expected: string])[] = [
    ["a\nb\nc\n", 1, 1, "a\n"],
    ["a\nb\nc\n", 2, 2, "b\nc\n"],
    ["a\nb\nc", 3, 5, "c"],
    ["a\nb\nc", 4, 1, ""],
    ["a\nb\nc\n", 4, 1, ""],
    ["a\nb", 2, 0, ""],
    ["a\r\nb\r\n", 1, 1, "a\r\n"],
    ["", 1, 1, ""],
    ["\n\n", 2, 1, "\n"],
    ["a\nb", 1e300, 1e300, ""],
    ["a\nb", 1, 1e300, "a\nb"],
  ];
  for (const [text, line, limit, expected] of rows) {
    it(`${limit} lines from ${line} of ${JSON.stringify(text)} are ${JSON.stringify(expected)}`, () => {
      assert.equal(sliceLines(text, { line, limit }), expected);
    });
  }

  const text = fc
    .array(fc.constantFrom("a", "é", "😀", "\n", "\r\n", "\r"), { maxLength: 40 })
    .map(all => all.join(""));

  it("returns windows that together make the text", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (all, limit) => {
        let joined = "";
        for (let line = 1; line <= 41; line += limit) joined += sliceLines(all, { line, limit });
        assert.equal(joined, all);
      }),
    );
  });

  it("agrees with the lines of a byte stream, for any chunk boundaries", async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.nat(8), fc.nat(8), fc.integer({ min: 1, max: 7 }), async (all, skip, limit, size) => {
        const window = { line: skip + 1, limit };
        const streamed = await readLines(inChunks(Buffer.from(all), size), window, 1e6);
        assert.equal(streamed, sliceLines(all, window));
      }),
    );
  });
});

describe("readLines", () => {
  it("stops reading after the window", async () => {
    let read = 0;
    async function* endless(): AsyncIterable<Uint8Array> {
      for (;;) {
        read++;
        yield Buffer.from("line\n".repeat(100));
      }
    }
    assert.equal(await readLines(endless(), { line: 150, limit: 2 }, 1e6), "line\nline\n");
    assert.equal(read, 2);
  });

  it("refuses UTF-16 and binary data", async () => {
    const window = { line: 1, limit: 1 };
    await rejectsWithRefusal(
      "invalid",
      /UTF-16/,
      readLines(inChunks(Buffer.from("\uFEFFa", "utf16le"), 100), window, 1e6),
    );
    await rejectsWithRefusal("invalid", /binary/, readLines(inChunks(Buffer.from([65, 0, 0, 65]), 100), window, 1e6));
  });

  for (const [order, bytes] of [
    ["little-endian", Buffer.from("a line\n", "utf16le")],
    ["big-endian", Buffer.from("a line\n", "utf16le").swap16()],
  ] as const) {
    it(`names the encoding of ${order} UTF-16 without a byte-order mark`, async () => {
      await rejectsWithRefusal("invalid", /UTF-16/, readLines(inChunks(bytes, 100), { line: 1, limit: 1 }, 1e6));
    });
  }

  it("refuses lines that are not valid UTF-8", async () => {
    const read = readLines(inChunks(Buffer.from("caf\xe9\n", "latin1"), 100), { line: 1, limit: 1 }, 1e6);
    await rejectsWithRefusal("failed", /not valid utf8/, read);
  });

  it("decodes only the bytes of the window, with the decoder of the file", async () => {
    const bytes = Buffer.from("\xe0\n\xe9\n\xe8\n", "latin1");
    const decode = (lines: Uint8Array): string => Buffer.from(lines).toString("latin1");
    assert.equal(await readLines(inChunks(bytes, 1), { line: 2, limit: 1 }, 1e6, decode), "é\n");
  });

  it("passes to the decoder whether the file begins with the mark of UTF-8", async () => {
    const marks: boolean[] = [];
    const decode = (_: Uint8Array, hasMark: boolean): string => (marks.push(hasMark), "");
    for (const start of ["\uFEFF", ""])
      await readLines(inChunks(Buffer.from(`${start}a\nb\n`), 4), { line: 2, limit: 1 }, 1e6, decode);
    assert.deepEqual(marks, [true, false]);
  });

  it("refuses lines that are above the limit only when they are decoded", async () => {
    const bytes = Buffer.alloc(600, 0xe9);
    const decode = (lines: Uint8Array): string => Buffer.from(lines).toString("latin1");
    const read = readLines(inChunks(bytes, 100), { line: 1, limit: 1 }, 1000, decode);
    await rejectsWithRefusal("invalid", /fewer lines/, read);
  });

  it("omits the byte-order mark", async () => {
    assert.equal(await readLines(inChunks(Buffer.from("\uFEFFa\n"), 2), { line: 1, limit: 1 }, 1e6), "a\n");
  });
});
