// A repository in a folder of its own, with the real git, for tests.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nullLog } from "../../../src/base/log.ts";
import { findGit, type Git } from "../../../src/git/gitProgram.ts";
import { findRepository, type Repository } from "../../../src/git/gitWorktrees.ts";
import { makeWorktree, type MadeWorktree, type WorktreeChoices } from "../../../src/worktrees/makeWorktree.ts";
import { WorktreeRecords } from "../../../src/worktrees/worktreeRecords.ts";

const installedGit = (): Git => {
  const found = findGit();
  assert.ok(found, "git is needed");
  return found;
};

/** A repository `app` with a commit of some files on `main`, and the records of its worktrees. */
export class RealRepository {
  readonly git = installedGit();
  /** The folder that contains everything. */
  readonly base: string;
  /** The top folder of the repository. */
  readonly app: string;
  readonly records: WorktreeRecords;

  private constructor(base: string) {
    this.base = base;
    this.app = join(base, "app");
    this.records = new WorktreeRecords(join(base, "records"), nullLog);
  }

  /** `files`: the texts of the first commit, by path. */
  static async create(files: Readonly<Record<string, string>>): Promise<RealRepository> {
    const made = new RealRepository(await realpath(await mkdtemp(join(tmpdir(), "parley-repository-"))));
    await made.write(files);
    made.run(made.app, "init", "-qb", "main");
    made.commit();
    return made;
  }

  async write(files: Readonly<Record<string, string>>, folder = this.app): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }

  /** Runs git in the folder, and returns its output. */
  run(folder: string, ...args: readonly string[]): string {
    const own = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
    return execFileSync("git", [...own, ...args], { cwd: folder, stdio: "pipe", encoding: "utf8" }).trim();
  }

  /** Commits everything in the folder. */
  commit(folder = this.app): void {
    this.run(folder, "add", "-A");
    this.run(folder, "commit", "-qm", "all");
  }

  find(folder = this.app): Promise<Repository> {
    return findRepository(this.git, folder);
  }

  /** The names of the local branches, a line each. */
  get branches(): string {
    return this.run(this.app, "for-each-ref", "--format=%(refname:short)", "refs/heads");
  }

  /** Makes a worktree of the last commit with the branch `parley/one`, unless the choices are others. */
  async makeWorktree(choices: Partial<WorktreeChoices> = {}, signal?: AbortSignal): Promise<MadeWorktree> {
    const repository = choices.repository ?? (await this.find());
    const usual = { branch: "parley/one", base: repository.head, takesUncommitted: false, parent: undefined, copy: [] };
    const { git, records } = this;
    const clock = { now: () => 1 };
    return makeWorktree({ repository, ...usual, ...choices }, { git, records, clock, ...(signal && { signal }) });
  }

  remove(): Promise<void> {
    // What was brought back last can still be stored.
    return rm(this.base, { recursive: true, force: true, maxRetries: 5 });
  }
}
