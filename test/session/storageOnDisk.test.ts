// A partial write to disk must not leave its text in the file twice after a retry.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { inProject } from "../../scripts/tools/project.mjs";

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
