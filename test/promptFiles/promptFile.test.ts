// Prompt files as texts: front matter, arguments and variables.
import assert from "node:assert/strict";
import fc from "fast-check";
import { isPromptFileName, readPromptFile, type PromptFile } from "../../src/promptFiles/promptFile.ts";
import { promptInputs, replaceVariables, type EditorValues } from "../../src/promptFiles/promptVariables.ts";

function read(text: string): PromptFile {
  const found = readPromptFile(text, "review.prompt.md");
  assert.ok("file" in found, JSON.stringify(found));
  return found.file;
}

function problemOf(text: string): string {
  const found = readPromptFile(text, "review.prompt.md");
  assert.ok("problem" in found, JSON.stringify(found));
  return found.problem;
}

/** The values of an editor in which everything is known. */
const values: EditorValues = {
  file: { text: "/work/src/a.test.ts" },
  selection: { text: "one" },
  workspaceFolder: { text: "/work" },
};

describe("a prompt file", () => {
  it("without front matter is its text, and has the name of the file", () => {
    assert.deepEqual(read("Review it.\n\n---\nnot: front matter\n"), {
      name: "review",
      inputs: [],
      body: "Review it.\n\n---\nnot: front matter",
      ignored: [],
    });
  });

  it("has what its front matter says, in each form of a text, with every line end", () => {
    const lines = [
      "---",
      "# A comment",
      'name: "my review"',
      "description: 'It''s a: review' # of code",
      "argument-hint: [file] [what]",
      "mode: agent",
      "model: GPT-4.1",
      "tools: ['codebase', 'search']",
      "unknown:",
      "- list",
      "# A comment",
      "  - deeper: one",
      "---",
      "",
      "Review the [code](../src/a.ts).",
      "",
    ];
    for (const end of ["\n", "\r\n", "\r"])
      for (const mark of ["", "\ufeff"])
        assert.deepEqual(read(mark + lines.join(end)), {
          name: "my review",
          description: "It's a: review",
          argumentHint: "[file] [what]",
          inputs: [],
          body: "Review the [code](../src/a.ts).",
          ignored: ["mode", "model", "tools"],
        });
  });

  it("can have a description of several lines", () => {
    const description = (value: string): string | undefined => read(`---\ndescription: ${value}\n---\nx`).description;
    assert.equal(description(">-\n  one\n  two"), "one two");
    assert.equal(description("|\n  one\n  # two"), "one\n# two");
    assert.equal(description("one\n  two"), "one two");
    assert.equal(description('"one\n  two" # three'), "one two");
    assert.equal(description('"a\\tb \\u00e9 \\"c\\""'), 'a\tb é "c"');
    assert.equal(description(""), undefined);
    assert.equal(description("~"), undefined);
    assert.equal(description("\n- a\n- b"), undefined);
  });

  it("says what is wrong with it", () => {
    assert.equal(problemOf("---\nname: a\n"), "The front matter has no second line with “---”.");
    assert.equal(problemOf("---\nname: a\njust words\n---\nx"), "Line 3 of the front matter is not “key: value”.");
    assert.equal(problemOf("---\nname: a\nname: b\n---\nx"), "Line 3 of the front matter repeats “name”.");
    assert.equal(
      problemOf('---\nname: "a\n---\nx'),
      "Line 2 of the front matter has a quotation mark without its counterpart.",
    );
    for (const empty of ["", "\n \n", "---\nname: a\n---\n\n"])
      assert.equal(problemOf(empty), "The file has no text for the agent.");
    const many = Array.from({ length: 31 }, (_, at) => `\${input:a${at}}`).join("");
    assert.equal(problemOf(many), "The text asks for more than 30 values.");
  });

  it("is read or has a problem, and its variables are found and replaced, whatever its text is", () => {
    const piece = fc.oneof(
      fc.constantFrom("---\n", "name: ", '"', "'", "\n", "\r\n", ": ", "- ", "|", ">", "#", "\\", "\\u12", "[", "{"),
      fc.constantFrom("${", "${input:", "}", ":", "${file}", "${selection}", "${input:a:b}", "__proto__"),
      fc.string({ unit: "binary" }),
    );
    const text = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join(""));
    fc.assert(
      fc.property(fc.boolean(), text, (hasFrontMatter, words) => {
        const found = readPromptFile(hasFrontMatter ? `---\n${words}` : words, "x.prompt.md");
        if ("problem" in found) return assert.match(found.problem, /^[A-Z].*\.$/s);
        const { body, inputs, name } = found.file;
        assert.ok(name !== "" && body.trim() !== "");
        assert.equal(new Set(inputs.map(input => input.name)).size, inputs.length);
        replaceVariables(body, Object.fromEntries(inputs.map(input => [input.name, "${file}"])), values);
      }),
    );
  });

  it("is read quickly, also if it consists of beginnings of variables", () => {
    for (const start of ["${input:", "${input:a:", "${", "---\n", "a: '", '---\na: "\\'])
      readPromptFile(start.repeat(Math.floor(100_000 / start.length)), "x.prompt.md");
  }).timeout(2000);

  it("is known by the end of its name", () => {
    assert.deepEqual(["a.prompt.md", "A.PROMPT.MD", ".prompt.md", "a.md", "a.prompt.md.bak"].map(isPromptFileName), [
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe("the variables of a prompt file", () => {
  it("are arguments, each once, with the first hint", () => {
    assert.deepEqual(promptInputs("${input:b} ${input: a :What: it is} ${input:b:Second} ${input:} ${input:a}"), [
      { name: "b", placeholder: "Second" },
      { name: "a", placeholder: "What: it is" },
    ]);
  });

  it("are replaced once, and a value that looks like a variable stays as it is", () => {
    const body = "${input:a} and ${input: a :hint} in ${file}, ${other} ${input:b} $& ${constructor}";
    assert.deepEqual(replaceVariables(body, { a: "$1 ${selection}" }, values), {
      text: "$1 ${selection} and $1 ${selection} in /work/src/a.test.ts, ${other} ${input:b} $& ${constructor}",
      notes: [],
    });
  });

  it("stand for the file, the selection and the folder, with paths of both kinds", () => {
    const body =
      "${fileBasename} ${fileBasenameNoExtension} ${fileDirname} ${selection} ${selectedText} ${workspaceFolder} ${workspaceFolderBasename}";
    assert.equal(replaceVariables(body, {}, values).text, "a.test.ts a.test /work/src one one /work work");
    const windows = { ...values, file: { text: "C:\\work\\.env" }, workspaceFolder: { text: "C:\\work" } };
    assert.equal(replaceVariables(body, {}, windows).text, ".env .env C:\\work one one C:\\work work");
  });

  it("are refused if their values are longer than a preview shows", () => {
    const selection = { text: "x".repeat(99_000) };
    assert.equal(replaceVariables("${selection}".repeat(2), {}, { ...values, selection }).text.length, 198_000);
    assert.throws(
      () => replaceVariables("${selection}".repeat(9000), {}, { ...values, selection }),
      /more than 262144/,
    );
  });

  it("stay as they are if the editor has no value, with the reason", () => {
    const none: EditorValues = {
      file: { reason: "No file is open in an editor." },
      selection: { reason: "Nothing is selected." },
      workspaceFolder: { text: "/work" },
    };
    assert.deepEqual(replaceVariables("${fileBasename} ${selection} ${selection}", {}, none), {
      text: "${fileBasename} ${selection} ${selection}",
      notes: [
        "${fileBasename} stays as it is. No file is open in an editor.",
        "${selection} stays as it is. Nothing is selected.",
      ],
    });
  });
});
