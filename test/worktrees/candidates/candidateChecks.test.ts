// The check of candidates, with real commands.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostEnvironment } from "../../../src/base/windowEnvironment.ts";
import { nodePaths } from "../../../src/files/nodePaths.ts";
import { Confinement } from "../../../src/files/paths.ts";
import { SessionTerminals } from "../../../src/terminals/sessionTerminals.ts";
import { CandidateChecks } from "../../../src/worktrees/candidates/candidateChecks.ts";
import type { Candidate, CandidateGroup, CheckResult } from "../../../src/worktrees/candidates/candidateGroups.ts";
import { lastLines } from "../../../src/base/lastLines.ts";
import { FakeClock } from "../../support/fakes/fakePorts.ts";
import { isAlive, until } from "../../support/fakes/until.ts";

describe("the check of a candidate", () => {
  let base: string;
  let clock: FakeClock;
  let checks: CandidateChecks;
  let results: CheckResult[];
  let candidate: Candidate;
  let group: CandidateGroup;
  const settings = { check: "", checkMinutes: 1 };
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "parley-check-")));
    const worktree = join(base, "tree");
    await mkdir(worktree);
    candidate = { session: "one", name: "Demo", agent: "demo", worktree, branch: "b" };
    group = {
      ...{ id: "g", title: "Fix", origin: join(base, "app"), commonFolder: "", base: "abc", created: 1 },
      candidates: [candidate],
    };
    clock = new FakeClock();
    results = [];
    checks = new CandidateChecks({
      groups: {
        setCheck: (id, session, result) => {
          assert.deepEqual([id, session], ["g", "one"]);
          results.push(result);
          return Promise.resolve();
        },
      },
      settings: () => settings,
      terminalsIn: folder =>
        new SessionTerminals({
          ...{ confinement: new Confinement(nodePaths(), [folder]), workspaceFolder: folder },
          environment: hostEnvironment,
          report: () => {},
        }),
      clock,
    });
  });
  afterEach(async () => {
    await checks.close();
    await rm(base, { recursive: true, force: true });
  });
  const run = async (check: string): Promise<CheckResult> => {
    settings.check = check;
    await checks.run(group, candidate);
    return results.at(-1) ?? assert.fail();
  };
  const made = (name: string): string => join(candidate.worktree, name);

  it("runs in the worktree, and has the exit code and the last lines", async () => {
    const passed = await run('echo "$PARLEY_ORIGIN" > made.txt; seq 1 30');
    assert.equal(readFileSync(made("made.txt"), "utf8"), `${group.origin}\n`);
    assert.equal(passed.outcome, "passed");
    assert.equal(passed.output.split("\n").length, 20);
    assert.ok(passed.output.endsWith("\n30"));
    const failed = await run("echo broken >&2; exit 3");
    assert.deepEqual([failed.outcome, failed.exitCode, failed.output], ["failed", 3, "broken"]);
  });

  it("hides secrets in its output and in the command", async () => {
    const { command, output } = await run("echo --password hunter2-is-secret; exit 1");
    assert.doesNotMatch(command + output, /hunter2/);
  });

  for (const [title, end, outcome] of [
    ["Cancel", () => void checks.stop("one"), "stopped"],
    ["the time limit", () => clock.advance(60_000), "timeout"],
    ["the window", () => void checks.close(), "stopped"],
  ] as const)
    it(`ends with all of its processes on ${title}`, async () => {
      settings.check = "echo begun; (sleep 1000 & echo $! > child.txt; wait)";
      const running = checks.run(group, candidate);
      assert.equal(checks.runsSince("one"), clock.now());
      await until(() => existsSync(made("child.txt")) && readFileSync(made("child.txt"), "utf8").endsWith("\n"));
      end();
      await running;
      assert.equal(results[0]?.outcome, outcome);
      assert.equal(results[0].output, "begun");
      assert.equal(isAlive(Number(readFileSync(made("child.txt"), "utf8"))), false);
      assert.equal(checks.runsSince("one"), undefined);
    });

  it("runs once at a time, and not without a command", async () => {
    settings.check = "echo one >> made.txt";
    await Promise.all([checks.run(group, candidate), checks.run(group, candidate)]);
    assert.equal(readFileSync(made("made.txt"), "utf8"), "one\n");
    settings.check = "";
    await checks.run(group, candidate);
    assert.equal(results.length, 1);
  });

  it("says why it could not be run", async () => {
    await rm(candidate.worktree, { recursive: true });
    const { outcome, output } = await run("echo");
    assert.equal(outcome, "unknown");
    assert.match(output, /^The check could not be run: .*is not an existing folder\.$/);
  });
});

describe("the last lines of an output", () => {
  it("have no colors, no titles, and of a progress bar only its end", () => {
    assert.equal(lastLines("\x1b]0;title\x07\x1b[31mred\x1b[0m\r\n10 %\r100 %\n\n"), "red\n100 %");
  });

  it("do not begin with a cut line", () => {
    const text = lastLines(`${"x".repeat(70_000)}\nlast`);
    assert.equal(text, "last");
    assert.equal(lastLines("x".repeat(70_000)), "");
  });
});
