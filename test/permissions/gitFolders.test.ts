// Git folders under any name.
import assert from "node:assert/strict";
import { isInGitFolder } from "../../src/permissions/gitFolders.ts";

const inside = (path: string, present: readonly string[]): Promise<boolean> =>
  isInGitFolder(path, "posix", one => Promise.resolve(present.includes(one)));
const bare = ["HEAD", "objects", "refs"].map(name => `/ws/store/${name}`);
const worktree = ["HEAD", "commondir"].map(name => `/data/trees/a/${name}`);

describe("a git folder", () => {
  it("is recognised by its content, at any depth", async () => {
    assert.equal(await inside("/ws/store/config", bare), true);
    assert.equal(await inside("/ws/store/hooks/deep/run", bare), true);
    assert.equal(await inside("/data/trees/a/config.worktree", worktree), true);
    assert.equal(await inside("/ws/other/config", bare), false);
  });

  for (const last of bare) {
    it(`is recognised when ${last} is the last part of it that is written`, async () => {
      const others = bare.filter(one => one !== last);
      assert.equal(await inside(last.endsWith("HEAD") ? last : `${last}/x`, others), true);
      assert.equal(await inside(last, others.slice(1)), false);
    });
  }

  it("is recognised by Windows paths", async () => {
    const present = ["HEAD", "objects", "refs"].map(name => `C:\\ws\\store\\${name}`);
    const exists = (path: string): Promise<boolean> => Promise.resolve(present.includes(path));
    assert.equal(await isInGitFolder("C:\\ws\\store\\config", "windows", exists), true);
    assert.equal(await isInGitFolder("C:\\ws\\config", "windows", exists), false);
  });
});
