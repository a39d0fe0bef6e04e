// File paths in prose and the info strings of fences, without a page.
import assert from "node:assert/strict";
import { files, noFiles } from "./pathTable.ts";

/** The VS Code API of the webview, which the module acquires when it is loaded. */
const door = { postMessage: () => {}, getState: () => undefined, setState: () => {} };
Object.assign(globalThis, { acquireVsCodeApi: () => door });
const { findPath, isPath, pathAtStart } = await import("../../src/panel/markdown/filePaths.ts");
const { fenceInfo } = await import("../../webview-ui/markdown/fence.ts");

/** The files that the panel finds in a line of prose. */
function filesIn(text: string): readonly string[] {
  const found: string[] = [];
  for (let rest = text; rest !== "";) {
    const at = findPath(rest);
    if (at === undefined) break;
    const path = pathAtStart(rest.slice(at));
    if (path !== undefined) found.push(path);
    rest = rest.slice(at + (path?.length ?? 1));
    // The lexer checks the text that follows; here the start of a word must not count as the start of a path.
    if (path === undefined) rest = rest.replace(/^[\w/:.@+~\\-]*/, "");
  }
  return found;
}

describe("a file in prose", () => {
  for (const text of files)
    it(`is ${text}`, () => {
      assert.ok(isPath(text), "between backticks");
      assert.deepEqual(filesIn(`See ${text}, then (${text}) and ${text}.`), [text, text, text]);
    });
  for (const text of noFiles)
    it(`is not ${text}`, () => {
      assert.ok(!isPath(text), "between backticks");
      assert.deepEqual(filesIn(`See ${text} there`), []);
    });
});

describe("the info string of a fence", () => {
  const rows: readonly (readonly [info: string, language: string, path?: string])[] = [
    ["", ""],
    ["ts", "ts"],
    ["js,ignore", "js"],
    ["js{1,3-5}", "js"],
    ["c++", "c++"],
    ["ts src/a.ts", "ts", "src/a.ts"],
    ['ts title="src/a.ts"', "ts", "src/a.ts"],
    ["ts title='src/my file.ts' showLineNumbers", "ts", "src/my file.ts"],
    ["ts {file=src/a.ts}", "ts", "src/a.ts"],
    ["python filename=app.py", "python", "app.py"],
    ["ts:src/a.ts", "ts", "src/a.ts"],
    ["src/a.ts", "ts", "src/a.ts"],
    ["10:20:src/a.ts", "ts", "src/a.ts"],
    ["C:\\work\\a.ts", "ts", "C:\\work\\a.ts"],
    ["bash npm test", "bash"],
    ['ts title="https://example.com/a.ts"', "ts"],
    ['ts title="\\\\host\\share\\a.ts"', "ts"],
    ['ts title="Example 1."', "ts"],
    ["mermaid", "mermaid"],
  ];
  for (const [info, language, path] of rows)
    it(`${JSON.stringify(info)} is ${language || "no language"}${path === undefined ? "" : ` for ${path}`}`, () => {
      assert.deepEqual(fenceInfo(info), { language, ...(path !== undefined && { path }) });
    });
});
