// The texts of the files in a folder without git, at one moment.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/fakes/until.ts";
import { folderLimits, folderTexts } from "../../src/review/turns/folderTexts.ts";

describe("the texts of a folder", () => {
  let folder = "";
  const path = (name: string): string => join(folder, name);
  const put = (name: string, content: string | Uint8Array): Promise<void> => writeFile(path(name), content);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-texts-"));
    await mkdir(path("src/node_modules"), { recursive: true });
    await put("a.txt", "a\r\n");
    await put("src/b.txt", "\uFEFFb\n");
    await put(".gitignore", "*.log\n");
    await put("x.log", "log\n");
    await put("src/node_modules/m.js", "m\n");
    await put("bytes", new Uint8Array([1, 0, 2]));
    await put("latin", new Uint8Array([0xe4, 0xf6]));
    // The file system's clock may be behind ours: files created before must be older by both clocks.
    const made = Date.now();
    await until(() => Date.now() > made + 25);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("are unchanged, whatever happens to the files since", async () => {
    const texts = await folderTexts(folder);
    await put("a.txt", "changed\n");
    await rm(path("src/b.txt"));
    assert.equal(await texts.textAt(path("a.txt")), "a\n");
    assert.equal(await texts.textAt(path("src/b.txt")), "b\n");
  });

  it("are unknown for files that are not UTF-8 text, and for excluded files", async () => {
    const texts = await folderTexts(folder);
    for (const name of ["bytes", "latin", "x.log", "src/node_modules/m.js"]) {
      assert.equal(await texts.textAt(path(name)), undefined, name);
    }
  });

  it("report that a file that was created and deleted since did not exist", async () => {
    const texts = await folderTexts(folder);
    assert.equal(await texts.textAt(path("nowhere")), null);
    assert.equal(await texts.textAt(join(folder, "..", "nowhere")), undefined);
  });

  it("report that the new name of a moved file did not exist", async () => {
    const texts = await folderTexts(folder);
    await rename(path("a.txt"), path("b.txt"));
    assert.equal(await texts.textAt(path("b.txt")), null);
    assert.equal(await texts.textAt(path("a.txt")), "a\n");
  });

  it("list the files of a folder that was deleted", async () => {
    const texts = await folderTexts(folder);
    await rm(path("src"), { recursive: true });
    assert.deepEqual(await texts.filesAt(path("src")), [path("src/b.txt")]);
    assert.deepEqual(await texts.filesAt(path("a.txt")), [path("a.txt")]);
    assert.deepEqual(await texts.filesAt(path("nowhere")), []);
    const small = await folderTexts(folder, { ...folderLimits, files: 0 });
    assert.equal(await small.filesAt(path("src")), undefined);
  });

  it("differ from the disk in created, changed, deleted and moved files, and not in ignored files", async () => {
    const texts = await folderTexts(folder);
    assert.deepEqual(await texts.differences(new AbortController().signal), []);
    await put("x.log", "more\n");
    await put("new.txt", "new\n");
    await put("a.txt", "changed\n");
    await rm(path("latin"));
    await mkdir(path("lib"));
    await rename(path("bytes"), path("lib/bytes"));
    const found = await texts.differences(new AbortController().signal);
    const of = (name: string) => found.find(one => one.path === path(name));
    assert.equal(found.length, 5);
    assert.deepEqual([of("new.txt")?.before, of("new.txt")?.was], [null, undefined]);
    assert.equal(of("a.txt")?.before, "a\n");
    assert.deepEqual([of("latin")?.before, of("latin")?.is], [undefined, undefined]);
    assert.ok(of("bytes")?.was !== undefined && of("bytes")?.was === of("lib/bytes")?.is);
  });

  it("report that a file created since did not exist", async () => {
    const texts = await folderTexts(folder);
    await put("new.txt", "new\n");
    assert.equal(await texts.textAt(path("new.txt")), null);
  });

  it("end at the limits, beyond which they are unknown", async () => {
    const none = await folderTexts(folder, { ...folderLimits, files: 0 });
    assert.equal(await none.textAt(path("a.txt")), undefined);
    const small = await folderTexts(folder, { ...folderLimits, bytes: 2 });
    assert.equal(await small.textAt(path("a.txt")), undefined);
  });
});
