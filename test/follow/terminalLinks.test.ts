// The locations that compilers, test runners and stack traces print.
import assert from "node:assert/strict";
import { terminalLinks } from "../../src/follow/terminalLinks.ts";

describe("locations in a command's output", () => {
  const found = (output: string): readonly string[] =>
    terminalLinks(output, "/w").map(({ path, line }) => `${path} ${line}`);

  for (const [what, output, ...places] of [
    ["a compiler", "src/a.ts:10:5 - error TS2322: no", "/w/src/a.ts 10"],
    ["an older compiler", "src/a.ts(10,5): error TS2322: no", "/w/src/a.ts 10"],
    ["Python", '  File "/w/src/a.py", line 12, in <module>', "/w/src/a.py 12"],
    [
      "a stack",
      "    at sum (/w/src/sum.js:6:3)\n    at file:///w/test/sum.test.js:4:10",
      "/w/src/sum.js 6",
      "/w/test/sum.test.js 4",
    ],
    ["grep", "./src/a.ts:7:  const a = 1;", "/w/src/a.ts 7"],
    ["colours", "\u001b[36msrc/a.ts\u001b[0m:\u001b[33m10\u001b[0m:5", "/w/src/a.ts 10"],
    ["a hyperlink", "\u001b]8;;file:///w/x.ts\u0007src/a.ts:3\u001b]8;;\u0007", "/w/src/a.ts 3"],
    ["a path in a parent folder", "../v/a.ts:2", "/v/a.ts 2"],
  ] as const) {
    it(`are found in the format of ${what}`, () => assert.deepEqual(found(output), places));
  }

  for (const [what, output] of [
    ["a time", "12:30:45 started"],
    ["an address", "Listening on http://example.org:8080/"],
    ["a line 0", "src/a.ts:0"],
    ["an installed package", "at x (/w/node_modules/y/z.js:10:1)"],
    ["the inside of Node.js", "at node:internal/process/task_queues:95:5"],
  ] as const) {
    it(`do not include ${what}`, () => assert.deepEqual(found(output), []));
  }

  it("are few, also in floods", () => {
    assert.equal(terminalLinks("src/a.ts:1 src/b.ts:2 ".repeat(1_000_000), "/w").length, 2);
    const many = Array.from({ length: 1000 }, (_, at) => `src/${at}.ts:1\n`).join("");
    assert.equal(terminalLinks(many, "/w").length, 5);
    assert.deepEqual(terminalLinks("a.".repeat(100_000), "/w"), []);
  });
});
