// How texts are indented.
import assert from "node:assert/strict";
import { indentationOf } from "../../src/editorTools/indentation.ts";

describe("the indentation of a text", () => {
  it("is the most common step", () => {
    const two = "a {\n  b {\n    c\n  }\n\n  /*\n   * d\n   */\n}\n";
    assert.deepEqual(indentationOf(two), { insertSpaces: true, tabSize: 2 });
    assert.deepEqual(indentationOf("a:\r\n    b:\r\n        c\r\nd:\r\n  e\r\n"), { insertSpaces: true, tabSize: 4 });
    assert.deepEqual(indentationOf("a\n\tb\n\t\tc\n  d\n"), { insertSpaces: false });
  });

  it("is unknown if no line is indented", () => {
    assert.equal(indentationOf(""), undefined);
    assert.equal(indentationOf("a\nb\n   \n"), undefined);
  });
});
