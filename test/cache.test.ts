// The cache for the downloaded VS Code: it is built once, and an incomplete build is never used.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cached } from "../scripts/vscode/cache.mjs";

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

  it("builds a folder once and returns the same folder afterwards", async () => {
    const first = await cached("1.2.3", { revision: 1 }, build("one"));
    const second = await cached("1.2.3", { revision: 1 }, build("two"));
    assert.deepEqual([first, builds, readFileSync(join(second, "file"), "utf8")], [second, 1, "one"]);
  });

  it("rebuilds if the recipe has changed", async () => {
    await cached("1.2.3", { revision: 1 }, build("one"));
    const folder = await cached("1.2.3", { revision: 2 }, build("two"));
    assert.equal(readFileSync(join(folder, "file"), "utf8"), "two");
  });

  it("builds once for several requests at the same time", async () => {
    const asked = [1, 2, 3].map(() => cached("1.2.3", {}, build("one")));
    assert.equal(new Set(await Promise.all(asked)).size, 1);
    assert.equal(builds, 1);
  });

  it("removes a failed build and builds again on the next request", async () => {
    const fail = async (folder: string) => {
      writeFileSync(join(folder, "half"), "");
      return Promise.reject(new Error("the network is down"));
    };
    await assert.rejects(cached("1.2.3", {}, fail), /the network is down/);
    assert.deepEqual(readdirSync(root), []);
    await cached("1.2.3", {}, build("whole"));
    assert.equal(builds, 1);
  });

  it("is not blocked by the files of a killed build", async () => {
    // No process has this ID, because it is above the maximum of every system.
    writeFileSync(join(root, "1.2.3.lock"), "99999999");
    mkdirSync(join(root, "1.2.3.building-99999999"));
    const folder = await cached("1.2.3", {}, build("whole"));
    assert.equal(existsSync(join(folder, "file")), true);
    assert.deepEqual(readdirSync(root), ["1.2.3"]);
  });

  it("does not use a folder without its stamp", async () => {
    mkdirSync(join(root, "1.2.3"));
    await cached("1.2.3", {}, build("whole"));
    assert.equal(builds, 1);
  });
});
