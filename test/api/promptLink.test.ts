// Links that fill the message box: what they may contain, and what is refused.
import assert from "node:assert/strict";
import { readPromptLink } from "../../src/api/promptLink.ts";

describe("a link to the message box", () => {
  const read = (query: string): ReturnType<typeof readPromptLink> => readPromptLink({ path: "/prompt", query });

  it("has a text, and perhaps a folder before it", () => {
    assert.deepEqual(read("text=Explain 50% of a & b = c + d"), { text: "Explain 50% of a & b = c + d" });
    assert.deepEqual(read("folder=/work/a & b&text=Fix it"), { text: "Fix it", folder: "/work/a & b" });
    assert.deepEqual(read("folder=&text=x"), { text: "x" });
  });

  it("keeps what looks like a folder in the text", () => {
    assert.deepEqual(read("text=a&folder=/etc"), { text: "a&folder=/etc" });
  });

  it("shows invisible characters by their codes, and keeps lines", () => {
    assert.deepEqual(read("text=a\r\nb\tc\u202ed\u0007\u200be"), { text: "a\nb\tc[U+202E]d[U+0007][U+200B]e" });
  });

  it("is refused without a text, with another path, and with a text that is too long", () => {
    for (const query of ["", "text=", "text= \n ", "folder=/w", "other=1"])
      assert.throws(() => read(query), /There is no text for the message box/, query);
    assert.throws(() => readPromptLink({ path: "/send", query: "text=x" }), /Parley does not know this link/);
    assert.equal(read(`text=${"x".repeat(10_000)}`).text.length, 10_000);
    assert.throws(() => read(`text=${"x".repeat(10_001)}`), /has 10001 characters, and the limit is 10000/);
  });
});
