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
    await rejectsWithRefusal("invalid", /binary/, readLines(inChunks(Buffer.from([65, 0, 65]), 100), window, 1e6));
  });

  it("omits the byte-order mark", async () => {
    assert.equal(await readLines(inChunks(Buffer.from("\uFEFFa\n"), 2), { line: 1, limit: 1 }, 1e6), "a\n");
  });
});
