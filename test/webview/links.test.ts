// The intents of links, without a page. Other tests of the panel click links.
import assert from "node:assert/strict";
import fc from "fast-check";
import { processorTime } from "../support/fakes/processorTime.ts";

/** The VS Code API of the webview, which the module acquires when it is loaded. */
const door = { postMessage: () => {}, getState: () => undefined, setState: () => {} };
Object.assign(globalThis, { acquireVsCodeApi: () => door });
const { linkIntent, pathHref } = await import("../../webview-ui/markdown/links.ts");

const file = (path: string, line?: number, more: object = {}) => ({
  type: "openFile",
  path,
  ...(line !== undefined && { line }),
  ...more,
});

describe("a link", () => {
  const rows: readonly (readonly [href: string, intent: object | undefined])[] = [
    ["src/a.ts", file("src/a.ts")],
    ["src/a.ts:10", file("src/a.ts", 10)],
    ["src/a.ts#L10", file("src/a.ts", 10)],
    ["a%20b.ts", file("a b.ts")],
    ["docs/C#/intro.md", file("docs/C#/intro.md")],
    ["docs/C%23/intro.md#L3", file("docs/C#/intro.md", 3)],
    ["docs/intro.md#a/b.c/d", file("docs/intro.md")],
    ["docs/intro.md#part", file("docs/intro.md")],
    ["docs/intro.md#a/b", file("docs/intro.md")],
    ["app/[slug]/page.tsx:10", file("app/[slug]/page.tsx", 10)],
    ["%E6%96%87%E6%A1%A3/a.md:3", file("文档/a.md", 3)],
    ["/work/a.ts", file("/work/a.ts")],
    ["C:\\work\\a.ts:3", file("C:\\work\\a.ts", 3)],
    ["file:///work/a.ts", file("/work/a.ts")],
    ["file://localhost/work/a.ts", file("/work/a.ts")],
    ["file:///C:/work/a.ts", file("C:/work/a.ts")],
    ["file:///c%3A/work/a.ts#L7", file("c:/work/a.ts", 7)],
    ["FILE://localhost/C:/work/a.ts:7:2", file("C:/work/a.ts", 7, { column: 2 })],
    ["src/a.ts:10:5", file("src/a.ts", 10, { column: 5 })],
    ["a.ts:10-20", file("a.ts", 10, { endLine: 20 })],
    ["src/a.ts#L10-L20", file("src/a.ts", 10, { endLine: 20 })],
    ["src/a.ts#L10C3-L20C1", file("src/a.ts", 10, { column: 3, endLine: 20 })],
    ["src/a.ts#L20-L10", file("src/a.ts", 20)],
    ["src/a.ts:0", file("src/a.ts")],
    ["src/a.ts:99999999999999999999", file("src/a.ts")],
    ["https://example.com/a", { type: "openLink", href: "https://example.com/a" }],
    ["mailto:a@b.c", { type: "openLink", href: "mailto:a@b.c" }],
    ["file://host/share/a.ts", undefined],
    ["file://localhost.example/share/a.ts", undefined],
    ["file:////host/share/a.ts", undefined],
    ["file:///%2Fhost/share/a.ts", undefined],
    ["file:///\\host\\share\\a.ts", undefined],
    ["file://\\\\host\\share\\a.ts", undefined],
    ["file://work", undefined],
    ["\\\\host\\share\\a.ts", undefined],
    [" \\\\host\\share\\a.ts:3", undefined],
    ["\\\\?\\C:\\work\\a.ts", undefined],
    ["//host/share/a.ts", undefined],
    ["\\/host/share/a.ts", undefined],
    ["%5C%5Chost\\share\\a.ts", undefined],
    ["/%5Chost/share/a.ts", undefined],
    ["#part", undefined],
    ["", undefined],
    ["java\nscript:alert(1)", undefined],
    ["vscode://a/b", undefined],
  ];
  for (const [href, intent] of rows) {
    it(`${JSON.stringify(href)} opens ${intent === undefined ? "nothing" : JSON.stringify(intent)}`, () => {
      assert.deepEqual(linkIntent(href), intent);
    });
  }

  it("to a path opens the path as it is written", () => {
    const name = fc.stringMatching(/^[a-zé文%#()[\] .-]{1,8}$/);
    const number = fc.integer({ min: 1, max: 999 });
    fc.assert(
      fc.property(name, number, fc.option(number), (text, line, column) => {
        const path = `src/x${text}x.ts`;
        const position = column === null ? { line } : { line, column };
        assert.deepEqual(linkIntent(pathHref({ path, ...position })), { type: "openFile", path, ...position });
        assert.deepEqual(linkIntent(pathHref({ path })), { type: "openFile", path });
      }),
    );
  });

  it("is read in time that is proportional to its length", () => {
    const hrefs = [
      ...[`a#${"/. ".repeat(30_000)}`, `a${":1".repeat(50_000)}x`, "a#L1".repeat(25_000), "#/.a".repeat(25_000)],
      `a#/${".a".repeat(50_000)}!`,
    ];
    for (const href of hrefs) {
      const used = processorTime();
      linkIntent(href);
      assert.ok(used() < 500, `${href.slice(0, 20)}: ${used()} ms`);
    }
  });

  it("never opens a file on another machine", () => {
    const part = fc.constantFrom(
      "\\",
      "/",
      "%5C",
      "%2f",
      "host",
      "file:",
      "file://",
      "localhost",
      "C:",
      " ",
      "\t",
      ":1",
      ".",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), parts => {
        const intent = linkIntent(parts.join(""));
        assert.ok(intent?.type !== "openFile" || !/^\s*[\\/]\s*[\\/]/.test(intent.path));
      }),
      { numRuns: 2000 },
    );
  });
});
