// The hook folders of a repository, read with the git of VS Code.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLog } from "../../src/base/log.ts";
import { lazyHookFolders, readHookFolders } from "../../src/permissions/vscode/protectedHooks.ts";

describe("hook folders", () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "parley-hooks-")));
    execFileSync("git", ["init", "-q"], { cwd: root });
    execFileSync("git", ["config", "core.hooksPath", "hooks"], { cwd: root });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const own = (paths: readonly string[]): readonly string[] => paths.filter(path => path.startsWith(root));

  it("are read under their configured and their real path", async () => {
    await mkdir(join(root, "real"));
    await symlink("real", join(root, "hooks"));
    assert.deepEqual(own(await readHookFolders([root], nullLog)), [join(root, "hooks"), join(root, "real")]);
  });

  it("are none if git cannot read the configuration, and the log has the reason", async () => {
    await appendFile(join(root, ".git/config"), "[broken\n");
    const warnings: string[] = [];
    const log = { ...nullLog, warn: (message: string) => void warnings.push(message) };
    assert.deepEqual(own(await readHookFolders([root], log)), []);
    assert.deepEqual(warnings, [`The hook folders of ${root} could not be read.`]);
  });

  it("are read once for a session", async () => {
    const folders = lazyHookFolders([root], nullLog);
    assert.deepEqual(own(await folders()), [join(root, "hooks")]);
    execFileSync("git", ["config", "core.hooksPath", "other"], { cwd: root });
    assert.deepEqual(own(await folders()), [join(root, "hooks")]);
  });
});
