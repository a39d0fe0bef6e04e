// The folders that appeared in a turn, on a real disk.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { folderTexts } from "../../src/review/turns/folderTexts.ts";
import { newFoldersAbove } from "../../src/review/turns/newFolders.ts";
import type { TurnStart } from "../../src/review/turns/turnStart.ts";
import { until } from "../support/fakes/until.ts";

describe("the folders that appeared in a turn", () => {
  let root = "";
  const path = (name: string): string => join(root, name);
  const put = async (name: string): Promise<void> => {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), name);
  };
  const begin = async (): Promise<{ readonly start: TurnStart; readonly began: number }> => {
    const start = await folderTexts(root);
    const now = Date.now();
    // The clock of the file system can be behind.
    await until(() => Date.now() > now + 60);
    return { start, began: now + 30 };
  };
  beforeEach(async () => void (root = await realpath(await mkdtemp(join(tmpdir(), "parley-folders-")))));
  afterEach(() => rm(root, { recursive: true }));

  it("are those that were created or moved, with all folders in them", async () => {
    for (const name of ["lib/in/a.txt", "own/b.txt"]) await put(name);
    const { start, began } = await begin();
    const found = (name: string): Promise<readonly string[]> => newFoldersAbove(path(name), began, start);
    await put("made/in/c.txt");
    assert.deepEqual(await found("made/in/c.txt"), [path("made"), path("made/in")]);
    assert.deepEqual(await found("own/new.txt"), []);
    await rename(path("lib"), path("made/lib"));
    assert.deepEqual(await found("made/lib/in/a.txt"), [path("made"), path("made/lib"), path("made/lib/in")]);
    await rename(path("made/lib"), path("other"));
    assert.deepEqual(await found("other/in/a.txt"), [path("other"), path("other/in")]);
    await put("other/new/d.txt");
    assert.deepEqual(await found("other/new/d.txt"), [path("other"), path("other/new")]);
    await rename(path("other"), path("own/other"));
    assert.deepEqual(await found("own/other/in/a.txt"), [path("own/other"), path("own/other/in")]);
  });

  it("are not those that were empty before, and have a file now", async () => {
    await put("lib/a.txt");
    await mkdir(path("empty"));
    const { start, began } = await begin();
    await put("empty/new/b.txt");
    assert.deepEqual(await newFoldersAbove(path("empty/new/b.txt"), began, start), [path("empty/new")]);
  });

  it("are not those in which nothing changed, although the start is not known", async () => {
    await put("lib/a.txt");
    const { start, began } = await begin();
    const unknown: TurnStart = { ...start, folders: [], filesAt: () => Promise.resolve(undefined) };
    await rename(path("lib"), path("other"));
    assert.deepEqual(await newFoldersAbove(path("other/a.txt"), began, unknown), []);
    assert.deepEqual(await newFoldersAbove(path("other/a.txt"), began, start), [path("other")]);
  });
});
