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

  const outputs: readonly [string, string][] = [
    ["a script with a shebang", "#!/bin/sh\n# Build everything\nset -e\n\n# Then test\nnpm test\n"],
    ["a script", "# Install\nnpm ci\n\n# Test\nnpm test"],
    ["a script of comments", "# Copyright of the authors.\n# All rights reserved.\n\n# Main part.\n"],
    ["YAML", "# Settings\nname: app\nsteps:\n- run: a\n- run: b\n"],
    ["YAML of two lists", "on:\n  - push\n  - pull_request\n"],
    ["YAML of a list of maps", "- name: a\n  run: b\n- name: c\n  run: d"],
    ["YAML with capital keys", "Resources:\n  - One\n  - Two"],
    ["a Makefile", "# Targets\nall: build\n\nbuild:\n\tcc -o a a.c\n"],
    ["a Makefile with phony targets", "# Targets\n\n.PHONY: all\n"],
    ["a configuration with comments", "# Server\nport = 8080\n\n# Client\nhost = localhost\n"],
    ["a configuration with sections", "# Main\n\n[core]\n\n# More\n\n[user]\n"],
    ["a configuration with blanks", "# The port\nPort 22\n# No root\nPermitRootLogin no\n"],
    ["a commented configuration", "# port=80\n\n# The settings of the server.\n"],
    ["a list of ignored files", "# Dependencies\n\nnode_modules/\n"],
    ["variables", "# Keys\n\nAPI_KEY=abc\n"],
    ["a Dockerfile", '# Base\nFROM node:22\nRUN npm ci\n\n# Start\nCMD ["node"]\n'],
    ["Python", "# Read it\nimport os\n\ndef f():\n    return 1\n"],
    ["SQL with comments", "-- Users\nSELECT 1;\n\n# More\n"],
    ["lines of two dashes", "Options\n--\n- a\n- b\n-- end\n"],
    ["options of a command", "1. Run\n2. Test\n\n--all   Everything\n"],
    ["indented code", "# Example\n\n    let a = 1;\n    let b = 2;\n"],
    ["an indented list", "Running\n  * one\n  * two\n"],
    ["a log with stars", "* Starting the server\n* Listening on 8080\n"],
    ["a log with stars and more lines", "* Connecting\nok\n* Sending\nok\n"],
    ["a log of curl", "*   Trying 127.0.0.1:80...\n* Connected\n> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n"],
    ["a log with indented lines", "* Checking\n   ...done.\n* Stopping\n   ...done.\n"],
    ["a log of commits", "* 1a2b3c4 Fix the list\n* 5d6e7f8 Add the list\n"],
    ["a list of branches", "* main\n  other\n* more"],
    ["a table of `ls`", "# ls -l\ntotal 8\n-rw-r--r-- 1 me me 12 Nov 1 a\ndrwxr-xr-x 2 me me 40 Nov 1 b\n"],
    ["columns", "## Containers\n\nNAME      IMAGE     STATUS\nweb       nginx     up\n"],
    ["results of tests", "1..2\n# Subtest: a\nok 1 - a\n# Subtest: b\nok 2 - b\n"],
    ["a diff without a header", "- one\n- two\n+ three\n+ four\n"],
    ["a patch with a fence", "@@ -1,2 +1,2 @@\n ```sh\n-a\n+b\n ```\n"],
    ["a prompt of a shell", "# npm test\n> app@1.0.0 test\n> mocha\n"],
    ["lines with a link between them", "Starting\nServer <http://localhost:80>\nReady\n"],
    ["JSON with a list", '{\n"a": [\n- 1\n- 2\n]\n}'],
    ["lines with carriage returns", "# Server\r\nport = 8080\r\n"],
  ];
  for (const [what, text] of outputs) {
    it(`is preformatted if it is ${what}, with its line feeds and blanks`, () => {
      assert.equal(hasMarkdown(text), false);
      assert.equal(toolText(text, "other").text, text);
      assert.ok(toolText(text, undefined).pre);
    });
  }

  const prose: readonly [string, string][] = [
    [
      "a report",
      "## Summary\nThe function reads the file and calls `parse`.\n\n- **a.ts**: exports `foo`\n- **b.ts**: exports `bar`\n\n" +
        "```ts\nconst a = 1;\n```\n\nSee [the page](https://a.b/c) for more.",
    ],
    ["a heading and a line", "# Result\n\nFound 2 files\n"],
    [
      "wrapped lines",
      "# Notes\n\nThe quick brown fox jumps over the lazy dog and then\nruns back to the house. Note that it has\nname: none.\n",
    ],
    ["nested lists", "Steps:\n\n1. Read the file.\n   - a\n   - b\n\n   More about it.\n2. Write it.\n"],
    ["code in a list", "1. Run this:\n   ```sh\n   # Comment\n   npm ci\n   ```\n2. Wait."],
    ["a configuration in a fence", "Use this:\n\n```yaml\n# Port\nport: 80\nhosts:\n  - a\n  - b\n```\n"],
    ["a table and a sentence", "Both are listed here.\n\n| key   | value |\n|-------|-------|\n| a     | 1     |\n"],
    ["stars and a sentence", "I found these files:\n\n*   `a.ts`\n*   `b.ts`\n\nNothing else matches."],
    ["a quote", "## Answer\n\n> It is a long story, and nobody knows how it began.\n\nSo be it."],
    ["a document with tags", "<result>\n## Found\n\nThere are two of them.\n</result>"],
    ["another script", "## 結果\n\nファイルが二つ見つかりました\n"],
    ["a growing sentence", "## Plan\n\nThe quick brown"],
    ["tasks", "- [x] Read the file\n- [ ] Write the file\n"],
    ["lines with carriage returns", "# Title\r\n\r\nIt is a sentence.\r\n"],
  ];
  for (const [what, text] of prose)
    it(`is Markdown if it is ${what}`, () => assert.deepEqual(toolText(text, "other"), { text }));

  it("is searched in linear time", () => {
    for (const piece of [
      "[",
      "](",
      "|-",
      "- ",
      "# ",
      "1.",
      "<https://",
      "`",
      "\n- a\n b",
      "@@ -1",
      "[a](a.",
      "- a\n",
      "a\n",
      "a b. ",
      "a|\n|-\n",
    ]) {
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
