// The body of a tool call whose agent sends only raw output.
import assert from "node:assert/strict";
import { isOnlySuccess, rawBody } from "../../src/panel/projection/rawBody.ts";
import type { ToolContent, ToolFields } from "../../src/session/events.ts";

const text = (words: string): ToolContent => ({ type: "content", content: { type: "text", text: words } });
const diff: ToolContent = { type: "diff", path: "/w/a", newText: "x" };
const blocks = [
  { type: "text", text: "a" },
  { type: "image", data: "AA==" },
  { type: "text", text: "b" },
];

describe("the body from raw output", () => {
  const rows: readonly [string, unknown, string | undefined][] = [
    ["a text", "out\n", "out\n"],
    ["a blank text", " \n", undefined],
    ["content", { content: "line 1\n", detailedContent: "diff --git" }, "line 1\n"],
    ["detailed content alone", { detailedContent: "diff --git" }, undefined],
    [
      "a message",
      { message: "The user rejected this tool call.", code: "rejected" },
      "The user rejected this tool call.",
    ],
    ["an error", { result: null, error: "No such tool." }, "No such tool."],
    ["an error object", { error: { code: 1, message: "No such tool." } }, "No such tool."],
    ["an error object with details", { error: { details: "401" } }, "401"],
    ["output", { output: "out", metadata: { truncated: false } }, "out"],
    ["stdout", { stdout: "out\n", stderr: "", exit_code: 0 }, "out\n"],
    ["stdout and stderr", { stdout: "out\n", stderr: "err\n" }, "out\nerr\n"],
    ["stderr alone", { stdout: "", stderr: "err\n" }, "err\n"],
    ["formatted output", { formatted_output: "out" }, "out"],
    ["all output of a program", { stdout: "a\n", aggregated_output: "a\nb\n", formatted_output: "a\nb\n" }, "a\nb\n"],
    ["a result with content", { result: { content: blocks, structuredContent: null }, error: null }, "a\nb"],
    ["a list of content", { content: blocks }, "a\nb"],
    ["content blocks", blocks, "a\nb"],
    ["a blank field before another", { content: "", output: "out" }, "out"],
    ["other fields", { success: true, changes: { a: "b" } }, undefined],
    ["a number", 7, undefined],
    ["null", null, undefined],
    ["fields of other types", { content: 1, message: {}, output: [], stdout: null, result: "" }, undefined],
  ];
  for (const [what, rawOutput, expected] of rows)
    it(`of ${what} is ${JSON.stringify(expected) ?? "nothing"}`, () => {
      assert.equal(rawBody({ rawOutput, status: "completed" }), expected);
    });

  it("is the error of a failed call, not its partial output", () => {
    const rawOutput = { output: "half", error: { message: "Connection lost." } };
    assert.equal(rawBody({ rawOutput, status: "failed" }), "Connection lost.");
    assert.equal(rawBody({ rawOutput: { stdout: "half" }, status: "failed" }), "half");
  });

  const contents: readonly [string, readonly ToolContent[], ToolFields["status"], unknown, string | undefined][] = [
    ["beside content", [text("own")], "completed", "out", undefined],
    ["beside a blank text", [text(" ")], "completed", "out", "out"],
    ["beside a terminal", [{ type: "terminal", terminalId: "x" }], "failed", { error: "no" }, undefined],
    ["beside a diff", [diff], "completed", { stdout: "Done.\nM /w/a\n", success: true }, undefined],
    ["beside a diff, also content", [diff], "completed", { content: "Created file /w/a" }, undefined],
    ["beside the diff of a failed call, also stdout", [diff], "failed", { stdout: "Done." }, undefined],
    ["beside the diff of a failed call, except its error", [diff], "failed", { error: "No match." }, "No match."],
  ];
  for (const [what, content, status, rawOutput, expected] of contents)
    it(`is ${expected === undefined ? "not shown" : "shown"} ${what}`, () =>
      assert.equal(rawBody({ content, status, rawOutput }), expected));
});

describe("raw output that says only that a call succeeded", () => {
  it("holds exit code 0 and nothing else", () => {
    for (const one of [
      { exit_code: 0 },
      { exitCode: 0, signal: null },
      { exit: 0, output: "" },
      { metadata: { exit: 0 } },
    ])
      assert.ok(isOnlySuccess(one), JSON.stringify(one));
    for (const one of [
      { exit_code: 1 },
      { exit_code: 0, a: 1 },
      {},
      [],
      0,
      null,
      "0",
      { exit_code: "0" },
      { metadata: {} },
    ])
      assert.ok(!isOnlySuccess(one), JSON.stringify(one));
  });
});
