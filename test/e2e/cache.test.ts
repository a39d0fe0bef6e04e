// The cache that VS Code is fetched into: built once, and never taken for built when it is not.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cached } from "../../scripts/vscode/cache.mjs";

describe("the cache for VS Code", () => {
  const usual = process.env["PARLEY_CACHE"];
  let root: string;
  let builds: number;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "parley-cache-"));
    process.env["PARLEY_CACHE"] = root;
    builds = 0;
  });

  afterEach(() => {
    if (usual === undefined) delete process.env["PARLEY_CACHE"];
    else process.env["PARLEY_CACHE"] = usual;
    rmSync(root, { recursive: true, force: true });
  });

  const build = (text: string) => async (folder: string) => {
    builds++;
    await new Promise(resolve => setImmediate(resolve));
    writeFileSync(join(folder, "file"), text);
  };

  it("builds a folder once, and gives the same one from then on", async () => {
    const first = await cached("1.2.3", { revision: 1 }, build("one"));
    const second = await cached("1.2.3", { revision: 1 }, build("two"));
    assert.deepEqual([first, builds, readFileSync(join(second, "file"), "utf8")], [second, 1, "one"]);
  });

  it("builds anew when the recipe has changed", async () => {
    await cached("1.2.3", { revision: 1 }, build("one"));
    const folder = await cached("1.2.3", { revision: 2 }, build("two"));
    assert.equal(readFileSync(join(folder, "file"), "utf8"), "two");
  });

  it("builds once when several ask at the same time", async () => {
    const asked = [1, 2, 3].map(() => cached("1.2.3", {}, build("one")));
    assert.equal(new Set(await Promise.all(asked)).size, 1);
    assert.equal(builds, 1);
  });

  it("leaves nothing of a build that failed, and builds at the next try", async () => {
    const fail = async (folder: string) => {
      writeFileSync(join(folder, "half"), "");
      return Promise.reject(new Error("the network is down"));
    };
    await assert.rejects(cached("1.2.3", {}, fail), /the network is down/);
    assert.deepEqual(readdirSync(root), []);
    await cached("1.2.3", {}, build("whole"));
    assert.equal(builds, 1);
  });

  it("is not held up by what a killed build has left", async () => {
    // No process has this number: it is above what any system gives out.
    writeFileSync(join(root, "1.2.3.lock"), "99999999");
    mkdirSync(join(root, "1.2.3.building-99999999"));
    const folder = await cached("1.2.3", {}, build("whole"));
    assert.equal(existsSync(join(folder, "file")), true);
    assert.deepEqual(readdirSync(root), ["1.2.3"]);
  });

  it("does not take a folder without its stamp for a finished one", async () => {
    mkdirSync(join(root, "1.2.3"));
    await cached("1.2.3", {}, build("whole"));
    assert.equal(builds, 1);
  });
});
