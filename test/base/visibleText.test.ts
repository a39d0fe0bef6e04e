// The text of a permission request shows its real content.
import assert from "node:assert/strict";
import fc from "fast-check";
import { visibleText } from "../../src/base/visibleText.ts";

describe("visible text", () => {
  const rows: readonly (readonly [why: string, text: string, shown: string])[] = [
    ["a right-to-left override", "rm \u202etxt.exe", "rm [U+202E]txt.exe"],
    ["isolates", "\u2066a\u2069", "[U+2066]a[U+2069]"],
    ["direction marks", "a\u200f\u200e\u061cb", "a[U+200F][U+200E][U+061C]b"],
    ["zero-width characters", "al\u200blow\ufeff\u2060", "al[U+200B]low[U+FEFF][U+2060]"],
    ["a soft hyphen and fillers", "a\u00ad\u3164\u2800", "a[U+00AD][U+3164][U+2800]"],
    ["tag characters", "a\u{e0041}", "a[U+E0041]"],
    ["control characters", "a\u0000\u001b[2K\r\u0085\u007f", "a[U+0000][U+001B][2K[U+000D][U+0085][U+007F]"],
    ["line separators", "a\u2028b\u2029", "a[U+2028]b[U+2029]"],
    ["a lone surrogate", "a\ud800b", "a[U+D800]b"],
    ["joiners between Latin letters", "pay\u200dpal", "pay[U+200D]pal"],
  ];
  for (const [why, text, shown] of rows) it(`shows ${why} by code point`, () => assert.equal(visibleText(text), shown));

  it("keeps tabs, line breaks, emoji and words of any script unchanged", () => {
    for (const text of ["a\tb\nc", "👩‍💻 ❤️ 👍🏽", "שלום", "می‌خواهم", "क्‍ष", "漢字", "naïve"])
      assert.equal(visibleText(text), text);
  });

  it("contains nothing that reorders the text around it, and is stable after one pass", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), text => {
        const shown = visibleText(text);
        assert.doesNotMatch(shown, /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/u);
        assert.equal(visibleText(shown), shown);
      }),
    );
  });
});
