// The worktrees that Parley has made, in the storage of the profile. Each has a file of its own, so that windows do not
// overwrite what others wrote. Parley changes and removes no worktree without a record.
import { resolve } from "node:path";
import { t } from "../base/l10n.ts";
import type { Log } from "../base/log.ts";
import { isAtOrBelow, pathExists } from "../files/nodePaths.ts";
import { gitOutput, type Git } from "../git/gitProgram.ts";
import { changedSince, type WorkTreeChange } from "../git/workTreeChanges.ts";
import { FileBaseStore } from "./fileBases.ts";
import { isFiniteNumber, isOneOf, isRecordWith, isString, type TypeOf } from "../base/validators.ts";
import { RecordFiles } from "../files/recordFiles.ts";

const isRecord = isRecordWith({
  /** The top folder of the worktree, absolute. */
  path: isString,
  /** The top folder of the work tree that it was made from. */
  origin: isString,
  /** Git's folder that all worktrees of the repository share. */
  commonFolder: isString,
  /** The branch that was made with it. */
  branch: isString,
  /** The id of the commit on which the branch began. */
  base: isString,
  /** When it was made, ms since the epoch. */
  created: isFiniteNumber,
  /**
   * `made`: git may not be done yet, or failed. `created`: its files are there. `prepared`: its set-up is done, failed and was
   * skipped by the user, or there is none.
   */
  state: isOneOf("made", "created", "prepared"),
});

/** A worktree that Parley has made. */
export type WorktreeRecord = TypeOf<typeof isRecord>;

export class WorktreeRecords {
  /** What the files of each worktree are compared with. */
  readonly bases: FileBaseStore;
  readonly #files: RecordFiles<WorktreeRecord>;
  #records: readonly WorktreeRecord[] = [];

  /** `folder`: the folder of the records. */
  constructor(folder: string, log: Log) {
    this.bases = new FileBaseStore(folder);
    this.#files = new RecordFiles({ folder, isRecord, keyOf: ({ path }) => path, log });
  }

  /** The records as they were read or written last. */
  get known(): readonly WorktreeRecord[] {
    return this.#records;
  }

  /** Reads all records. Damaged ones are left out and logged. Rejects if there is no access. */
  async read(): Promise<readonly WorktreeRecord[]> {
    this.#records = (await this.#files.read()).sort((a, b) => a.created - b.created);
    return this.#records;
  }

  /** Stores a record, in place of an earlier one with its path. Rejects if it cannot be stored. */
  async write(record: WorktreeRecord): Promise<void> {
    await this.#files.write(record);
    this.#records = [...this.#records.filter(one => one.path !== record.path), record];
  }

  /** Removes the record of a worktree. Rejects if it cannot be removed. */
  async remove(path: string): Promise<void> {
    await this.#files.remove(path);
    await this.bases.remove(path);
    this.#records = this.#records.filter(one => one.path !== path);
  }

  /** The worktree that the folder is, or that contains it. */
  of(folder: string): WorktreeRecord | undefined {
    return this.#records.find(({ path }) => isAtOrBelow(folder, path));
  }
}

/**
 * Checks that the folder of a worktree still belongs to its repository. An agent can write there, and git would run the programs
 * that the configuration of another repository names. Rejects with a sentence.
 */
export async function checkRepository(git: Git, { path, commonFolder, origin }: WorktreeRecord): Promise<void> {
  if (!(await pathExists(path))) throw new Error(t("The folder “{0}” of the worktree no longer exists.", path));
  const output = await gitOutput(git, path, ["rev-parse", "--show-toplevel", "--git-common-dir"], {});
  const [top = "", common = ""] = output.split("\n");
  if (resolve(top) === path && resolve(path, common) === commonFolder) return;
  throw new Error(t("“{0}” is no longer a worktree of “{1}”.", path, origin));
}

/**
 * The changes of a worktree since its base that the user wants to see, so filters of the repository run. Rejects with a GitError
 * or a sentence.
 */
export async function userChanges(git: Git, record: WorktreeRecord): Promise<readonly WorkTreeChange[]> {
  await checkRepository(git, record);
  return changedSince(git, record.path, record.base, { isUsers: true });
}
