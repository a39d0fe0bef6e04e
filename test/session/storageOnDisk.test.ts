// The storage of sessions on disk: a partial write must not leave its text in the file twice after a retry, and the trash
// moves files byte for byte.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import type * as vscode from "vscode";
import { inProject } from "../../scripts/tools/project.mjs";
import { openSessionTrash } from "../../src/window/sessionStorage.ts";

describe("the storage on a full disk", () => {
  it("writes a text completely or not at all", async function () {
    // A limit for the file size simulates a full disk.
    if (process.platform === "win32") return this.skip();
    const folder = mkdtempSync(join(tmpdir(), "parley-storage-"));
    try {
      const script = join(folder, "script.mjs");
      const storage = inProject("src", "window", "sessionStorage.ts");
      const contents = `
        import { openSessionStorage } from ${JSON.stringify(storage)};
        const fsPath = ${JSON.stringify(folder)};
        const storage = openSessionStorage({ storageUri: { fsPath } });
        await storage.append("log", "a".repeat(600));
        const refused = await storage.append("log", "b".repeat(600)).then(() => "", error => error.code);
        await storage.append("log", "c".repeat(100));
        console.log(JSON.stringify([refused, await storage.read("log")]));`;
      const { outputFiles } = await build({
        stdin: { contents, resolveDir: folder },
        bundle: true,
        platform: "node",
        format: "esm",
        write: false,
      });
      writeFileSync(script, outputFiles[0]?.contents ?? "");
      const output = execFileSync("bash", ["-c", 'ulimit -f 1 && exec "$0" "$1"', process.execPath, script]);
      assert.deepEqual(JSON.parse(output.toString()), ["EFBIG", "a".repeat(600) + "c".repeat(100)]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("the trash on disk", () => {
  const bytes = Buffer.from([0, 255, 254, 10, 128, 13]);
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "parley-trash-"))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const trash = (): ReturnType<typeof openSessionTrash> =>
    openSessionTrash({ storageUri: { fsPath: folder } } as vscode.ExtensionContext);
  const store = (place: string, content: Buffer): void => {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, "log"), content);
  };

  it("takes files and gives them back byte for byte, and knows what is missing", async () => {
    assert.deepEqual(
      [await trash().moveIn("log"), await trash().moveOut("log"), await trash().list()],
      [false, false, []],
    );
    store("sessions", bytes);
    assert.ok(await trash().moveIn("log"));
    assert.deepEqual([existsSync(join(folder, "sessions", "log")), await trash().size("log")], [false, bytes.length]);
    assert.deepEqual(await trash().list(), [{ name: "log", bytes: bytes.length }]);
    assert.ok(await trash().moveOut("log"));
    assert.deepEqual(readFileSync(join(folder, "sessions", "log")), bytes);
    assert.equal(await trash().size("log"), undefined);
  });

  it("gives a file back before what was written since, once", async () => {
    const rest = Buffer.from([7, 200, 10]);
    assert.equal(await trash().moveOutBefore("log"), false);
    store("removed-sessions", bytes);
    assert.equal(await trash().moveOutBefore("log"), false);
    store("sessions", rest);
    assert.ok(await trash().moveOutBefore("log"));
    assert.deepEqual(readFileSync(join(folder, "sessions", "log")), Buffer.concat([bytes, rest]));
    assert.equal(await trash().size("log"), undefined);
    // A window was killed before it removed the file from the trash.
    store("removed-sessions", bytes);
    assert.ok(await trash().moveOutBefore("log"));
    assert.deepEqual(readFileSync(join(folder, "sessions", "log")), Buffer.concat([bytes, rest]));
    assert.equal(await trash().size("log"), undefined);
  });
});
