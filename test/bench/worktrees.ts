// Sessions in worktrees of a repository of 100,000 files: the time to make a worktree, compared with `git worktree add`
// alone, and what four such sessions need in VS Code.
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLog, systemClock } from "../../src/base/log.ts";
import { findGit } from "../../src/git/gitProgram.ts";
import { findRepository } from "../../src/git/gitWorktrees.ts";
import { makeWorktree } from "../../src/worktrees/makeWorktree.ts";
import { WorktreeRecords } from "../../src/worktrees/worktreeRecords.ts";
import { makeRepository } from "./largeRepository.ts";
import { median, ms, range, ratio, type Report } from "./report.ts";
import { measureWorktreeSessions } from "./worktreeSessions.ts";

const rounds = 3;
/** How much longer than git alone it may take to make a worktree. */
const maxRatio = 1.5;

/** The parts to measure during development: `PARLEY_BENCH_PARTS=making,sessions`; all by default. */
const parts = process.env["PARLEY_BENCH_PARTS"]?.split(",") ?? ["making", "sessions"];

/** Runs the benchmark. */
export async function run(): Promise<Report> {
  const reports = [
    ...(parts.includes("making") ? [await measureMaking()] : []),
    ...(parts.includes("sessions") ? [await measureWorktreeSessions()] : []),
  ];
  return {
    tables: reports.flatMap(({ tables }) => tables),
    failures: reports.flatMap(({ failures = [] }) => failures),
    versions: reports.flatMap(({ versions = [] }) => versions),
  };
}

async function measureMaking(): Promise<Report> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "parley-bench-")));
  try {
    const root = join(base, "work");
    const runGit = makeRepository(root);
    const git = findGit();
    if (!git) throw new Error("There is no git on the PATH.");
    const records = new WorktreeRecords(join(base, "records"), nullLog);
    const alone: number[] = [];
    const own: number[] = [];
    // The first round is a warm-up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      const path = join(base, "alone");
      const start = performance.now();
      runGit("worktree", "add", "-q", "-b", "alone", path);
      const added = performance.now() - start;
      runGit("worktree", "remove", "--force", path);
      runGit("branch", "-qD", "alone");
      const again = performance.now();
      const repository = await findRepository(git, root);
      const { record } = await makeWorktree(
        {
          ...{ repository, branch: "parley/session", base: repository.head, takesUncommitted: false },
          ...{ parent: join(base, "worktrees"), copy: [".env"] },
        },
        { git, records, clock: systemClock },
      );
      const made = performance.now() - again;
      runGit("worktree", "remove", "--force", record.path);
      runGit("branch", "-qD", record.branch);
      if (round === 0) continue;
      alone.push(added);
      own.push(made);
    }
    const row = (what: string, times: readonly number[]): readonly string[] => [
      ...[what, ms(median(times)), range(times), ratio(median(times) / median(alone))],
    ];
    const factor = median(own) / median(alone);
    return {
      tables: [
        {
          columns: ["a new worktree of 100,000 files, without a set-up command", "p50", "range", "ratio"],
          rows: [row("git alone: `git worktree add`", alone), row("Parley, with its record and ignored files", own)],
        },
      ],
      versions: [execFileSync("git", ["--version"], { encoding: "utf8" }).trim()],
      failures:
        factor > maxRatio
          ? [`A worktree takes ${ratio(factor)} of the time of git, the limit is ${ratio(maxRatio)}.`]
          : [],
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
