// The list of the folders that Parley has opened in a profile, on a disk.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { nullLog } from "../../src/base/log.ts";
import { OpenedFolders, type OpenedFolder } from "../../src/library/openedFolders.ts";

describe("the list of opened folders", () => {
  let root: string;
  let path: string;
  let logged: unknown[];
  let folders: OpenedFolders;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-folders-"));
    path = join(root, "global", "folders");
    logged = [];
    folders = newWindow();
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const newWindow = (): OpenedFolders => {
    const log = { ...nullLog, debug: (_message: string, data: unknown) => logged.push(data) };
    return new OpenedFolders({ path, extension: "owner.parley", log });
  };
  /** A folder that exists, with its storage. */
  const folder = (name: string, opened: number, extension = "owner.Parley"): OpenedFolder => {
    const sessionsFolder = join(root, "storage", name, extension, "sessions");
    mkdirSync(join(root, name), { recursive: true });
    mkdirSync(sessionsFolder, { recursive: true });
    return { uri: pathToFileURL(join(root, name)).href, sessionsFolder, opened };
  };
  const reasons = (): readonly unknown[] => logged.map(data => (data as { readonly reason: string }).reason);

  it("has each folder once, with the time of the latest window, the latest first", async () => {
    assert.deepEqual(await folders.list(), []);
    const [one, two] = [folder("one", 1), folder("two", 2)];
    await folders.note(one);
    await newWindow().note(two);
    assert.deepEqual(await folders.list(), [two, one]);
    await newWindow().note({ ...one, opened: 3 });
    assert.deepEqual(await folders.list(), [{ ...one, opened: 3 }, two]);
    assert.deepEqual([readdirSync(path).length, logged], [2, []]);
  });

  it("leaves out folders that no longer exist, or whose sessions do not, and keeps their files", async () => {
    const [one, two, three] = [folder("one", 1), folder("two", 2), folder("a b ü", 3)];
    for (const each of [one, two, three]) await folders.note(each);
    rmSync(join(root, "one"), { recursive: true });
    rmSync(two.sessionsFolder, { recursive: true });
    assert.deepEqual(await folders.list(), [three]);
    assert.equal(logged.length, 2);
    mkdirSync(join(root, "one"));
    assert.deepEqual(await folders.list(), [three, one]);
  });

  it("leaves out damaged files, files of other names, and storage of other extensions", async () => {
    const one = folder("one", 1);
    await folders.note(one);
    const [name] = readdirSync(path) as [string];
    const text = readFileSync(join(path, name), "utf8");
    writeFileSync(join(path, `${name}.1.tmp`), text.slice(0, 9));
    writeFileSync(join(path, `${"0".repeat(32)}.json`), text);
    await folders.note(folder("other", 2, "owner.another"));
    await folders.note({ ...folder("remote", 3), uri: "vscode-remote://host/remote" });
    await folders.note({ ...folder("relative", 4), sessionsFolder: "owner.parley/sessions" });
    assert.deepEqual(await folders.list(), [one]);
    assert.equal(logged.length, 4);
    logged = [];
    for (const damaged of ["", "{", "[]", text.slice(0, -3), text.replace(`"opened":1`, `"opened":"1"`)]) {
      writeFileSync(join(path, name), damaged);
      assert.deepEqual(await folders.list(), [], damaged);
    }
    assert.ok(reasons().includes("The file is damaged."));
  });

  it("is whole at each moment while windows write and read it", async () => {
    const one = folder("one", 1);
    await folders.note(one);
    const writes = Array.from({ length: 50 }, (_, i) => folders.note({ ...one, opened: i + 2 }));
    let isDone = false;
    const written = Promise.allSettled(writes).then(() => (isDone = true));
    while (!isDone) assert.equal((await newWindow().list()).length, 1);
    await written;
    assert.deepEqual(logged, []);
  });

  it("passes on a request to show a session once, to the window on its folder, unless it is old or damaged", async () => {
    const [one, two] = [folder("one", 1), folder("two", 2)];
    assert.equal(await folders.takeRequest(one, 0), undefined);
    await folders.request(one, { session: "s1" }, 1000);
    const hit = { entry: 3, nth: 1, query: "words", matchCase: false, wholeWord: true, regex: false };
    await folders.request(one, { session: "s2", hit }, 2000);
    assert.equal(await newWindow().takeRequest(two, 3000), undefined);
    const taken = await Promise.all([newWindow().takeRequest(one, 3000), newWindow().takeRequest(one, 3000)]);
    assert.deepEqual(new Set(taken), new Set([{ session: "s2", hit }, undefined]));
    await folders.request(one, { session: "s3" }, 1000);
    assert.equal(await folders.takeRequest(one, 1000 + 120_001), undefined);
    assert.deepEqual(readdirSync(path), []);
    await folders.request(one, { session: "s4" }, 1000);
    const [name] = readdirSync(path) as [string];
    writeFileSync(join(path, name), "{");
    await assert.rejects(folders.takeRequest(one, 1000), SyntaxError);
    assert.equal(await folders.takeRequest(one, 1000), undefined);
    assert.deepEqual(await folders.list(), []);
  });
});
