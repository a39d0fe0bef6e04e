// Which folders are in the repository of a window, with real repositories.
import assert from "node:assert/strict";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { relatedFolders } from "../../src/worktrees/relatedFolders.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";

describe("the folders of a repository", () => {
  let real: RealRepository;
  let worktree: string;
  beforeEach(async () => {
    real = await RealRepository.create({ "a.txt": "a\n", "lib/b.txt": "b\n" });
    worktree = (await real.makeWorktree()).folder;
  });
  afterEach(() => real.remove());

  const related = async (own: string, ...candidates: readonly string[]): Promise<readonly string[]> => [
    ...(await relatedFolders(() => real.git, [own], candidates)),
  ];

  it("are its main checkout, its worktrees and folders in them, also through links", async () => {
    const byHand = join(real.base, "by hand");
    real.run(real.app, "worktree", "add", "-q", "-b", "hand", byHand);
    const link = join(real.base, "link");
    await symlink(worktree, link);
    const all = [real.app, join(real.app, "lib"), worktree, join(worktree, "lib"), byHand, link];
    for (const own of all) assert.deepEqual(await related(own, ...all), all);
  });

  it("are neither those of other repositories, also inside of it, nor those that are gone or in none", async () => {
    const nested = join(real.app, "nested");
    await mkdir(nested);
    real.run(nested, "init", "-q");
    const clone = join(real.base, "clone");
    real.run(real.base, "clone", "-q", real.app, clone);
    const gone = join(worktree, "gone");
    await rm(join(worktree, "lib"), { recursive: true });
    assert.deepEqual(await related(real.app, nested, clone, gone, join(worktree, "lib"), real.base, worktree), [
      worktree,
    ]);
    assert.deepEqual(await related(real.base, real.app, worktree), []);
    assert.deepEqual(await related(nested, real.app, worktree), []);
  });

  it("are unknown without git", async () => {
    assert.equal((await relatedFolders(() => undefined, [real.app], [worktree])).size, 0);
  });
});
