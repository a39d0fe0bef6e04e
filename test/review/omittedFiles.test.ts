// What is read of the files that no tree has, within the limits, and which of them are gone later.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FileDifference } from "../../src/review/turns/turnStart.ts";
import { omittedFiles } from "../../src/review/turns/omittedFiles.ts";

describe("files that no tree has", () => {
  let folder: string;
  const never = new AbortController().signal;
  const at = (name: string): string => join(folder, name);
  const write = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) {
      await mkdir(dirname(at(name)), { recursive: true });
      await writeFile(at(name), `${name}\n`);
    }
  };
  const gone = async (start: { differences: (signal: AbortSignal) => Promise<readonly FileDifference[]> }) =>
    (await start.differences(never))
      .map(one => `${one.path.slice(folder.length + 1)}${one.isFolder ? "/" : ""} ${JSON.stringify(one.before)}`)
      .toSorted();

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-omitted-")));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("are known with their texts, and only those that are gone differ", async () => {
    await write(".env", "data/a", "data/in/b", "data/c");
    const start = await omittedFiles([at(".env"), at("data/"), at("never"), at("never/")]);
    assert.equal(await start.textAt(at("data/in/b")), "data/in/b\n");
    assert.equal(await start.textAt(at("other")), undefined);
    await write("data/c", "data/new");
    await rm(at(".env"));
    await rm(at("data/in"), { recursive: true });
    assert.deepEqual(await gone(start), ['.env ".env\\n"', 'data/in/b "data/in/b\\n"']);
  });

  it("are not followed through links, and a link in the place of a file or a folder differs", async () => {
    await write("data/a", "data/in/b", "elsewhere/secret");
    await symlink(at("elsewhere"), at("data/out"));
    const start = await omittedFiles([at("data/")]);
    assert.equal(await start.textAt(at("data/out/secret")), undefined);
    assert.deepEqual(await start.stateAt(at("data/out")), { kind: "link", target: at("elsewhere") });
    await rm(at("data/a"));
    await symlink("in/b", at("data/a"));
    await rename(at("data/in"), at("moved"));
    await symlink(at("elsewhere"), at("data/in"));
    await write("elsewhere/b");
    assert.deepEqual(await gone(start), ['data/a "data/a\\n"', 'data/in/b "data/in/b\\n"']);
  });

  it("are not read in folders that programs fill, whose deletion is one difference", async () => {
    await write("node_modules/a/b.js", "pkg/node_modules/c.js", "cache/CACHEDIR.TAG", "cache/in/d", "venv/pyvenv.cfg");
    await write("data/repository/.git/HEAD", "data/repository/e");
    const names = ["node_modules/", "pkg/", "cache/", "venv/", "data/"];
    const start = await omittedFiles(names.map(at));
    for (const name of names) await rm(at(name), { recursive: true });
    assert.deepEqual(await gone(start), [
      "cache/ undefined",
      "data/repository/.git/ undefined",
      'data/repository/e "data/repository/e\\n"',
      "node_modules/ undefined",
      "pkg/ undefined",
      "venv/ undefined",
    ]);
  });

  it("beyond the number of files are not known, and the topmost folder without a known file says so", async () => {
    await write("a/1", "a/2", "a/in/3", "a/in/er/4", "a/in/er/est/5");
    const start = await omittedFiles([at("a/")], { files: 2 });
    await rm(at("a"), { recursive: true });
    assert.deepEqual(await gone(start), ['a/1 "a/1\\n"', 'a/2 "a/2\\n"', "a/in/ undefined"]);
  });

  it("near the top are read first", async () => {
    await write("a/in/er/1", "a/in/er/2", "b/3", "c");
    const start = await omittedFiles([at("a/"), at("b/"), at("c")], { files: 2 });
    assert.deepEqual([...start.files.keys()], [at("c"), at("b/3")]);
  });

  it("beyond the size are listed without their texts", async () => {
    await write("a/1", "a/2");
    const start = await omittedFiles([at("a/")], { bytes: 5 });
    await rm(at("a"), { recursive: true });
    // Files are read at the same time, so either one can be the first.
    const [first, second] = [
      ['a/1 "a/1\\n"', "a/2 undefined"],
      ["a/1 undefined", 'a/2 "a/2\\n"'],
    ];
    const listed = (await gone(start)).toSorted();
    assert.deepEqual(listed, listed[0] === first[0] ? first : second);
  });

  it("without a size or without time are only known by their names", async () => {
    await write("a/1", "b");
    for (const limits of [{ bytes: 0 }, { milliseconds: -1 }]) {
      await write("a/1", "b");
      const start = await omittedFiles([at("a/"), at("b")], limits);
      await rm(at("a"), { recursive: true });
      await rm(at("b"));
      assert.deepEqual(await gone(start), ["a/ undefined", "b undefined"]);
    }
  });

  it("are read again in the next turn only if they have changed", async () => {
    await write("a/1", "a/2");
    const first = await omittedFiles([at("a/")]);
    await writeFile(at("a/2"), "changed\n");
    const second = await omittedFiles([at("a/")], {}, first);
    assert.equal(await second.stateAt(at("a/1")), await first.stateAt(at("a/1")));
    assert.equal(await second.textAt(at("a/2")), "changed\n");
  });
});
