// A file that another program empties before it writes it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changeTime, diskText, settledDiskText } from "../../src/editor/diskText.ts";
import { until } from "../support/fakes/until.ts";

describe("the text of a file that another program writes", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-emptied-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is read after the program has emptied the file and written it", async () => {
    const path = join(folder, "a.txt");
    writeFileSync(path, "before\n");
    writeFileSync(path, "");
    const reading = settledDiskText(path);
    assert.equal(await diskText(path), "");
    writeFileSync(path, "after\n");
    assert.equal(await reading, "after\n");
  });

  it("is read also if that program, or the editor, is held up for longer than a file may be empty", async () => {
    const path = join(folder, "a.txt");
    writeFileSync(path, "");
    const emptied = Date.now();
    await until(() => Date.now() > emptied + 400);
    const reading = settledDiskText(path);
    assert.equal(await diskText(path), "");
    await changeTime(path);
    writeFileSync(path, "after\n");
    assert.equal(await reading, "after\n");
  });

  it("is empty if the file stays empty, and null if it is deleted", async () => {
    const path = join(folder, "a.txt");
    writeFileSync(path, "");
    assert.equal(await settledDiskText(path), "");
    const reading = settledDiskText(path);
    rmSync(path);
    assert.ok(["", null].includes((await reading) as string | null));
    assert.equal(await settledDiskText(path), null);
  });
});
