// Paths in the texts of people and programs.
import assert from "node:assert/strict";
import fc from "fast-check";
import { findPaths, pathCandidates, wholePath } from "../../src/base/filePaths.ts";
import type { TextSource } from "../../src/base/pathsInRun.ts";
import { processorTime } from "../support/fakes/processorTime.ts";

/** The paths with their positions: `src/a.ts 10 5`. Text that may belong to a path is before `+`. */
const found = (text: string, source: TextSource = "markdown"): readonly string[] =>
  findPaths(text, source).map(({ path, leading, line, column, endLine }) =>
    [leading === undefined ? path : `${leading}+${path}`, line, column, endLine]
      .filter(part => part !== undefined)
      .join(" "),
  );

describe("paths in prose", () => {
  const rows: readonly (readonly [text: string, ...paths: readonly string[]])[] = [
    ["See app/[slug]/page.tsx, (app/(group)/page.tsx) and [app/[id]/page.tsx].", "app/[slug]/page.tsx", "app/(group)/page.tsx", "app/[id]/page.tsx"],
    ["(see src/a.ts) foo(src/b.ts) [src/c.ts]", "src/a.ts", "src/b.ts", "src/c.ts"],
    ["file=src/a.ts, src/b.ts,src/c.ts; src/d.ts|src/e.ts", "src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"],
    ["src/a.ts(12,3): and src/b.ts(7) and src/c.ts line 9", "src/a.ts 12 3", "src/b.ts 7", "src/c.ts 9"],
    ['File "src/a.py", line 10', "src/a.py 10"],
    ["src/a.ts:10-20 src/a.ts#L3C4-L5C6", "src/a.ts 10 20", "src/a.ts 3 4 5"],
    ["src/a.ts:99999999999999999999 src/a.ts:10abc", "src/a.ts", "src/a.ts"],
    // Quotation marks and blanks.
    ['"docs/my file.md" “docs/my file.md:3” «docs/my file.md» 「文档/我的 文件.md」', "docs/my file.md", "docs/my file.md 3", "docs/my file.md", "文档/我的 文件.md"],
    ['He said "see src/a.ts" and don\'t open src/b.ts', "src/a.ts", "src/b.ts"],
    ["docs/my folder/a.ts", "docs/my +folder/a.ts"],
    ["/Users/me/My Big Project/a.ts", "/Users/me/My Big +Project/a.ts"],
    ["src/a.ts src/b.ts", "src/a.ts", "src/b.ts"],
    // Scripts without blanks, and their punctuation.
    ["我修改了src/a.ts，以及《src/b.ts》（src/c.ts）。", "我修改了+src/a.ts", "src/b.ts", "src/c.ts"],
    ["src/a.ts和src/b.ts文件", "src/a.ts", "和+src/b.ts"],
    ["请看文档/设计.md。", "请看文档/设计.md"],
    ["ファイルsrc/a.tsを開く、src/b.ts:10行目", "ファイル+src/a.ts", "src/b.ts 10"],
    ["src/a.ts를 열고 문서/계획.md에서", "src/a.ts", "문서/계획.md"],
    ["打开/work/a.ts 打开./a.ts 打开C:\\work\\a.ts", "打开/work/a.ts", "打开+./a.ts", "打开+C:\\work\\a.ts"],
    ["修改（新增）src/a.ts", "修改（新增）+src/a.ts"],
    ["ראו src/קובץ.ts, ואז مسار/ملف.ts؟", "src/קובץ.ts", "مسار/ملف.ts"],
    ["Файл «src/план.ts».", "src/план.ts"],
    // Nothing that begins inside something longer.
    ["src/**/a.ts **/b.ts src/*/c.ts a?b/c.ts"],
    ["${root}/a.ts $ROOT/a.ts %ROOT%\\a.ts {{x}}/a.ts <name>/a.ts packages/<name>/a.ts"],
    ["app/(my group)/page.tsx"],
    ["https://example.com/a/b.ts vscode://file/a.ts git+ssh://host/a.ts ftp://h/a.ts"],
    ["\\\\host\\share\\a.ts //host/a.ts file://host/a.ts \\\\?\\C:\\a.ts"],
    ["见https://example.com/文档/a.ts。src/b.ts", "src/b.ts"],
    ["src/a.ts/b and src/a.ts-old/b"],
    ["src/a.ts\u202e/b.ts"],
    ["\u200esrc/קובץ.ts\u200f, src/a.ts\u200b", "src/קובץ.ts", "src/a.ts"],
  ]; // prettier-ignore
  for (const [text, ...paths] of rows)
    it(`are ${paths.length === 0 ? "not" : ""} found in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(found(text), paths);
    });
});

describe("a path between backticks", () => {
  const rows: readonly (readonly [text: string, path?: string])[] = [
    ["docs/my file.md", "docs/my file.md"],
    ["my folder/a file (1).md", "my folder/a file (1).md"],
    ["/Users/me/My Project/a.ts:3", "/Users/me/My Project/a.ts"],
    ["C:\\Program Files\\App\\a.cs(10,5)", "C:\\Program Files\\App\\a.cs"],
    ["文档/我的 文件.md", "文档/我的 文件.md"],
    ["node scripts/test.mjs"],
    ["git add src/a.ts"],
    ["./run src/a.ts"],
    ["node_modules/.bin/tsc src/a.ts"],
    ["tsc -p src/a.json"],
    ["src/a.ts src/b.ts"],
    ["src/a.ts, src/b.ts"],
    ["src/a.ts,src/b.ts"],
    ["cmd /c/a.ts"],
    ["import('src/a.ts')"],
    ["\\\\host\\share\\my file.ts"],
    ["x: src/a.ts"],
  ];
  for (const [text, path] of rows)
    it(`is ${path === undefined ? "not " : ""}${JSON.stringify(text)}`, () =>
      assert.equal(wholePath(text)?.path, path));
});

describe("a generated path", () => {
  const letters = [..."abzÄéßжλאعगक文件設한글ñ", "e\u0301", "\u1100\u1161", "नि", "𠮷", "わ"]; // prettier-ignore
  const word = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 5 }).map(parts => parts.join(""));
  const segment = fc.oneof(
    { weight: 4, arbitrary: word },
    fc
      .tuple(fc.constantFrom("[", "[...", "[["), word)
      .map(([open, name]) => `${open}${name}${open === "[[" ? "]]" : "]"}`),
    word.map(name => `(${name})`),
    fc.tuple(word, fc.constantFrom("#", "-", "_", "@", "+", "$", "~", ".", "'"), word).map(parts => parts.join("")),
  );
  /** The first folder is Latin: a sentence of another script can precede it without a blank. */
  const path = fc
    .tuple(fc.constantFrom("src/", "./", "../", "/w/", "~/", "C:/", "app/"), fc.array(segment, { maxLength: 4 }), word)
    .map(([start, folders, name]) => `${start}${folders.map(folder => `${folder}/`).join("")}${name}.ts`);
  const position = fc.constantFrom("", ":12", ":12:3", "(12,3)", "#L12", ":3-9");
  const around = fc.constantFrom(
    ["", ""], ["see ", " there"], ["(", ")"], ["[", "]"], ['"', '"'], ["“", "”."], ["see ", ", then"], ["", "."], ["（", "）"],
    ["请看 ", "。"], ["、", "、"], ["「", "」"], ["- ", ";"], ["x ", "!"], ["**", "**"], ["«", "»"], ["a | ", " | b"], ["=> ", ":"], ["", "?"],
  ); // prettier-ignore

  it("is found whole in prose and between backticks, and nothing else", () => {
    fc.assert(
      fc.property(path, position, around, (written, at, [before = "", after = ""]) => {
        const text = `${before}${written}${at}${after}`;
        const [one, ...others] = findPaths(text, "markdown");
        assert.deepEqual(others, [], text);
        assert.equal(one?.path, written, text);
        assert.equal(text.slice(one.start, one.end), `${written}${at}`, text);
        assert.equal(one.line === undefined, at === "", text);
        assert.equal(wholePath(`${written}${at}`)?.path, written, text);
      }),
      { numRuns: 2000 },
    );
  });

  it("is found whole in the output of a command", () => {
    fc.assert(
      fc.property(path, fc.constantFrom(":12", ":12:3", "(12,3)"), around, (written, at, [before = "", after = ""]) => {
        assert.deepEqual(
          findPaths(`${before}${written}${at}${after}`, "output").map(one => one.path),
          [written],
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("never gives a path that begins inside it, wherever something unknown is in it", () => {
    const unknown = fc.constantFrom("*", "**", "?", "<x>", "${x}", "{a,b}", "…");
    fc.assert(
      fc.property(path, unknown, path, (first, part, second) => {
        const text = `${first}/${part}/${second.replace(/^(?:[A-Z]:|[.~]*)\//, "")}`;
        assert.deepEqual(findPaths(text, "markdown"), [], text);
      }),
      { numRuns: 1000 },
    );
  });

  it("has ranges in order that fit the text, whatever the text is", () => {
    const part = fc.constantFrom("a", "文", "/", "\\", ".ts", ":", "1", "(", ")", "[", "]", '"', "'", " ", "*", "#L", "//", "file://", ",", "、", "\u0301", "C:", "\\["); // prettier-ignore
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }),
        fc.constantFrom<TextSource>("markdown", "output"),
        (parts, source) => {
          const text = parts.join("");
          let last = 0;
          for (const { start, end, path } of findPaths(text, source)) {
            assert.ok(last <= start && start < end && end <= text.length, text);
            assert.ok(!/^(?:\\\\|\/\/)/.test(path), text);
            last = end;
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe("what a path can stand for", () => {
  it("is the path with the text before it, itself, and without the beginning of a sentence", () => {
    assert.deepEqual(pathCandidates("src/a.ts"), ["src/a.ts"]);
    assert.deepEqual(pathCandidates("src/a.ts", "文档"), ["文档src/a.ts", "src/a.ts"]);
    assert.deepEqual(pathCandidates("请看文档/a.md"), ["请看文档/a.md", "看文档/a.md", "文档/a.md", "档/a.md"]);
    assert.deepEqual(pathCandidates("e\u0301.md"), ["e\u0301.md", "\u00e9.md"]);
    assert.ok(pathCandidates(`${"文".repeat(1000)}/a.md`).length <= 80);
  });
});

describe("hostile text", () => {
  const pieces = ["a.ts", "a.ts和", "a/", "[", "]", "(", ")", "[]", "a.", "a.ts:1", "/a.ts", '"', "“", "'a ", "文", "a.ts,", "a=", "a/b ", "\\[/", "C:\\", "://", "file:///", "file://a.ts#L1", "$a", "e\u0301", ".ts文/"]; // prettier-ignore
  for (const piece of pieces)
    it(`is searched in linear time if it repeats ${JSON.stringify(piece)}`, () => {
      const text = piece.repeat(Math.ceil(200_000 / piece.length));
      for (const source of ["markdown", "output"] as const) {
        const time = processorTime();
        findPaths(text, source);
        assert.ok(time() < 2000, `${time()} ms`);
      }
      const time = processorTime();
      wholePath(`${text.slice(0, 50_000)}.ts`);
      assert.ok(time() < 500, `${time()} ms`);
    });
});
