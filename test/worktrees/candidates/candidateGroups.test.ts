// The groups of candidates, as they are stored.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLog } from "../../../src/base/log.ts";
import { CandidateGroups, type CandidateGroup } from "../../../src/worktrees/candidates/candidateGroups.ts";

const group = (id: string, created: number): CandidateGroup => ({
  ...{ id, title: "Fix the sum", origin: "/app", commonFolder: "/app/.git", base: "abc", created },
  candidates: ["one", "two"].map(session => ({
    ...{ session, name: session, agent: "demo", worktree: `/trees/${session}`, branch: `parley/${session}` },
  })),
});
const check = { command: "npm test", outcome: "passed", exitCode: 0, ended: 5, duration: 2, output: "ok" } as const;

describe("the groups of candidates", () => {
  let folder: string;
  const open = (): CandidateGroups => new CandidateGroups(folder, nullLog);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-candidates-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("are read by the next window, the newest first, each from a file of its own", async () => {
    const groups = open();
    await groups.write(group("a", 1));
    await groups.write(group("b", 2));
    assert.deepEqual(await open().read(), [group("b", 2), group("a", 1)]);
    assert.equal((await readdir(folder)).length, 2);
  });

  it("keep the results of checks that end at the same time", async () => {
    const groups = open();
    await groups.write(group("a", 1));
    await Promise.all([groups.setCheck("a", "one", check), groups.setCheck("a", "two", check)]);
    const [stored] = await open().read();
    assert.deepEqual(
      stored?.candidates.map(candidate => candidate.check),
      [check, check],
    );
  });

  it("are removed with their last candidate, and a check that ends later does not bring them back", async () => {
    const groups = open();
    await groups.write(group("a", 1));
    await groups.leaveOut("a", ["one"]);
    assert.deepEqual(
      groups.get("a")?.candidates.map(({ session }) => session),
      ["two"],
    );
    await groups.leaveOut("a", ["two"]);
    await groups.setCheck("a", "two", check);
    assert.equal(groups.get("a"), undefined);
    assert.deepEqual(await open().read(), []);
  });

  it("are left out if their file is damaged", async () => {
    await open().write(group("a", 1));
    const [file = ""] = await readdir(folder);
    await writeFile(join(folder, file), JSON.stringify({ ...group("a", 1), candidates: [{ session: 1 }] }));
    assert.deepEqual(await open().read(), []);
  });
});
