// The expression of whole words, which is written so that the engine finds it fast.
import assert from "node:assert/strict";
import fc from "fast-check";
import { spacelessLetters } from "../../src/base/spacelessScripts.ts";
import { searchPattern } from "../../src/panel/find/searchPattern.ts";

const letter = String.raw`[\p{L}\p{M}\p{N}_]`;
/** Where a word can begin or end. */
const edge = [
  `(?<!${letter})`,
  `(?!${letter})`,
  String.raw`(?!\p{M})(?:(?=[${spacelessLetters}])|(?<=[${spacelessLetters}]\p{M}*))`,
  String.raw`(?=\p{Script=Hangul})(?<=(?!\p{Script=Hangul})${letter})`,
].join("|");

describe("the expression of a whole word", () => {
  const piece = fc.constantFrom(...("aAbk\u212Ass\u017fä日本กิ한국é\u0301_1 .(\n😀𐐀𐐨\ud801".match(/./gsu) ?? []));
  const text = fc.array(piece, { maxLength: 30 }).map(pieces => pieces.join(""));
  const word = fc.array(piece, { minLength: 1, maxLength: 4 }).map(pieces => pieces.join("").replaceAll("\n", ""));

  it("finds what lies between two edges of words, and nothing else", () => {
    fc.assert(
      fc.property(text, word, fc.boolean(), fc.boolean(), (all, query, matchCase, regex) => {
        const escaped = query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
        // Some expressions have groups, and some choices.
        const source = regex ? `${escaped}a?|b` : escaped;
        const expected = new RegExp(`(?:${edge})(?:${source})(?:${edge})`, matchCase ? "gmu" : "gimu");
        const found = searchPattern({ query: regex ? source : query, matchCase, wholeWord: true, regex });
        const hits = (pattern: RegExp): unknown => [...all.matchAll(pattern)].map(hit => [hit.index, hit[0]]);
        assert.deepEqual(hits(found), hits(expected));
      }),
      { numRuns: 150 },
    );
  });

  it("keeps the groups of an expression", () => {
    const found = searchPattern({ query: "(a|b)-\\1", matchCase: true, wholeWord: true, regex: true });
    assert.deepEqual("a-a b-a b-b b-bc".match(found), ["a-a", "b-b"]);
  });
});
