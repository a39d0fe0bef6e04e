// Texts that VS Code would turn into links or icons. The patterns are those of VS Code 1.139: what it looks for in
// messages, progress, input boxes and views (`linkedText.ts`), and in labels (`iconLabels.ts`).
import assert from "node:assert/strict";
import fc from "fast-check";
import { inertLines, inertText, maxShownLength, oneLine, withoutMiddle } from "../../src/base/inertText.ts";

const linkOfMessages = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
const iconOfLabels = /\$\(([A-Za-z0-9-]+(?:~[A-Za-z]+)?)\)/;
const lineEnds = /[\n\r\v\f\u0085\u2028\u2029]/;
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const links = (text: string): readonly string[] => text.match(linkOfMessages) ?? [];

/** Text that has many of the characters of links and icons. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."[x](command:a)",
        "](",
        "]\u200b(",
        "[x](command:workbench.action.terminal.sendSequence?%7B%7D)",
        '[x](file:///a "title")',
        "[x](https://a.example)",
        "$(",
        "$(zap)",
        "\\$(zap~spin)",
        "\n",
        "\r\n",
        "\u2028",
        "\u202e",
        "\u200b",
        "\ufeff",
        "\u2060",
        "\ud83d",
        "👩‍💻",
      ),
      fc.string({ unit: "binary", maxLength: 6 }),
    ),
    { maxLength: 40 },
  )
  .map(parts => parts.join(""));

describe("text for the editor", () => {
  it("has no link that a message would show", () => {
    for (const text of [
      "[click](command:workbench.action.quit)",
      '[click](command:a "title")',
      "[a[b](https://a.example)",
      "[x\u202e(command:a)",
      "[x]\u200b(command:a)",
      "[x]\u0000(command:a)",
    ]) {
      assert.deepEqual(links(inertText(text)), [], text);
    }
    assert.equal(inertText("[click](command:a)").replaceAll("\u200b", ""), "[click](command:a)");
  });

  it("has no icon that a label would show", () => {
    assert.doesNotMatch(inertText("$(zap) Run"), iconOfLabels);
    assert.doesNotMatch(inertText("\\$(zap)"), iconOfLabels);
    assert.equal(inertText("echo $(date)").replaceAll("\u200b", ""), "echo $(date)");
  });

  it("is one line, and shows characters that hide or reorder others", () => {
    assert.equal(inertText("a\r\nb\u2028c\td"), "a⏎b⏎c d");
    assert.equal(inertText("a\u202eb"), "a[U+202E]b");
    assert.equal(oneLine("a\n\nb"), "a⏎⏎b");
  });

  it("has neither for any text, and is the same when it passes twice", () => {
    fc.assert(
      fc.property(hostileText, text => {
        const shown = inertText(text);
        assert.deepEqual(links(shown), []);
        assert.doesNotMatch(shown, iconOfLabels);
        assert.doesNotMatch(shown, lineEnds);
        assert.doesNotMatch(shown, directionMarks);
        assert.equal(inertText(shown), shown);
      }),
      { numRuns: 3_000 },
    );
  });

  it("loses its middle, not its end, when it is too long, and names how much", () => {
    const text = `first ${"x".repeat(100_000)} last`;
    const shown = inertText(text);
    assert.ok(shown.length < maxShownLength + 30);
    assert.match(shown, /^first x+ … \[98011\] … x+ last$/);
    assert.equal(withoutMiddle("short", 10), "short");
    assert.equal(withoutMiddle("👩".repeat(10), 6), "👩 … [16] … 👩", "no half of a character stays");
  });

  it("keeps the lines of a list apart from line feeds in a line", () => {
    assert.equal(inertLines(["run a\nenv: none", "env: B=1"]), "run a⏎env: none\nenv: B=1");
  });
});
