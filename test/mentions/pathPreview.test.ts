// Previews of paths: the first lines, pictures, and no content of secrets.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { pathPreview } from "../../src/mentions/pathPreview.ts";
import { maxPreviewLines, previewText } from "../../src/panel/itemPreview.ts";
import { NodeDocuments } from "../support/fakes/nodeDocuments.ts";

describe("the preview of a path", () => {
  let folder: string;
  const documents = new NodeDocuments();
  const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-preview-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function written(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  }

  it("shows the path and the first lines of a file, or those of a location", async () => {
    const path = await written("a.txt", lines(500));
    const first = lines(12);
    assert.deepEqual(await pathPreview({ path }, "allowed", documents), { path, text: `${first}…` });
    assert.deepEqual(await pathPreview({ path, line: 3, endLine: 4 }, "allowed", documents), {
      path,
      text: "line 3\nline 4",
    });
    assert.deepEqual(await pathPreview({ path, line: 7 }, "allowed", documents), { path, text: "line 7" });
    assert.deepEqual(await pathPreview({ path, line: 900 }, "allowed", documents), { path, text: "" });
  });

  it("shows no content of secrets and of files outside the workspace, and does not read them", async () => {
    const unread = Object.assign(new NodeDocuments(), {
      stat: () => Promise.reject(new Error("read")),
      readWindow: () => Promise.reject(new Error("read")),
    });
    for (const access of ["secret", "outside"] as const) {
      const { text, image, note } = await pathPreview({ path: "/w/.env" }, access, unread);
      assert.deepEqual([text, image], [undefined, undefined]);
      assert.match(note ?? "", /content is not shown/);
    }
  });

  it("shows small pictures, and says why a large picture, a binary file or a missing file is not shown", async () => {
    const picture = await written("a.PNG", new Uint8Array([1, 2, 3]));
    const image = { mimeType: "image/png", data: "AQID" };
    assert.deepEqual(await pathPreview({ path: picture }, "allowed", documents), { path: picture, image });
    const large = await written("b.png", new Uint8Array(600_000));
    const binary = await written("c", new Uint8Array([1, 0, 2]));
    const long = await written("d.js", "x".repeat(100_000));
    for (const path of [large, binary, long, join(folder, "gone")]) {
      const { text, note } = await pathPreview({ path }, "allowed", documents);
      assert.equal(text, undefined);
      assert.ok(note, path);
    }
    await mkdir(join(folder, "sub"));
    assert.deepEqual(await pathPreview({ path: join(folder, "sub") }, "allowed", documents), {
      path: join(folder, "sub"),
    });
  });

  it("is short for any text, and marks what it leaves out", () => {
    const anyText = fc.array(fc.oneof(fc.string(), fc.constant("x".repeat(300)), fc.constant("")), { maxLength: 40 });
    fc.assert(
      fc.property(anyText, parts => {
        const text = parts.join("\n");
        const shown = previewText(text).split("\n");
        assert.ok(shown.length <= maxPreviewLines + 1);
        assert.ok(shown.every(line => line.length <= 161));
        const isWhole = previewText(text) === text.replace(/\r?\n$/, "").replaceAll("\r\n", "\n");
        assert.ok(isWhole || previewText(text).includes("…"));
      }),
    );
  });
});
