// Whether a path that an agent names is outside of folders.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import { isOutsideFolders } from "../../src/editor/outsideFolders.ts";

describe("a path that an agent names", () => {
  const folders = ["/work/shop", "/work/lib"].map(folder => resolve(folder));

  it("is inside if it is one of the folders, or in one of them", () => {
    for (const path of ["/work/shop", "/work/shop/a.ts", "/work/lib/src/b.ts", "/work/shop/..lib/c.ts"])
      assert.equal(isOutsideFolders(resolve(path), folders), false, path);
  });

  it("is outside if it is beside or above them", () => {
    for (const path of ["/work/shopping/a.ts", "/work", "/etc/hosts"])
      assert.equal(isOutsideFolders(resolve(path), folders), true, path);
    assert.equal(isOutsideFolders(`${resolve("/work/shop")}${sep}..${sep}a.ts`, folders), true);
  });

  it("is not outside if it is relative", () => {
    assert.equal(isOutsideFolders(join("src", "a.ts"), folders), false);
  });

  it("is outside if no folder is open", () => {
    assert.equal(isOutsideFolders(resolve("/etc/hosts"), [""]), true);
  });

  it("is inside if the folder is a link, and the path names its target", () => {
    const above = realpathSync(mkdtempSync(join(tmpdir(), "parley-outside-")));
    try {
      mkdirSync(join(above, "target"));
      symlinkSync(join(above, "target"), join(above, "link"), "dir");
      assert.equal(isOutsideFolders(join(above, "target", "a.ts"), [join(above, "link")]), false);
      assert.equal(isOutsideFolders(join(above, "other", "a.ts"), [join(above, "link")]), true);
    } finally {
      rmSync(above, { recursive: true });
    }
  });
});
