// The delay of a prompt: the tree of a repository of 100,000 files, compared with `git status` of the same repository
// in the same run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nullLog } from "../../src/base/log.ts";
import { maxTreeTime } from "../../src/checkpoints/checkpoints.ts";
import { findGit } from "../../src/git/gitProgram.ts";
import { GitTrees } from "../../src/checkpoints/gitTrees.ts";
import { fileAt, makeRepository } from "./largeRepository.ts";
import { median, ms, range, ratio, type Report } from "./report.ts";

const rounds = 5;
const changes = 10;

/** Creates the repository, and takes trees of it. */
export async function run(): Promise<Report> {
  const base = mkdtempSync(join(tmpdir(), "parley-bench-"));
  try {
    const root = join(base, "work");
    makeRepository(root);
    const own = join(base, "own");
    const git = findGit();
    if (!git) throw new Error("There is no git on the PATH.");
    let edit = 0;
    const change = (): void => {
      for (let i = 0; i < changes; i++) writeFileSync(fileAt(root, i * 97, i), `changed ${edit++}\n`);
    };
    const taken = async (trees: GitTrees): Promise<number> => {
      const start = performance.now();
      const records = await trees.take(new AbortController().signal);
      if (records.length !== 1) throw new Error("No tree was taken.");
      return performance.now() - start;
    };
    const cold: number[] = [];
    const warm: number[] = [];
    const texts: number[] = [];
    const status: number[] = [];
    for (let round = 0; round < rounds; round++) {
      rmSync(own, { recursive: true, force: true });
      const trees = new GitTrees({ git, folders: [root], storageFolder: own, log: nullLog });
      change();
      cold.push(await taken(trees));
      change();
      const records = await trees.take(new AbortController().signal);
      change();
      warm.push(await taken(trees));
      const start = performance.now();
      if ((await trees.textAt(records, fileAt(root, 1, 1))) === undefined) throw new Error("There is no text.");
      texts.push(performance.now() - start);
      const again = performance.now();
      execFileSync("git", ["--no-optional-locks", "status", "--porcelain"], { cwd: root, maxBuffer: 1e8 });
      status.push(performance.now() - again);
    }
    const row = (what: string, times: readonly number[]): readonly string[] => [
      what,
      ms(median(times)),
      range(times),
      ratio(median(times) / median(status)),
    ];
    const columns = ["a repository of 100,000 files, 10 of them changed", "p50", "range", "ratio"];
    const rows = [
      row("git alone: `git status`", status),
      row("first tree of a session", cold),
      row("every further tree", warm),
      row("a file's text from a tree", texts),
    ];
    const failures =
      median(cold) > maxTreeTime
        ? [`The first tree takes ${ms(median(cold))}; a prompt waits for ${ms(maxTreeTime)} at most.`]
        : [];
    const version = execFileSync("git", ["--version"], { encoding: "utf8" }).trim();
    return { tables: [{ columns, rows }], versions: [version], failures };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
