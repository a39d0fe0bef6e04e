import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nodePaths } from "../../src/files/nodePaths.ts";
import { pathResolverContract } from "../support/contracts/pathResolver.ts";
import { FakeResolver } from "../support/fakes/fakePorts.ts";

describe("an in-memory file system with links", () => {
  pathResolverContract(() => {
    const resolver = new FakeResolver();
    return Promise.resolve({
      resolver,
      path: path => path,
      file: () => Promise.resolve(),
      link: (path, target) => {
        resolver.links.set(path, target);
        return Promise.resolve();
      },
    });
  });
});

describe("the links of the real file system", function () {
  // On Windows, only some users may create symbolic links.
  if (process.platform === "win32") return;
  const folders: string[] = [];
  after(() => Promise.all(folders.map(folder => rm(folder, { recursive: true }))));

  pathResolverContract(async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "parley-links-")));
    folders.push(root);
    const path = (inside: string): string => join(root, inside);
    return {
      resolver: nodePaths(),
      path,
      file: async inside => {
        await mkdir(dirname(path(inside)), { recursive: true });
        await writeFile(path(inside), "");
      },
      link: async (inside, target) => {
        await rm(path(inside), { force: true });
        await symlink(path(target), path(inside));
      },
    };
  });
});
