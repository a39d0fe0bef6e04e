// The states of worktrees of real repositories, with the real git, and when they are read.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chmod, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createGate } from "../../src/base/async.ts";
import { nullLog } from "../../src/base/log.ts";
import { changedSince, fileInCommit } from "../../src/git/workTreeChanges.ts";
import type { ViewWorktree } from "../../src/panel/protocol.ts";
import { worktreeCommits, worktreeLines, worktreeSentences } from "../../src/panel/worktreeTexts.ts";
import type { WorktreeRecord } from "../../src/worktrees/worktreeRecords.ts";
import { readWorktreeState, WorktreeStates } from "../../src/worktrees/worktreeStates.ts";
import { until } from "../support/fakes/until.ts";
import { RealRepository } from "../support/fakes/realRepository.ts";

describe("the state of a worktree", () => {
  let real: RealRepository;
  let record: WorktreeRecord;
  beforeEach(async () => {
    real = await RealRepository.create({
      ...{ "a.txt": "1\n2\n3\n", "gone.txt": "x\ny\n", "old name.txt": "old\n", ".gitignore": ".env\n" },
    });
    ({ record } = await real.makeWorktree());
  });
  afterEach(() => real.remove());

  const read = (): Promise<ViewWorktree> => readWorktreeState(real.git, record);

  it("counts committed, uncommitted and untracked files against the base, and commits against the main checkout", async () => {
    assert.deepEqual(await read(), {
      branch: "parley/one",
      state: { comparedWith: "main", ahead: 0, behind: 0, files: 0, added: 0, removed: 0 },
    });
    await real.write({ "a.txt": "1\ntwo\n3\n", "committed.txt": "c\n" }, record.path);
    real.commit(record.path);
    await real.write({ "new.txt": "n\nno newline", ".env": "S=1\n", "a.txt": "1\ntwo\n3\n4\n" }, record.path);
    await rm(join(record.path, "gone.txt"));
    await real.write({ "main.txt": "main\n" });
    real.commit();
    assert.deepEqual(await read(), {
      branch: "parley/one",
      state: { comparedWith: "main", ahead: 1, behind: 1, files: 4, added: 5, removed: 3 },
    });
    assert.equal(worktreeCommits(await read()), "↑1 ↓1");
    assert.equal(worktreeLines(await read()), "+5 −3");
  });

  it("names the branch that is checked out, or the beginning of the commit if HEAD is detached", async () => {
    real.run(record.path, "checkout", "-qb", "other");
    assert.equal((await read()).branch, "other");
    real.run(record.path, "checkout", "-q", "--detach");
    real.run(real.app, "checkout", "-q", "--detach");
    const { branch, state } = await read();
    assert.equal(branch, record.base.slice(0, 8));
    assert.equal(state?.comparedWith, record.base.slice(0, 8));
  });

  it("compares with the base if the checkout that the worktree was made from is gone", async () => {
    const second = await real.makeWorktree({ repository: await real.find(record.path), branch: "parley/two" });
    await rm(record.path, { recursive: true });
    const { state } = await readWorktreeState(real.git, second.record);
    assert.equal(state?.comparedWith, second.record.base.slice(0, 8));
    await assert.rejects(read(), /^Error: Its folder no longer exists\.$/);
  });

  it("lists each changed file once, by path, without lines of binary files", async () => {
    await real.write({ "b.bin": "a\0b", "new\tname.txt": "1\n" }, record.path);
    await symlink("a.txt", join(record.path, "link"));
    real.run(record.path, "mv", "old name.txt", "renamed.txt");
    // No longer tracked, and still there with another text.
    real.run(record.path, "rm", "-q", "--cached", "gone.txt");
    await writeFile(join(record.path, "gone.txt"), "z\n");
    assert.deepEqual(await changedSince(real.git, record.path, record.base), [
      { path: "b.bin", kind: "added" },
      { path: "gone.txt", kind: "changed", lines: { added: 1, removed: 2 } },
      { path: "link", kind: "added", lines: { added: 1, removed: 0 } },
      { path: "new\tname.txt", kind: "added", lines: { added: 1, removed: 0 } },
      { path: "old name.txt", kind: "deleted", lines: { added: 0, removed: 1 } },
      { path: "renamed.txt", kind: "added", lines: { added: 1, removed: 0 } },
    ]);
  });

  it("starts no filter, hook or monitor that the repository configures", async () => {
    const marker = join(real.base, "ran");
    const program = join(real.base, "program");
    await writeFile(program, `#!/bin/sh\ntouch '${marker}'\ncat\n`);
    await chmod(program, 0o755);
    await real.write({ ".gitattributes": "*.txt filter=own diff=own\n" }, record.path);
    for (const name of ["filter.own.clean", "core.fsmonitor", "diff.external", "diff.own.command", "diff.own.textconv"])
      real.run(record.path, "config", name, program);
    await real.write({ "a.txt": "1\n2\n3\n4\n" }, record.path);
    const { state } = await read();
    assert.deepEqual([state?.files, state?.added], [2, 2]);
    assert.ok(!existsSync(marker));
  });

  it("gives the content of a file in the base, and refuses one that is too large", async () => {
    await real.write({ "a.txt": "changed\n" }, record.path);
    const content = (maxBytes: number): Promise<Uint8Array> =>
      fileInCommit(real.git, record.path, record.base, "a.txt", { maxBytes });
    assert.equal(Buffer.from(await content(6)).toString(), "1\n2\n3\n");
    await assert.rejects(content(5), /“a\.txt” is too large to be shown\./);
  });
});

describe("the states of worktrees", () => {
  const record = (path: string): WorktreeRecord => ({
    ...{ path, origin: "/app", commonFolder: "/app/.git", branch: "b", base: "c", created: 1, state: "prepared" },
  });
  const [one, two] = [record("/one"), record("/two")];
  let answers: ReturnType<typeof createGate>[];
  let asked: string[];
  let fault: Error | undefined;
  let files: number;
  let states: WorktreeStates;
  let changes: number;
  const state = (): ViewWorktree => ({
    branch: "b",
    state: { comparedWith: "main", ahead: 0, behind: 0, files, added: 0, removed: 0 },
  });
  beforeEach(() => {
    [answers, asked, fault, files, changes] = [[], [], undefined, 1, 0];
    states = new WorktreeStates({
      records: { known: [one, two] },
      log: nullLog,
      read: async ({ path }) => {
        asked.push(path);
        const gate = createGate();
        answers.push(gate);
        await gate.settled;
        if (fault) throw fault;
        return state();
      },
    });
    states.onDidChange(() => changes++);
  });
  afterEach(() => states.dispose());
  const answer = async (at: number): Promise<void> => {
    await until(() => answers[at] !== undefined);
    answers[at]?.settle();
  };

  it("are read one at a time, and again if something changed while they were read", async () => {
    const first = states.refresh(one);
    const second = states.refresh(two);
    const joined = states.refresh(two);
    await answer(0);
    await first;
    await until(() => asked.length === 2);
    assert.deepEqual(asked, ["/one", "/two"]);
    const again = states.refresh(two);
    files = 2;
    await answer(1);
    await answer(2);
    await Promise.all([second, joined, again]);
    assert.deepEqual(asked, ["/one", "/two", "/two"]);
    assert.equal(states.of(two).state?.files, 2);
  });

  it("stay the same object, without an event, while nothing has changed", async () => {
    const unread = states.of(one);
    assert.deepEqual(unread, { branch: "b" });
    assert.equal(states.of(one), unread);
    assert.ok(!states.isRead(one));
    for (const at of [0, 1]) {
      const read = states.refresh(one);
      assert.ok(states.isRead(one));
      await answer(at);
      await read;
    }
    assert.equal(changes, 1);
    const known = states.of(one);
    assert.equal(states.of(one), known);
  });

  it("have a sentence in place of what git cannot tell", async () => {
    fault = new Error("fatal: it is broken");
    const read = states.refresh(one);
    await answer(0);
    await read;
    assert.deepEqual(worktreeSentences(states.of(one)), [
      "Worktree on b",
      "Git cannot read the worktree: fatal: it is broken",
    ]);
  });
});

describe("the sentences about a worktree", () => {
  const sentences = (state: Partial<NonNullable<ViewWorktree["state"]>>): readonly string[] =>
    worktreeSentences({
      branch: "b",
      state: { ...{ comparedWith: "main", ahead: 0, behind: 0, files: 0, added: 0, removed: 0 }, ...state },
    });

  it("say one and several apart", () => {
    assert.deepEqual(sentences({}), ["Worktree on b", "The same commits as main", "No files changed since the base"]);
    assert.deepEqual(sentences({ ahead: 1, files: 1, added: 2, removed: 3 }), [
      ...["Worktree on b", "1 commit ahead of main", "1 file changed since the base, +2 −3 lines"],
    ]);
    assert.deepEqual(sentences({ ahead: 2, behind: 1, files: 4, added: 1 }), [
      ...["Worktree on b", "2 commits ahead of main", "1 commit behind main"],
      "4 files changed since the base, +1 −0 lines",
    ]);
    assert.deepEqual(sentences({ behind: 3 })[1], "3 commits behind main");
  });
});
