// Where a tool card names its files.
import assert from "node:assert/strict";
import { namedHeaders, namedLocations, namesFile, showsFile, uriFileName } from "../../src/panel/fileNames.ts";
import type { ToolPart } from "../../src/panel/protocol.ts";

const file = (path: string): { readonly path: string; readonly label: string } => ({ path: `/w/${path}`, label: path });
const diff = (path: string): ToolPart => ({
  type: "diff",
  ...file(path),
  operation: "modify",
  added: 1,
  removed: 0,
  hunks: [],
});
const text: ToolPart = { type: "text", text: "a.txt" };

describe("the names of files in a tool card", () => {
  it("are found in the title as a label or as a path, not within another name", () => {
    const rows: readonly [string, string, boolean][] = [
      ["Read a.txt", "a.txt", true],
      ["Read 'a.txt'.", "a.txt", true],
      ["Read /w/src/a.txt:10", "src/a.txt", true],
      ["Edit a.txt and b.txt", "b.txt", true],
      ["Read data.txt, then a.txt", "a.txt", true],
      ["Read data.txt", "a.txt", false],
      ["Read a.txt.bak", "a.txt", false],
      ["Read lib/a.txt", "a.txt", false],
      ["Read a.txt", "src/a.txt", false],
      ["Read", "", false],
      ["Read 设计.md", "设计.md", true],
      ["Read 新设计.md", "设计.md", false],
      ["读取a.txt文件", "a.txt", true],
      ["Read данныеa.txt", "a.txt", false],
      ["Read größe.md", "e.md", false],
      ["Read a.txtя", "a.txt", false],
      ["Read cafe\u0301.md", "\u0301.md", false],
      ["a.txt를 읽기", "a.txt", true],
      ["Read app/[slug]/page.tsx", "app/[slug]/page.tsx", true],
    ];
    for (const [title, label, named] of rows) assert.equal(namesFile(title, file(label)), named, `${title}: ${label}`);
  });

  it("are in the locations unless the title or a diff has them", () => {
    const locations = ["a.txt", "b.txt", "c.txt"].map(file);
    const left = namedLocations({ title: "Edit a.txt", locations, parts: [diff("b.txt")] });
    assert.deepEqual(left, [file("c.txt")]);
    const patch: ToolPart = { type: "files", files: [{ operation: "modify", ...file("a.txt") }] };
    assert.deepEqual(
      locations.map(({ path }) => showsFile([patch, diff("b.txt")], path)),
      [true, true, false],
    );
  });

  it("are in the header of the first diff of a file unless the title has it", () => {
    const rows: readonly [string | undefined, readonly ToolPart[], readonly boolean[]][] = [
      ["Edit", [diff("a.txt")], [true]],
      ["Edit a.txt", [diff("a.txt")], [false]],
      ["Edit", [text, diff("a.txt"), diff("a.txt")], [true, true, false]],
      ["Edit a.txt", [diff("a.txt"), text, diff("a.txt")], [false, true, false]],
      ["Edit a.txt", [diff("a.txt"), diff("b.txt")], [true, true]],
      [undefined, [diff("a.txt"), diff("a.txt")], [true, true]],
      ["Edit a.txt", [{ type: "files", files: [{ operation: "modify", ...file("a.txt") }] }], [false]],
    ];
    for (const [title, parts, named] of rows) assert.deepEqual(namedHeaders(parts, title), named, title);
  });
});

describe("the name of the file in a URI", () => {
  it("is decoded, on one line, and without invisible characters", () => {
    const rows: readonly [string, string][] = [
      ["file:///w/a%20b.ts#L3", "a b.ts"],
      ["parley:/conversation/1/Fix%20the%20%23parser%3F", "Fix the #parser?"],
      ["https://example.com/docs/?q=1", "docs"],
      ["C:\\w\\a.txt", "a.txt"],
      ["file:///w/50%.txt", "50%.txt"],
      ["file:///w/a%0Ab%E2%80%AEc", "a b[U+202E]c"],
      ["#", "#"],
    ];
    for (const [uri, name] of rows) assert.equal(uriFileName(uri), name, uri);
  });
});
