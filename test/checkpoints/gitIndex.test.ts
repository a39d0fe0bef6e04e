// What the index and the logs of a real repository know of files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { committedIds, deletedBy, indexEntries, movesSince, takenByStash } from "../../src/git/gitIndex.ts";
import { findGit } from "../../src/git/gitProgram.ts";

describe("the index and the logs of git", () => {
  let top = "";
  const program = findGit();
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=User", "-c", "user.email=user@example.com", ...args], {
      cwd: top,
      encoding: "utf8",
    });
  const write = (name: string, text: string): void => writeFileSync(join(top, name), text);
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), "parley-index-"));
    git("init", "-q");
    for (const name of ["a.txt", "b c.txt", "ü.txt"]) write(name, `${name}\n`);
    git("add", ".");
    git("commit", "-qm", "first");
  });
  afterEach(() => rmSync(top, { recursive: true, force: true }));

  it("know when git wrote a file, by its path", async () => {
    assert.ok(program);
    const entries = await indexEntries(program, top, ["b c.txt", "ü.txt", "missing.txt", ":(top)"]);
    assert.deepEqual([...entries.keys()].sort(), ["b c.txt", "ü.txt"]);
    const entry = entries.get("ü.txt");
    const { mtimeMs, size } = statSync(join(top, "ü.txt"));
    assert.deepEqual([entry?.stage, entry?.size, entry?.seconds], [0, size, Math.floor(mtimeMs / 1000)]);
    assert.equal((await committedIds(program, top, ["ü.txt"])).get("ü.txt"), entry?.id);
  });

  it("know the files that a move of HEAD deleted, and those that a stash took away", async () => {
    assert.ok(program);
    git("rm", "-q", "a.txt");
    git("commit", "-qm", "second");
    const moves = movesSince(readFileSync(join(top, ".git/logs/HEAD"), "utf8"), 0);
    assert.equal(moves.length, 2);
    const deleted = await Promise.all(moves.map(move => deletedBy(program, top, move)));
    assert.deepEqual(deleted, [[], ["a.txt"]]);
    write("staged.txt", "1\n");
    git("add", "staged.txt");
    write("untracked.txt", "2\n");
    git("stash", "-qu");
    const [stash] = movesSince(readFileSync(join(top, ".git/logs/refs/stash"), "utf8"), 0);
    assert.deepEqual(await takenByStash(program, top, stash?.to ?? ""), ["staged.txt", "untracked.txt"]);
    assert.deepEqual(movesSince(readFileSync(join(top, ".git/logs/HEAD"), "utf8"), Date.now() / 1000 + 60), []);
  });

  it("know nothing before the first commit, and of commits that are gone", async () => {
    assert.ok(program);
    const none = "1".repeat(40);
    assert.deepEqual(await deletedBy(program, top, { from: none, to: "2".repeat(40) }), []);
    assert.deepEqual(await takenByStash(program, top, none), []);
    rmSync(join(top, ".git"), { recursive: true });
    git("init", "-q");
    assert.equal((await committedIds(program, top, ["a.txt"])).size, 0);
    assert.deepEqual(movesSince("", 0), []);
  });
});
