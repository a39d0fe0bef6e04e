// Which text of a tool call is preformatted, and which is Markdown.
import assert from "node:assert/strict";
import { surroundingFence, withoutFence } from "../../src/base/fence.ts";
import { hasMarkdown, toolText } from "../../src/panel/projection/toolText.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

const plain = (text: string, language?: string): unknown => ({ text, pre: language === undefined ? {} : { language } });

describe("the text of a tool call", () => {
  const document = "# Title\n\n- a\n- b\n\n[link](https://a.b)";

  for (const kind of ["read", "search", "execute"]) {
    it(`is preformatted for the kind ${kind}, also if it looks like Markdown`, () => {
      assert.deepEqual(toolText(document, kind), plain(document));
      assert.deepEqual(toolText("a\n  b", kind), plain("a\n  b"));
    });

    it(`has no fence around it for the kind ${kind}, and the language of that fence`, () => {
      assert.deepEqual(toolText("```js\nlet a = 1;\n```\n", kind), plain("let a = 1;", "js"));
      assert.deepEqual(toolText("```\n1 a\n2 b\n```", kind), plain("1 a\n2 b"));
    });
  }

  it("loses a fence that is not closed yet, because the text is still growing", () => {
    assert.deepEqual(toolText("```js\nlet a", "read"), plain("let a", "js"));
  });

  it("has no control sequences, because only a terminal shows colors", () => {
    assert.deepEqual(toolText("\u001b[31mred\u001b[0m", "search"), plain("red"));
  });

  it("is Markdown for the kind think", () => {
    for (const text of ["One line.", document]) assert.deepEqual(toolText(text, "think"), { text });
  });

  for (const kind of ["edit", "delete", "move", "fetch", "switch_mode", "other", "own_kind", undefined]) {
    it(`is Markdown for the kind ${kind} only if it has the structure of Markdown`, () => {
      assert.deepEqual(toolText(document, kind), { text: document });
      assert.deepEqual(toolText("ok\n  1 file", kind), plain("ok\n  1 file"));
    });
  }

  it("is a patch if it has hunks", () => {
    const patch = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n- a\n- b\n";
    assert.deepEqual(toolText(patch, "edit"), plain(patch, "diff"));
  });

  const rows: readonly [string, string, boolean][] = [
    ["a heading", "# Title", true],
    ["a heading in the text", "Found:\n\n## Two files\n", true],
    ["a fence", "Run this:\n```sh\nls\n```", true],
    ["a fence of tildes", "~~~\nls\n~~~", true],
    ["a list of two", "Files:\n- a\n- b", true],
    ["a list of two with more lines", "- a\n  more\n\n- b", true],
    ["a numbered list of two", "1. a\n2. b", true],
    ["a table", "| a | b |\n| - | - |\n| 1 | 2 |", true],
    ["a table without outer lines", "a | b\n:-: | --\n1 | 2", true],
    ["a link", "See [the page](https://a.b/c).", true],
    ["a link to a file", "See [the file](src/a.ts).", true],
    ["a link in angle brackets", "See <https://a.b>.", true],
    ["a bare URL", "Fetched https://a.b", false],
    ["one item", "- a", false],
    ["two items of different lists", "- a\n* b", false],
    ["two items with other text between", "- a\ntext\n- b", false],
    ["a hash without a blank", "#include <stdio.h>", false],
    ["a shebang", "#!/bin/sh", false],
    ["file modes", "-rw-r--r-- a\n-rw-r--r-- b", false],
    ["a line of dashes", "a\n-----\nb", false],
    ["a shell pipe", "ls | wc\n", false],
    ["an index and a call", "a[i](x)", false],
    ["XML", "<path>/w/a</path>\n<type>file</type>", false],
    ["JSON", '{\n  "a": [1, 2]\n}', false],
    ["emphasis", "a *b* _c_ `d`", false],
    ["several paragraphs", "a\n\nb\n\nc", false],
  ];
  for (const [what, text, expected] of rows)
    it(`counts ${what} as ${expected ? "Markdown" : "plain text"}`, () => assert.equal(hasMarkdown(text), expected));

  it("is searched in linear time", () => {
    for (const piece of ["[", "](", "|-", "- ", "# ", "1.", "<https://", "`", "\n- a\n b", "@@ -1", "[a](a."]) {
      const used = processorTime();
      toolText(piece.repeat(400_000 / piece.length), "other");
      toolText(piece.repeat(400_000 / piece.length), "read");
      assert.ok(used() < 1000, piece);
    }
  });
});

describe("a fence around a text", () => {
  const rows: readonly [string, string, string | undefined, string | undefined][] = [
    ["with a language", "```ts\na\n```", "a", "ts"],
    ["with more words after the language", "``` js title=x\na\n```", "a", "js"],
    ["with blank lines around", "\n```\na\n```\n\n", "a", undefined],
    ["of tildes", "~~~\na\n~~~", "a", undefined],
    ["around nothing", "```\n```", "", undefined],
    ["around a shorter fence", "````md\n```js\na\n```\n````", "```js\na\n```", "md"],
    ["around a block with a language", "```\n```js\na\n```\n```", "```js\na\n```", undefined],
  ];
  for (const [what, text, inside, language] of rows)
    it(`is found ${what}`, () => assert.deepEqual(surroundingFence(text), { text: inside, language }));

  it("is not found in two blocks, in an open block, or next to words", () => {
    for (const text of ["```\na\n```\n```\nb\n```", "```\na\n```\nand\n```\nb\n```", "```\na", "a\n```\nb\n```", "a"]) {
      assert.equal(surroundingFence(text), undefined);
      assert.equal(withoutFence(text), text);
    }
  });
});
