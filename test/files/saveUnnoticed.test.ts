// A save that VS Code refuses because it has missed a change of the file: what the disk has afterwards.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { saveUnnoticed } from "../../src/files/vscode/noticedChanges.ts";

describe("a save over a change that VS Code has not noticed", () => {
  const before = "one\ntwo\n";
  const tenSecondsAgo = Math.floor(Date.now() / 1000) - 10;
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-save-"));
    path = join(folder, "a.txt");
    await writeFile(path, before);
    await utimes(path, tenSecondsAgo, tenSecondsAgo);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const save = (saving: () => Promise<boolean>): Promise<boolean> => {
    const document = { uri: { fsPath: path }, isDirty: true, save: saving } as unknown as vscode.TextDocument;
    return saveUnnoticed(document, async () => (await readFile(path, "utf8")) === before);
  };
  const seconds = async (): Promise<number> => Math.round((await stat(path)).mtimeMs / 1000);

  it("is made over a file that is not newer than VS Code knows", async () => {
    let during: number | undefined;
    const saved = await save(async () => {
      during = await seconds();
      await writeFile(path, "one\n2\n");
      return true;
    });
    assert.deepEqual([saved, during, await readFile(path, "utf8")], [true, 0, "one\n2\n"]);
    assert.ok((await seconds()) > tenSecondsAgo);
  });

  it("leaves the file its time if VS Code refuses again", async () => {
    assert.equal(await save(() => Promise.resolve(false)), false);
    assert.deepEqual([await seconds(), await readFile(path, "utf8")], [tenSecondsAgo, before]);
  });

  it("leaves a file its time that another program writes meanwhile", async () => {
    const saved = await save(async () => {
      await writeFile(path, "another text\n");
      await utimes(path, tenSecondsAgo + 5, tenSecondsAgo + 5);
      return false;
    });
    assert.deepEqual([saved, await seconds()], [false, tenSecondsAgo + 5]);
  });

  it("is not tried over another text", async () => {
    await writeFile(path, "another text\n");
    await utimes(path, tenSecondsAgo, tenSecondsAgo);
    assert.equal(await save(() => assert.fail("The document was saved.")), false);
    assert.equal(await seconds(), tenSecondsAgo);
  });
});
