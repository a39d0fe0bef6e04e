// Markdown of others in a document: what is honest stays as it is, and nothing reaches beyond it.
import assert from "node:assert/strict";
import fc from "fast-check";
import { inlineMarkdown, isolatedMarkdown } from "../../src/base/isolatedMarkdown.ts";
import { turnsInMarked, turnsInPanel, turnsInPreview } from "../support/fakes/conversationReaders.ts";
import { hostileMarkdown } from "../support/fakes/hostileMarkdown.ts";

const honest = [
  "Plain text with `a<b>` and ``x ` y``, a < b, and **bold**.",
  "# Heading\n\n1. Do this:\n   - `vector<int>`\n   - that\n2. Then that\n\n| a | b |\n| - | - |\n| `x` | 2 |",
  "```ts\nconst a: Map<string, number> = new Map();\n\n\tif (a) <div/>;\n```\n\nDone.",
  "Use `x[0]`: it is <https://example.com/a?b=c>, or [this](https://example.com).",
  "$$\nx^2\n$$\n\n$$ y_1 $$",
  "\\(x^2\\) and \\[\n\\frac{a}{b}\n\\]",
  "> quoted\n> text\n\n---\n\n- [ ] open\n- [x] done",
].join("\n\n");

describe("the Markdown of others", () => {
  it("stays as it is if every viewer reads it in the same way", () => assert.equal(isolatedMarkdown(honest), honest));

  it("has links in place of images where a viewer must load nothing, and keeps code", () => {
    const given = "![a](https://example.com/a.png) `vec![1]`\n\n```rust\nvec![1]\n```";
    const written = isolatedMarkdown(given, { hasImages: false });
    assert.ok(!written.split("```")[0]?.includes("!["), written);
    assert.ok(written.includes("](https://example.com/a.png)") && written.endsWith("```rust\nvec![1]\n```"), written);
    assert.equal(isolatedMarkdown(given), given);
  });

  const rows: readonly (readonly [what: string, given: string, written: string])[] = [
    ["closes a code block", "a\n```\nb", "a\n```\nb\n```"],
    [
      "closes the code block of a list item where the item ends",
      "- a\n\n  ```\n  b\nc <i>",
      "- a\n\n  ```\n  b\n  ```\nc &lt;i>",
    ],
    [
      "keeps code in a list item",
      "1. a\n   ```ts\n   f<T>();\n   ```\n2. b",
      "1. a\n   ```ts\n   f<T>();\n   ```\n2. b",
    ],
    [
      "separates the code of a nested item",
      "- a\n  - b\n    ```\n    <i>\n    ```",
      "- a\n  - b\n\n    ```\n    <i>\n    ```",
    ],
    ["keeps code beside a list marker", "- ```\n  <i>\n  ```", "- ```\n  <i>\n  ```"],
    ["gives code a fence that it does not contain", "~~~\n```\n<i>\n~~~", "````\n```\n<i>\n````"],
    ["keeps tabs in code", "```make\na:\n\tb\n```", "```make\na:\n\tb\n```"],
    ["writes tabs before text as spaces", "-\ta\n\t- b", "-   a\n    - b"],
    ["escapes HTML", "<b>x</b> `<i>` <!-- <?a", "&lt;b>x&lt;/b> `<i>` &lt;!-- &lt;?a"],
    ["escapes HTML in what only looks like code", "`a\n`<b>`", "`a\n`&lt;b>`"],
    [
      "leaves no tag in a formula, and does not change its meaning",
      "\\(a<b\\) `\\(a<b\\)` a<b \\[\nc<d\n\\]",
      "\\(a< b\\) `\\(a<b\\)` a&lt;b \\[\nc< d\n\\]",
    ],
    ["undoes definitions of links", "[a]: https://b", "[a]\\: https://b"],
    ["keeps a formula from reaching into other text", "$$\n```\n$$\n```", "\\$$\n```\n$$\n```"],
  ];
  for (const [what, given, written] of rows) it(what, () => assert.equal(isolatedMarkdown(given), written));

  it("begins no block if it is on one line", () => {
    const lines = [
      "# a",
      "> a",
      "- a",
      "* a",
      "1. a",
      "```",
      "~~~",
      "---",
      "***",
      "|a|",
      "a\n# b",
      "<b>",
      "[a]: b",
      "**a** `<b>`",
    ];
    assert.deepEqual(lines.map(inlineMarkdown), [
      ...[
        "\\# a",
        "\\> a",
        "\\- a",
        "\\* a",
        "1\\. a",
        "\\```",
        "\\~~~",
        "\\---",
        "\\***",
        "\\|a|",
        "a # b",
        "&lt;b>",
        "[a]\\: b",
      ],
      "**a** `<b>`",
    ]);
  });

  it("stays in its quote, whatever it contains", () => {
    fc.assert(
      fc.property(hostileMarkdown(20), text => {
        const quote = isolatedMarkdown(text).replace(/^/gm, "> ");
        const document = `## Before\n\n${quote}\n\n## After\n\nend`;
        for (const read of [
          turnsInMarked,
          turnsInPanel,
          (each: string) => turnsInPreview(each, true),
          (each: string) => turnsInPreview(each, false),
        ]) {
          const turns = read(document).slice(1);
          assert.deepEqual(
            turns.map(({ heading }) => heading),
            ["Before", "After"],
            document,
          );
          assert.match(turns[1]?.text ?? "", /end/);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("may have any number of lines", () => {
    for (const text of ["a\n", "a\n\n", "$$\n", "```\n", "- ```\n  a\n"].map(each => each.repeat(200_000)))
      assert.ok(isolatedMarkdown(text).length >= text.length - 1);
  });

  it("is escaped in time that grows with its length", () => {
    const measure = (length: number): number => {
      const began = process.cpuUsage();
      for (const part of [
        "`",
        "`` ` ",
        " ",
        "<",
        "$$\n",
        "```\n",
        "- ",
        "\t",
        "]:",
        "1. ```\n",
        "`a`",
        "\n",
        "www.`a` ",
      ])
        isolatedMarkdown(part.repeat(length / part.length));
      const { user, system } = process.cpuUsage(began);
      return user + system;
    };
    measure(20_000);
    const [short, long] = [measure(20_000), measure(200_000)];
    assert.ok(long < short * 60, `${short} and ${long} µs`);
  });
});
