// The prompt of a review by an agent, and the remarks in its answer.
import assert from "node:assert/strict";
import { applyPatch, parsePatch } from "diff";
import fc from "fast-check";
import { reviewRemarks, reviewRequest } from "../../src/comments/reviewRequest.ts";
import { track } from "../../src/review/fileChanges.ts";

const lines = (...all: readonly string[]): string => all.map(one => `${one}\n`).join("");
const ten = lines("1", "2", "3", "4", "5", "6", "7", "8", "9", "10");

/** The diff in a request, as `git apply` gets it. */
const diffIn = (request: string): string => /^`{3,}diff\n([^]*?)\n`{3,}$/m.exec(request)?.[1] ?? "";

const changed = (base: string | null, text: string | null): Parameters<typeof reviewRequest>[0][number]["changes"] =>
  track(base, text, "turn");

const file = (name: string): { readonly name: string; readonly path: string } => ({ name, path: `/work/app/${name}` });

describe("the request for a review", () => {
  it("has each change as a unified diff with three lines around it", () => {
    const text = ten.replace("1\n", "one\n").replace("9\n", "").replace("10\n", "ten\n");
    const request = reviewRequest([{ ...file("src/a.txt"), changes: changed(ten, text) }]);
    assert.match(request, /^Review these changes.*Do not change any file\.\n/);
    assert.equal(
      diffIn(request),
      [
        ...["--- a/src/a.txt", "+++ b/src/a.txt", "@@ -1,4 +1,4 @@", "-1", "+one", " 2", " 3", " 4"],
        ...["@@ -6,5 +6,4 @@", " 6", " 7", " 8", "-9", "-10", "+ten"],
      ].join("\n"),
    );
  });

  it("has new, deleted and moved files, and the sentence about one without texts", () => {
    const request = reviewRequest([
      { ...file("new.txt"), changes: changed(null, "a\n") },
      { ...file("gone.txt"), changes: changed("b\n", null) },
      { ...file("to.txt"), movedFrom: "from.txt", changes: changed("c\n", "d\n") },
      { ...file("logo.png"), changes: changed(null, null), unknown: "The file is binary." },
    ]);
    assert.equal(
      diffIn(request),
      [
        ...["--- /dev/null", "+++ b/new.txt", "@@ -0,0 +1,1 @@", "+a"],
        ...["--- a/gone.txt", "+++ /dev/null", "@@ -1,1 +0,0 @@", "-b"],
        ...["--- a/from.txt", "+++ b/to.txt", "@@ -1,1 +1,1 @@", "-c", "+d"],
        ...["--- a/logo.png", "+++ b/logo.png", "The file is binary."],
      ].join("\n"),
    );
  });

  it("names the files whose diffs are too large, and has the other ones", () => {
    const request = reviewRequest([
      { ...file("large.txt"), changes: changed("", `${"x".repeat(200_000)}\n`) },
      { ...file("larger.txt"), changes: changed("", `${"x".repeat(300_000)}\n`) },
      { ...file("small.txt"), changes: changed("", "y\n") },
    ]);
    assert.ok(request.length < 202_000);
    assert.match(request, /are too large\. Read the files: larger\.txt$/);
    assert.match(diffIn(request), /\+y/);
    const none = reviewRequest([{ ...file("larger.txt"), changes: changed("", `${"x".repeat(500_000)}\n`) }]);
    assert.doesNotMatch(none, /`{3}/);
  });

  it("has a diff that turns any text into any other", () => {
    const anyText = fc
      .tuple(fc.array(fc.constantFrom("a", "b", "c", "", "```"), { maxLength: 30 }), fc.boolean())
      .map(([all, isTerminated]) => (isTerminated ? lines(...all) : all.join("\n")));
    fc.assert(
      fc.property(anyText, anyText, (base, text) => {
        fc.pre(base !== text);
        const diff = diffIn(reviewRequest([{ ...file("a"), changes: changed(base, text) }]));
        const [patch] = parsePatch(`${diff}\n`);
        assert.ok(patch);
        assert.equal(applyPatch(base, patch), text);
      }),
    );
  });
});

describe("the remarks in a review", () => {
  const foundIn = (answer: string, ...names: readonly string[]): readonly string[] =>
    reviewRemarks(answer, names.map(file)).map(
      ({ name, lines: { from, to }, text }) => `${name} ${from}-${to}: ${text}`,
    );
  const found = (answer: string): readonly string[] => foundIn(answer, "src/a.ts", "b.ts");

  it("are paragraphs that begin with a file and a line, in the ways in which agents write them", () => {
    const written = [
      "src/a.ts:3: Too long.",
      "`src/a.ts:3`: Too long.",
      "`src/a.ts:3:` Too long.",
      "**src/a.ts:3** — Too long.",
      "**src/a.ts:3:** Too long.",
      "- **`src/a.ts:3`** Too long.",
      "1. [src/a.ts:3](src/a.ts#L3): Too long.",
      "### src/a.ts:3\n\nToo long.",
      "./src/a.ts:L3 - Too long.",
      "src\\a.ts:3:5: Too long.",
      "/work/app/src/a.ts:3: Too long.",
      "b/src/a.ts:3: Too long.",
    ];
    for (const one of written) assert.deepEqual(found(one), ["src/a.ts 2-3: Too long."], one);
    assert.deepEqual(found("src/a.ts:3-5: Too long."), ["src/a.ts 2-5: Too long."]);
    assert.deepEqual(found("src/a.ts:L3–L5: Too long."), ["src/a.ts 2-5: Too long."]);
    assert.deepEqual(found("src/a.ts:3: `size` is **no** part."), ["src/a.ts 2-3: `size` is **no** part."]);
  });

  it("have all lines of their paragraph with the code and the list after it, and no closing words", () => {
    const answer = [
      ...[
        "I have read all of it.",
        "",
        "src/a.ts:3: Too long.",
        "Shorten it:",
        "",
        "```ts",
        "src/a.ts:9: in code",
        "```",
        "",
      ],
      ...["- one", "- two", "", "b.ts:1: Why?", "", "Otherwise it is good."],
    ];
    const expected = [
      "src/a.ts 2-3: Too long.\nShorten it:\n\n```ts\nsrc/a.ts:9: in code\n```\n\n- one\n- two",
      "b.ts 0-1: Why?",
    ];
    for (const lineEnd of ["\n", "\r\n", "\r"]) assert.deepEqual(found(answer.join(lineEnd)), expected, lineEnd);
  });

  it("are about the file that is meant, whatever its name has in common with others", () => {
    for (const name of ["app/[id]/page.tsx", "lib/(x)/y.ts", "__init__.py", "a b.txt"])
      assert.deepEqual(foundIn(`${name}:3: Why?`, name, "y.ts", "init"), [`${name} 2-3: Why?`]);
    assert.deepEqual(foundIn("_config.yml:3: Why?", "config.yml", "_config.yml"), ["_config.yml 2-3: Why?"]);
    assert.deepEqual(foundIn("a/README.md:3: Why?", "README.md", "a/README.md"), ["a/README.md 2-3: Why?"]);
    assert.deepEqual(foundIn("docs/config.yml:4: Why?", "config.yml"), []);
    assert.deepEqual(found("other.ts:3: Too long.\n\nhttp://example.com:80: no\n\nNo remarks.\n\nsrc/a.ts:3:"), []);
  });

  it("are found in a hostile answer, too", () => {
    const marks = ["- ", "[", "*", "1. ", "a:1", "> ", "`", "_"].map(mark => mark.repeat(200_000));
    const ends = ["_", " ", "\t", ")", "](", "–"].map(mark => `b.ts:1${mark.repeat(200_000)}\rx\u2028x`);
    for (const hostile of [...marks, ...ends])
      assert.match(found(`b.ts:1: Why?\n\n${hostile}`)[0] ?? "", /^b\.ts 0-1: Why\?/, hostile.slice(0, 10));
  });
});
