import assert from "node:assert/strict";
import { fillPlaceholders, setTranslator } from "../../src/base/l10n.ts";
import { asSentence, commaSeparated, twoSentences } from "../../src/base/sentences.ts";

const chinese: Readonly<Record<string, string>> = { "{0}.": "{0}。", "{0}. {1}": "{0}。{1}", "{0}, {1}": "{0}，{1}" };

describe("texts that are put together", () => {
  it("get a full stop only if they have no punctuation mark of any language", () => {
    assert.equal(asSentence(" It failed "), "It failed.");
    for (const text of ["It failed.", "Why?", "Stop!", "Wait…", "失败。", "失败！", "失败？"])
      assert.equal(asSentence(text), text);
  });

  it("are separated by commas", () => {
    assert.equal(commaSeparated([]), "");
    assert.equal(commaSeparated(["a"]), "a");
    assert.equal(commaSeparated(["a", "{0}", "c"]), "a, {0}, c");
  });

  it("are put together as the language of the user does", () => {
    const reset = setTranslator((text, ...args) => fillPlaceholders(chinese[text] ?? text, args));
    try {
      assert.equal(asSentence("失败"), "失败。");
      assert.equal(twoSentences("失败", "重试"), "失败。重试");
      assert.equal(commaSeparated(["一", "二", "三"]), "一，二，三");
    } finally {
      reset();
    }
  });
});
