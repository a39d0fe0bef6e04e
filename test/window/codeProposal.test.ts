// Where the code of an answer belongs in a file: a guess that the user sees as a diff.
import assert from "node:assert/strict";
import { indentCode, proposeCode } from "../../src/window/code/codeProposal.ts";

const file = `import x from "x";

export function sum(numbers) {
  let total = 1;

  for (const n of numbers) total += n;
  return total;
}

class Cart {
  add(item) {
    this.items.push(item);
  }

  total() {
    return 0;
  }
}
`;

function applied(text: string, code: string, selected?: string): { readonly text: string; readonly replaces: string } {
  const at = selected === undefined ? -1 : text.indexOf(selected);
  const selection = selected === undefined ? undefined : { start: at, end: at + selected.length };
  const { start, end, text: put, replaces } = proposeCode(text, code, selection);
  return { text: text.slice(0, start) + put + text.slice(end), replaces };
}

describe("the proposal of code for a file", () => {
  it("replaces the function that begins with the code's first line", () => {
    const code = "export function sum(numbers) {\n  return numbers.reduce((a, b) => a + b, 0);\n}\n";
    const { text, replaces } = applied(file, code);
    assert.equal(replaces, "block");
    assert.ok(text.includes(`"x";\n\n${code}\nclass Cart`), text);
  });

  it("uses the indentation of the block it replaces", () => {
    const { text } = applied(file, "total() {\n  return this.sum();\n}");
    assert.ok(text.includes("\n  total() {\n    return this.sum();\n  }\n}\n"), text);
  });

  it("replaces a block without a closing line, as in Python", () => {
    const python = "def a():\n    return 1\n\n\ndef b():\n    return 2\n";
    assert.equal(
      applied(python, "def a():\n    x = 3\n    return x\n").text,
      python.replace("return 1", "x = 3\n    return x"),
    );
  });

  it("replaces the selection, whatever its first line", () => {
    const { text, replaces } = applied(file, "  let total = 0;", "  let total = 1;\n");
    assert.equal(replaces, "selection");
    assert.equal(text, file.replace("total = 1", "total = 0"));
  });

  it("replaces the whole file if the code has several blocks, or the file has its first line twice or not at all", () => {
    for (const code of ["a\nb\n", "export function sum(numbers) {\n}\n\nfunction more() {\n}\n"])
      assert.deepEqual(applied(file, code), { text: code, replaces: "all" });
    assert.equal(applied("if (a) {\n}\nif (a) {\n}\n", "if (a) {\n  b();\n}").replaces, "all");
  });

  it("ends a file with a line feed if it had one, and keeps its line endings in a block", () => {
    assert.equal(applied("x\n", "y").text, "y\n");
    assert.equal(applied("", "y").text, "y\n");
    assert.equal(applied("x", "y").text, "y");
    assert.equal(applied("a\r\nf {\r\n  x\r\n}\r\nb", "f {\n  y\n}").text, "a\r\nf {\r\n  y\r\n}\r\nb");
  });
});

describe("the code at the cursor", () => {
  it("has the indentation of the cursor, except for blank lines", () => {
    assert.equal(indentCode("a\n  b\n\nc", "  "), "a\n    b\n\n  c");
    assert.equal(indentCode("a\nb", ""), "a\nb");
  });
});
