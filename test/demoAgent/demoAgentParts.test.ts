// The pure parts of the demo agent: how it interprets a prompt, and how it reads and changes source code.
import assert from "node:assert/strict";
import fc from "fast-check";
import { filesNamed, understand, type Intent } from "../../examples/demo-agent/intent.ts";
import { applyMutation, mutations } from "../../examples/demo-agent/mutations.ts";
import { readPrompt } from "../../examples/demo-agent/promptContent.ts";
import { outline } from "../../examples/demo-agent/outline.ts";
import { blank } from "../../examples/demo-agent/sourceText.ts";
import { readReport, testCommand } from "../../examples/demo-agent/testCommand.ts";
import { examplePrompts } from "../support/fakes/examplePrompts.ts";

describe("the demo agent's interpretation of a prompt", () => {
  const examples: readonly (readonly [Intent["kind"], string])[] = [
    ["explain", "Explain this file"],
    ["explain", "what does cart.js do?"],
    ["explain", "Please describe how the tests fail"],
    ["explain", "/explain sum.js"],
    ["fix", "fix the bug in sum.js"],
    ["fix", "There is something wrong with the average"],
    ["fix", "Why do the tests fail?"],
    ["fix", "/fix"],
    ["test", "run the tests"],
    ["test", "Can you run all of my tests and fix what fails?"],
    ["test", "npm test"],
    ["test", "Tests!"],
    ["plan", "plan a refactor"],
    ["plan", "How could this be improved? Clean up, please."],
    ["help", "hello"],
    ["help", "what can you do"],
    ["help", "/unknown explain"],
    ["help", ""],
  ];
  for (const [kind, text] of examples) {
    it(`takes "${text}" as ${kind}`, () => {
      assert.equal(understand(text).kind, kind);
    });
  }

  it("takes each example prompt of the chat as what it says", () => {
    assert.deepEqual(
      examplePrompts().map(({ text }) => [text, understand(text).kind]),
      [
        ["Explain this project", "explain"],
        ["Run the tests", "test"],
        ["Plan a refactoring", "plan"],
      ],
    );
  });

  it("finds the files that a text names: by path, then by name, then by a bare word, tests last", () => {
    const files = ["src/sum.js", "lib/sum.js", "test/sum.test.js", "test/cart.test.js", "web/cart.js"];
    assert.deepEqual(filesNamed("fix lib/sum.js", files), ["lib/sum.js"]);
    assert.deepEqual(filesNamed("look at `./src/sum.js`, please", files), ["src/sum.js"]);
    assert.deepEqual(filesNamed("fix SUM.js.", files), ["src/sum.js", "lib/sum.js"]);
    assert.deepEqual(filesNamed("explain @sum.test.js", files), ["test/sum.test.js"]);
    assert.deepEqual(filesNamed("explain cart", files), ["web/cart.js", "test/cart.test.js"]);
    assert.deepEqual(filesNamed("explain this file", files), []);
  });
});

describe("the source reader without a parser", () => {
  it("blanks strings and comments, and keeps every offset", () => {
    const source = "f(\"a < b\"); // c < d\nconst r = /x<[/]y/g; const q = a / b / c; `t${1 < 2}`; /* < */ '\\'<'";
    const code = blank(source);
    assert.equal(code.length, source.length);
    assert.equal(code.includes("<"), false);
    assert.match(code, /a \/ b \/ c/);
  });

  it("keeps length and lines of any text, and is idempotent", () => {
    const piece = fc.constantFrom(
      '"',
      "'",
      "`",
      "/",
      "*",
      "\\",
      "\n",
      "a",
      " ",
      "(",
      "[",
      "]",
      "=",
      "🦜",
      "${",
      "}",
      "//",
      "/*",
      "*/",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const source = pieces.join("");
        const code = blank(source);
        assert.equal(code.length, source.length);
        for (let i = 0; i < source.length; i += 1) assert.equal(code[i] === "\n", source[i] === "\n");
      }),
    );
  });

  it("makes each small change in one place, and never in strings or comments", () => {
    const source = 'const f = (a, b) => a + b; // 1 + 2\nconst s = "3 < 4";\n';
    const all = mutations(source);
    assert.ok(all.length > 0);
    for (const mutation of all) {
      const changed = applyMutation(source, mutation);
      assert.notEqual(changed, source);
      assert.ok(changed.endsWith('// 1 + 2\nconst s = "3 < 4";\n'), changed);
      assert.equal(mutation.line, 1);
    }
  });
});

describe("the definitions of a source file", () => {
  it("include functions and classes with their ends, their comments, and their exports", () => {
    const source = `// The file.

/** Adds. */
export function add(a, { b = ")" }) {
  return a + b;
}

const twice = n => n * 2;

class Box {
  open() {}
}

export { Box };
`;
    const found = outline("a.js", source);
    assert.equal(found.about, "The file.");
    assert.deepEqual(
      found.definitions.map(one => [one.signature, one.line, one.endLine, one.exported, one.doc]),
      [
        ['add(a, { b = ")" })', 4, 6, true, "Adds."],
        ["twice(n)", 8, 8, false, undefined],
        ["class Box", 10, 12, true, undefined],
      ],
    );
  });

  it("include headings and functions of Markdown and Python, and lines of any other text", () => {
    const python = outline("a.py", "# About\nimport os\n\ndef f(a):\n    return a\n\nclass B:\n    pass\n");
    assert.deepEqual([python.imports, python.definitions.map(one => one.signature)], [["os"], ["f(a)", "class B"]]);
    assert.deepEqual(
      outline("a.md", "# One\n\ntext\n\n## Two\n").definitions.map(one => one.name),
      ["One", "Two"],
    );
    assert.deepEqual(outline("a.xyz", "what").definitions, []);
  });
});

describe("the content of a prompt for the demo agent", () => {
  it("consists of text, files and images, whose bytes determine their size", () => {
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAFCAYAAAB8ZH1oAAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
    const prompt = readPrompt([
      { type: "text", text: "what is it?" },
      { type: "image", mimeType: "image/png", data: png },
      { type: "image", mimeType: "image/gif", data: "R0lGODlh" },
      { type: "resource_link", uri: "file:///w/a.js", name: "a.js" },
    ]);
    assert.deepEqual(prompt, {
      text: "what is it?",
      attachments: [{ path: "/w/a.js" }],
      pictures: [
        { mimeType: "image/png", bytes: 78, size: { width: 10, height: 5 } },
        { mimeType: "image/gif", bytes: 6 },
      ],
    });
  });
});

describe("test commands and reports", () => {
  const script = (test: string): string => JSON.stringify({ scripts: { test } });

  it("run a script that only calls node without a package manager, and any other script with its own", () => {
    assert.deepEqual(testCommand(script("node --test test/a.js"), [], false)?.args, ["--test", "test/a.js"]);
    const shell = testCommand(script("node a.js && rm -rf b"), ["yarn.lock"], false);
    assert.equal(shell?.label, "yarn test");
    assert.equal(testCommand(script("vitest"), ["pnpm-lock.yaml"], false)?.label, "pnpm test");
    assert.equal(testCommand("{}", [], true)?.label, "node --test");
    assert.equal(testCommand("no json", [], false), undefined);
  });

  it("are read in both of Node's formats, with colors and without", () => {
    const tap = "not ok 1 - adds\nok 2 - b\n# tests 2\n# pass 1\n# fail 1\n";
    const spec = "\u001b[31m✖ adds \u001b[90m(1.2ms)\u001b[39m\u001b[39m\nℹ pass 1\nℹ fail 1\n✖ adds (1.2ms)\n";
    for (const text of [tap, spec]) assert.deepEqual(readReport(text), { passed: 1, failed: 1, failures: ["adds"] });
    assert.deepEqual(readReport("boom"), { passed: undefined, failed: undefined, failures: [] });
  });
});
