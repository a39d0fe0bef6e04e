import assert from "node:assert/strict";
import fc from "fast-check";
import { CharacterSplitter, OutputRing } from "../../src/terminals/outputRing.ts";

const text = fc.array(fc.constantFrom("a", "é", "€", "😀", "\n", "\uFEFF"), { maxLength: 60 }).map(all => all.join(""));
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });

/** The bytes in chunks of these sizes, repeatedly. */
function pieces(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const result: Uint8Array[] = [];
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    result.push(bytes.subarray(at, at + size));
    at += size;
  }
  return result;
}

describe("OutputRing", () => {
  it("keeps the longest end of the text that fits, cut between characters", () => {
    fc.assert(
      fc.property(text, fc.nat(80), cuts, (all, limit, sizes) => {
        const ring = new OutputRing(limit);
        for (const piece of pieces(Buffer.from(all), sizes)) ring.push(piece);
        const characters = Array.from(all);
        while (Buffer.byteLength(characters.join("")) > limit) characters.shift();
        assert.equal(ring.text(), characters.join(""));
        assert.equal(ring.truncated, Buffer.byteLength(all) > limit);
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps everything up to the limit", () => {
    const ring = new OutputRing(5);
    ring.push(Buffer.from("12345"));
    assert.deepEqual([ring.text(), ring.truncated], ["12345", false]);
    ring.push(Buffer.from("6"));
    assert.deepEqual([ring.text(), ring.truncated], ["23456", true]);
  });

  it("keeps nothing if the limit is 0, and is marked as truncated", () => {
    const ring = new OutputRing(0);
    assert.deepEqual([ring.isEmpty, ring.truncated], [true, false]);
    ring.push(Buffer.from("x"));
    assert.deepEqual([ring.text(), ring.truncated], ["", true]);
  });

  it("is empty after it is cleared", () => {
    const ring = new OutputRing(4);
    ring.push(Buffer.from("123456"));
    ring.clear();
    assert.deepEqual([ring.isEmpty, ring.text(), ring.truncated], [true, "", false]);
    ring.push(Buffer.from("ab"));
    assert.equal(ring.text(), "ab");
  });

  it("accepts bytes that are not text", () => {
    const ring = new OutputRing(6);
    ring.push(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x41));
    assert.match(ring.text(), /^\uFFFD+A$/);
  });

  it("uses no more memory than its limit", () => {
    const ring = new OutputRing(100_000);
    const before = process.memoryUsage().arrayBuffers;
    for (let count = 0; count < 2000; count++) ring.push(Buffer.alloc(5000, 0x61));
    assert.equal(ring.text().length, 100_000);
    globalThis.gc?.();
    assert.ok(process.memoryUsage().arrayBuffers - before < 30_000_000);
  });
});

describe("CharacterSplitter", () => {
  it("returns whole characters, and all of them, for any chunks", () => {
    fc.assert(
      fc.property(text, cuts, (all, sizes) => {
        const splitter = new CharacterSplitter();
        let joined = "";
        for (const piece of pieces(Buffer.from(all), sizes))
          joined += new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(splitter.push(piece));
        assert.equal(splitter.end().length, 0);
        assert.equal(joined, all);
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps every byte that is not text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), cuts, (bytes, sizes) => {
        const splitter = new CharacterSplitter();
        const out = pieces(bytes, sizes).map(piece => Buffer.from(splitter.push(piece)));
        assert.deepEqual(Buffer.concat([...out, splitter.end()]), Buffer.from(bytes));
      }),
    );
  });
});
