// The set-up that a repository proposes: what is read, and that nothing is allowed but exactly the text that the user saw.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProblemError } from "../../src/base/errors.ts";
import type { Memento } from "../../src/base/memento.ts";
import { ProposedSetUps, readProposedSetUp } from "../../src/worktrees/proposedSetUp.ts";
import type { WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";

describe("the set-up that a repository proposes", () => {
  let base: string;
  let top: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "parley-proposed-")));
    top = join(base, "tree");
    await mkdir(join(top, ".cursor"), { recursive: true });
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  const propose = (value: unknown): Promise<void> =>
    writeFile(join(top, ".cursor", "worktrees.json"), typeof value === "string" ? value : JSON.stringify(value));
  const commands = async (platform: "posix" | "windows" = "posix"): Promise<readonly string[] | undefined> =>
    (await readProposedSetUp(top, platform))?.commands;
  const rejects = (reason: RegExp): Promise<void> =>
    assert.rejects(commands(), (thrown: unknown) => {
      assert.ok(thrown instanceof ProblemError);
      assert.match(thrown.problem.message, reason);
      assert.deepEqual(thrown.problem.next, ["retry", "startAnyway"]);
      return true;
    });

  it("is that of the platform, or else the common one", async () => {
    assert.equal(await commands(), undefined);
    await propose({ "setup-worktree": ["npm ci", " ", "cp a b"], "setup-worktree-windows": ["win"] });
    assert.deepEqual(await commands(), ["npm ci", "cp a b"]);
    assert.deepEqual(await commands("windows"), ["win"]);
    await propose({ "setup-worktree": "npm ci", "setup-worktree-unix": ["make"] });
    assert.deepEqual(await commands(), ["make"]);
    assert.deepEqual(await commands("windows"), ["npm ci"]);
    await propose({ "setup-worktree-windows": ["win"], other: 1 });
    assert.equal(await commands(), undefined);
    await propose({ "setup-worktree": [] });
    assert.equal(await commands(), undefined);
  });

  it("can be a script beside it, which is shown with its text", async () => {
    await propose({ "setup-worktree": "set up.sh" });
    await writeFile(join(top, ".cursor", "set up.sh"), "#!/bin/bash\nmake\n");
    const command = `bash '${join(top, ".cursor", "set up.sh")}'`;
    assert.deepEqual(await readProposedSetUp(top, "posix"), {
      commands: [command],
      lines: [command, "", "#!/bin/bash", "make"],
    });
    await propose({ "setup-worktree": "../scripts/in.ps1" });
    await mkdir(join(top, "scripts"));
    await writeFile(join(top, "scripts", "in.ps1"), "make");
    assert.deepEqual(await commands("windows"), [
      `powershell -ExecutionPolicy Bypass -File "${join(top, "scripts", "in.ps1")}"`,
    ]);
  });

  it("is never a script outside of the worktree or behind a link", async () => {
    await writeFile(join(base, "evil.sh"), "evil");
    await symlink(join(base, "evil.sh"), join(top, ".cursor", "link.sh"));
    for (const path of ["../../evil.sh", "link.sh"]) {
      await propose({ "setup-worktree": path });
      // It is shown and run as it is, and the shell finds no such program.
      assert.deepEqual(await readProposedSetUp(top, "posix"), { commands: [path], lines: [path] });
    }
    await rm(join(top, ".cursor"), { recursive: true });
    await mkdir(join(base, "elsewhere"));
    await writeFile(join(base, "elsewhere", "worktrees.json"), JSON.stringify({ "setup-worktree": ["evil"] }));
    await symlink(join(base, "elsewhere"), join(top, ".cursor"));
    assert.equal(await commands(), undefined);
  });

  it("is refused with a reason if it is damaged or too long to be shown", async () => {
    await propose("{");
    await rejects(/“\.cursor\/worktrees\.json” proposes for the worktree cannot be used: /);
    await propose([]);
    await rejects(/It is no JSON object/);
    await propose({ "setup-worktree": [1] });
    await rejects(/must be texts/);
    await propose({ "setup-worktree": ["x".repeat(501)] });
    await rejects(/too long to be shown/);
    await propose({ "setup-worktree": Array.from({ length: 61 }, () => "x") });
    await rejects(/too long to be shown/);
    await propose(" ".repeat(100_001));
    await rejects(/larger than 100 kB/);
  });

  describe("is allowed", () => {
    let stored: Map<string, unknown>;
    let answer: (lines: readonly string[]) => Promise<boolean> | boolean;
    let asked: (readonly string[])[];
    let proposed: ProposedSetUps;
    const record = (commonFolder = "/app/.git"): WorktreeRecord => ({
      ...{ path: top, origin: "/app", commonFolder, branch: "b", base: "c", created: 1, state: "created" },
    });
    const ofNewWindow = (): ProposedSetUps =>
      new ProposedSetUps({
        state: {
          get: (key: string) => stored.get(key),
          update: async (key: string, value: unknown) => void stored.set(key, value),
        } as Memento,
        platform: "posix",
        ask: async lines => {
          asked.push(lines);
          return answer(lines);
        },
      });
    beforeEach(async () => {
      [stored, asked, answer] = [new Map(), [], () => true];
      proposed = ofNewWindow();
      await propose({ "setup-worktree": ["npm ci"] });
    });

    it("once for a text and a repository, also in other windows", async () => {
      const allowed = { commands: ["npm ci"], env: [{ name: "ROOT_WORKTREE_PATH", value: "/app" }] };
      assert.deepEqual(await proposed.allowed(record()), allowed);
      assert.deepEqual(await ofNewWindow().allowed(record()), allowed);
      assert.deepEqual(asked, [["npm ci"]]);
      await proposed.allowed(record("/other/.git"));
      await propose({ "setup-worktree": ["npm ci && evil"] });
      await proposed.allowed(record());
      assert.deepEqual(asked, [["npm ci"], ["npm ci"], ["npm ci && evil"]]);
    });

    it("only if the user agrees, and is asked about again otherwise", async () => {
      answer = () => false;
      for (const _ of [1, 2]) assert.deepEqual(await proposed.allowed(record()), { commands: [], env: [] });
      assert.equal(asked.length, 2);
      assert.equal(stored.size, 0);
    });

    it("by one answer for worktrees that wait at the same time", async () => {
      const found = await Promise.all([proposed.allowed(record()), proposed.allowed(record())]);
      assert.ok(found.every(each => each?.commands[0] === "npm ci"));
      assert.equal(asked.length, 1);
    });

    it("not if it changes while the user reads it", async () => {
      answer = async () => {
        await propose({ "setup-worktree": ["evil"] });
        return true;
      };
      await assert.rejects(proposed.allowed(record()), /It has changed meanwhile\./);
    });
  });
});
