import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DroppedDeletions } from "../../src/files/droppedDeletions.ts";
import { until } from "../support/fakes/until.ts";

describe("a deletion that VS Code does not report", () => {
  let folder = "";
  let gone: string[] = [];
  let deletions: DroppedDeletions;
  const put = async (name: string): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, "text");
    return path;
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-"));
    gone = [];
    deletions = new DroppedDeletions({ onGone: path => void gone.push(path), delay: 1, looks: Infinity });
  });
  afterEach(async () => {
    deletions.dispose();
    await rm(folder, { recursive: true });
  });

  it("is found after a creation that was not reported either", async () => {
    const path = await put("again.txt");
    deletions.deleted(path);
    const looked = join(folder, "looked.txt");
    deletions.deleted(looked);
    await until(() => gone.includes(looked));
    assert.deepEqual(gone, [looked]);
    await rm(path);
    await until(() => gone.includes(path));
    assert.deepEqual(gone, [looked, path]);
  });

  it("is not looked for after something else was reported, or after the end", async () => {
    const [created, ended, other] = [await put("created.txt"), await put("ended.txt"), join(folder, "other.txt")];
    deletions.deleted(created);
    deletions.exists(created);
    await rm(created);
    deletions.deleted(other);
    await until(() => gone.includes(other));
    deletions.deleted(ended);
    deletions.dispose();
    await rm(ended);
    deletions.deleted(other);
    await until(() => gone.length === 2);
    assert.deepEqual(gone, [other, other]);
  });

  it("is found where a folder of the path is gone", async () => {
    const path = join(await put("file.txt"), "inside.txt");
    deletions.deleted(path);
    await until(() => gone.includes(path));
  });
});
