// Where formulas begin and end.
import assert from "node:assert/strict";
import { formulaAt, formulaSpans, isOpenFormula, maxFormulaLength } from "../../src/base/formulas.ts";

describe("the formulas of a text", () => {
  const found = (text: string): readonly string[] => formulaSpans(text).map(([start, end]) => text.slice(start, end));

  it("are what stands between their delimiters, outside of code", () => {
    assert.deepEqual(found("a \\(b\\) `\\(c\\)` $$d$$ ``\\(`e`\\)`` \\[ f^2 \\] \\\\(g\\\\)"), [
      "\\(b\\)",
      "$$d$$",
      "\\[ f^2 \\]",
    ]);
    assert.deepEqual(found("` \\(a\\) `` \\(b\\)"), ["\\(a\\)", "\\(b\\)"], "backticks without a partner");
    assert.deepEqual(found("\\(a \\(b\\) c\\)"), ["\\(b\\)"], "none contains another one");
    assert.deepEqual(found("$a$ and $5"), []);
  });

  it("are split into TeX and delimiters", () => {
    assert.deepEqual(formulaAt("x \\(a\\) y", 2), { raw: "\\(a\\)", tex: "a" });
    assert.equal(formulaAt("x \\(a\\) y", 1), undefined);
  });

  it("have a limited length", () => {
    const longest = "x".repeat(maxFormulaLength);
    assert.equal(formulaAt(`$$${longest}$$`, 0)?.tex, longest);
    assert.equal(formulaAt(`$$${longest}x$$`, 0), undefined);
    assert.ok(isOpenFormula(`\\(${longest}`, 0));
    assert.ok(!isOpenFormula(`\\(${longest}x`, 0));
  });

  it("are found in time that grows with the length of the text", () => {
    const measure = (length: number): number => {
      const began = process.cpuUsage();
      for (const part of ["\\(", "$$", "`\\(", "`` ` \\(a", "\\(a\\)", "\\[\n\n", "$$ a ", "$$\n \n"])
        formulaSpans(part.repeat(length / part.length));
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    measure(20_000);
    const [short, long] = [measure(20_000), measure(200_000)];
    assert.ok(long < short * 60, `${short} and ${long} µs`);
  });
});
