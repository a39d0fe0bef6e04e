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
    ["Next.js", "./app/[slug]/(group)/page.tsx:10:5", "/w/app/[slug]/(group)/page.tsx 10"],
    [
      "a compiler with brackets in the path",
      "app/[slug]/page.tsx(10,5): error TS2322: no",
      "/w/app/[slug]/page.tsx 10",
    ],
    ["a stack with brackets in the path", "at Page (/w/app/[id]/page.tsx:6:3)", "/w/app/[id]/page.tsx 6"],
    [
      "a compiler of C#",
      "src/C#/Größe.cs(12,3): error CS1002: ; expected",
      "/w/src/C#/Größe.cs 12",
      "/w/src/C#/Gro\u0308ße.cs 12",
    ],
    ["letters of other scripts", "文/设计.ts:3 и документы/план.ts:4", "/w/文/设计.ts 3", "/w/документы/план.ts 4"],
    ["decomposed letters", "cafe\u0301/a.ts:3", "/w/cafe\u0301/a.ts 3", "/w/caf\u00e9/a.ts 3"],
    ["a sentence without blanks", "请看文/a.ts:3", "/w/请看文/a.ts 3", "/w/看文/a.ts 3", "/w/文/a.ts 3"],
    ["Python with a blank in the path", '  File "/w/my dir/a.py", line 12, in <module>', "/w/my dir/a.py 12"],
    ["a blank in an absolute path", "at /w/My Project/a.ts:3:1", "/w/My Project/a.ts 3", "/w/Project/a.ts 3"],
    ["a URI with brackets", "at file:///w/app/%5Bslug%5D/page.js:4:10", "/w/app/[slug]/page.js 4"],
  ] as const) {
    it(`are found in the format of ${what}`, () => assert.deepEqual(found(output), places));
  }

  for (const [what, output] of [
    ["a time", "12:30:45 started"],
    ["an address", "Listening on http://example.org:8080/"],
    ["a line 0", "src/a.ts:0"],
    ["an installed package", "at x (/w/node_modules/y/z.js:10:1)"],
    ["the end of a pattern", "src/**/a.ts:3 <name>/b.ts:4 ${x}/c.ts:5"],
    ["a part of an address", "http://example.org/a/b.js:3:1 https://example.org/x(y)/c.js:4"],
    ["a file on another machine", "\\\\host\\share\\a.ts:3 //host/share/b.ts:4 file://host/c.ts:5"],
    ["the inside of Node.js", "at node:internal/process/task_queues:95:5"],
  ] as const) {
    it(`do not include ${what}`, () => assert.deepEqual(found(output), []));
  }

  it("are few, also in floods", () => {
    assert.equal(terminalLinks("src/a.ts:1 src/b.ts:2 ".repeat(1_000_000), "/w").length, 2);
    const many = Array.from({ length: 1000 }, (_, at) => `src/${at}.ts:1\n`).join("");
    assert.equal(terminalLinks(many, "/w").length, 5);
    const guesses = Array.from({ length: 9 }, (_, at) => `/w/My Project/${at}.ts:1\n`).join("");
    assert.deepEqual(new Set(found(guesses).map(link => link.at(-6))), new Set("01234"));
    assert.deepEqual(terminalLinks("a.".repeat(100_000), "/w"), []);
  });
});
