// Whether git put a file where it is or deleted it, asked of real git while its commands follow each other.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { nullLog } from "../../src/base/log.ts";
import { GitChanges } from "../../src/history/vscode/gitChanges.ts";

describe("what git did", () => {
  let folder = "";
  const git = async (...args: readonly string[]): Promise<void> =>
    void (await promisify(execFile)("git", args, { cwd: folder }));
  const names = Array.from({ length: 30 }, (_, i) => `dropped-${i}.txt`);

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "parley-git-")));
    await git("init", "-q");
    await git("config", "user.name", "User");
    await git("config", "user.email", "user@example.com");
    for (const name of names) await writeFile(join(folder, name), `text of ${name}\n`);
    await git("add", ".");
    await git("commit", "-qm", "first");
    await git("checkout", "-qb", "theirs");
    await git("rm", "-q", ...names);
    await git("commit", "-q", "--allow-empty", "-m", "theirs");
    await git("checkout", "-q", "-");
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

  it("is known at every moment of commands that delete files and bring them back", async () => {
    const changes = new GitChanges(nullLog);
    const began = Date.now();
    let isDone = false;
    const commands = async (): Promise<void> => {
      for (let i = 0; i < 12; i++) {
        await git("checkout", "-q", "theirs");
        await git("reset", "-q", "--hard", "HEAD~1");
        await git("checkout", "-q", "-B", "theirs", "theirs@{1}");
        await git("checkout", "-q", "-");
      }
      isDone = true;
    };
    const wrong: string[] = [];
    const ask = async (name: string): Promise<void> => {
      while (!isDone) if (!(await changes.isGits(join(folder, name), began))) wrong.push(name);
    };
    await Promise.all([commands(), ...names.slice(0, 3).map(ask)]);
    assert.deepEqual(wrong, []);
  });
});
