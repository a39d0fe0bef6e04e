// How often the worktrees of candidates are compared with their base.
import assert from "node:assert/strict";
import { createGate } from "../../../src/base/async.ts";
import type { WorkTreeChange } from "../../../src/git/workTreeChanges.ts";
import { CandidateChanges } from "../../../src/worktrees/candidates/candidateChanges.ts";
import type { Candidate } from "../../../src/worktrees/candidates/candidateGroups.ts";
import { FakeClock } from "../../support/fakes/fakePorts.ts";
import { until } from "../../support/fakes/until.ts";

const candidate = (session: string): Candidate => ({
  ...{ session, name: session, agent: "demo", worktree: `/${session}`, branch: session },
});
const file: WorkTreeChange = { path: "a", kind: "changed" };

describe("the changes of candidates", () => {
  let clock: FakeClock;
  let changes: CandidateChanges;
  let compared: string[];
  let result: () => Promise<readonly WorkTreeChange[] | undefined>;
  beforeEach(() => {
    clock = new FakeClock();
    compared = [];
    result = () => Promise.resolve([file]);
    changes = new CandidateChanges({
      compare: ({ session }, base) => {
        compared.push(`${session} ${base}`);
        return result();
      },
      clock,
    });
  });
  afterEach(() => changes.dispose());
  const refreshed = async (session: string): Promise<void> => {
    const known = new Promise<void>(resolve => changes.onDidChange(resolve));
    changes.refresh(candidate(session), "base");
    await known;
  };

  it("are known after the first comparison, and why git failed", async () => {
    assert.equal(changes.of(candidate("one")), undefined);
    await refreshed("one");
    assert.deepEqual(changes.of(candidate("one")), { exists: true, changes: [file] });
    result = () => Promise.reject(new Error("git failed"));
    await refreshed("two");
    assert.deepEqual(changes.of(candidate("two")), { exists: true, changes: "git failed" });
    result = () => Promise.resolve(undefined);
    await refreshed("three");
    assert.deepEqual(changes.of(candidate("three")), { exists: false });
  });

  it("are compared again once after a while, however often the files change meanwhile", async () => {
    await refreshed("one");
    for (let i = 0; i < 5; i++) changes.refresh(candidate("one"), "base");
    assert.equal(compared.length, 1);
    clock.advance(2000);
    await until(() => compared.length === 2);
    clock.advance(10_000);
    assert.equal(compared.length, 2);
  });

  it("are compared one worktree at a time", async () => {
    const gate = createGate();
    result = () => gate.settled.then(() => [file]);
    changes.refresh(candidate("one"), "base");
    changes.refresh(candidate("two"), "base");
    await until(() => compared.length === 1);
    gate.settle();
    await until(() => changes.of(candidate("two")) !== undefined);
    assert.deepEqual(compared, ["one base", "two base"]);
  });
});
