// The translation of texts for users: English by default, and another language once it is set.
import assert from "node:assert/strict";
import { setTranslator, t } from "../../src/base/l10n.ts";

describe("a text for the user", () => {
  it("is English with its arguments before a language is set", () => {
    assert.equal(t("Parley is ready."), "Parley is ready.");
    assert.equal(t("{0} of {1} files", 2, "three"), "2 of three files");
    assert.equal(t("{1} before {0}, {1} again", "a", "b"), "b before a, b again");
  });

  it("keeps placeholders without an argument, and other braces", () => {
    assert.equal(t("{0} and {1}", "one"), "one and {1}");
    assert.equal(t("${workspaceFolder} and {name}", "one"), "${workspaceFolder} and {name}");
  });

  it("takes its arguments as they are, not as a pattern or another text with placeholders", () => {
    assert.equal(t("{0}: {1}", "{1} $& $1", "{0}"), "{1} $& $1: {0}");
  });

  it("is in the language that is set, until English is set again", () => {
    const reset = setTranslator((text, ...args) => `[${text}|${args.join("|")}]`);
    try {
      assert.equal(t("{0} of {1} files", 2, 3), "[{0} of {1} files|2|3]");
      assert.throws(() => setTranslator(text => text), /already set/);
      assert.equal(t("Parley is ready."), "[Parley is ready.|]");
    } finally {
      reset();
    }
    assert.equal(t("Parley is ready."), "Parley is ready.");
  });
});
