// The exact state of a file on a real disk.
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  isPlainState,
  isSameState,
  plainState,
  readFileState,
  writeFileState,
  type FileState,
} from "../../src/files/fileState.ts";

describe("the exact state of a file", () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "parley-state-"))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const path = (name: string): string => join(folder, name);
  const state = async (name: string): Promise<FileState> => {
    const found = await readFileState(path(name));
    assert.ok(found);
    return found;
  };

  it("comes back after any other state: bytes, mode, link, and no file", async () => {
    writeFileSync(path("text"), "a\r\nb\n");
    writeFileSync(path("script"), "#!/bin/sh\n");
    chmodSync(path("script"), 0o755);
    writeFileSync(path("binary"), Buffer.from([0, 1, 255, 254]));
    symlinkSync("text", path("link"));
    const names = ["text", "script", "binary", "link", "none"];
    const states = new Map<string, FileState>();
    for (const name of names) states.set(name, await state(name));
    for (const [from, before] of states)
      for (const [to, after] of states) {
        await writeFileState(path("file"), before, await state("file"));
        await writeFileState(path("file"), after, await state("file"));
        assert.ok(isSameState(await state("file"), after), `${from} to ${to}`);
      }
    assert.deepEqual(readFileSync(path("text"), "utf8"), "a\r\nb\n", "the target of a link is not written to");
    assert.equal(readlinkSync(path("link")), "text");
  });

  it("keeps the other permissions when the executable bit changes", async () => {
    writeFileSync(path("a"), "1\n");
    chmodSync(path("a"), 0o640);
    const before = await state("a");
    await writeFileState(path("a"), { kind: "file", bytes: Buffer.from("2\n"), executable: true }, before);
    assert.equal(lstatSync(path("a")).mode & 0o777, 0o750);
    await writeFileState(path("a"), before, await state("a"));
    assert.equal(lstatSync(path("a")).mode & 0o777, 0o640);
  });

  it("removes the folders that were created with a file, unless something else is in them", async () => {
    const newFolders = [path("one"), path("one/two")];
    for (const other of [false, true]) {
      mkdirSync(path("one/two"), { recursive: true });
      writeFileSync(path("one/two/a"), "1\n");
      if (other) writeFileSync(path("one/mine"), "1\n");
      await writeFileState(path("one/two/a"), { kind: "missing", newFolders }, await state("one/two/a"));
      assert.deepEqual([existsSync(path("one/two")), existsSync(path("one"))], [false, other]);
    }
  });

  it("creates the folders of a file", async () => {
    await writeFileState(path("x/y/z"), plainState("1\n"), { kind: "missing" });
    assert.equal(readFileSync(path("x/y/z"), "utf8"), "1\n");
  });

  it("is determined by the text only for UTF-8 with line feeds", () => {
    const file = (bytes: Uint8Array, executable = false): FileState => ({ kind: "file", bytes, executable });
    assert.equal(isPlainState(file(Buffer.from("ä\nb\n"))), true);
    for (const bytes of [Buffer.from("a\r\n"), Buffer.from("\uFEFFa"), Buffer.from([0xe4]), Buffer.from("a\0")])
      assert.equal(isPlainState(file(bytes)), false, bytes.toString("hex"));
    assert.equal(isPlainState(file(Buffer.from("a"), true)), false);
    assert.equal(isPlainState({ kind: "link", target: "a" }), false);
  });

  it("is unknown for a folder and for a file above the limit", async () => {
    writeFileSync(path("large"), "12345");
    assert.equal(await readFileState(path("large"), 4), undefined);
    assert.equal(await readFileState(folder), undefined);
  });
});
