// Groups of candidates: sessions that got one prompt, each in a worktree of its own that begins with the same commit. They are
// in the storage of the profile, so that they can be compared after a reload of the window.
import { Sequencer } from "../../base/async.ts";
import type { Log } from "../../base/log.ts";
import {
  isFiniteNumber,
  isListOf,
  isOneOf,
  isRecordWith,
  isString,
  optional,
  type TypeOf,
} from "../../base/validators.ts";
import { RecordFiles } from "../../files/recordFiles.ts";

const isCheckResult = isRecordWith({
  /** The command line, without secrets. */
  command: isString,
  /** `passed`: exit code 0. `failed`: another one, or a signal. `unknown`: it could not be run. */
  outcome: isOneOf("passed", "failed", "stopped", "timeout", "unknown"),
  exitCode: optional(isFiniteNumber),
  /** When it ended, ms since the epoch, and how long it ran, ms. */
  ended: isFiniteNumber,
  duration: isFiniteNumber,
  /** The last lines of its output, or why it could not be run, without secrets. */
  output: isString,
});

/** How a check of a candidate ended. */
export interface CheckResult extends TypeOf<typeof isCheckResult> {}

const isCandidate = isRecordWith({
  /** The id of its session. */
  session: isString,
  /** The agent's name, with a number if the group has the agent several times. */
  name: isString,
  /** The id of the agent in the settings. */
  agent: isString,
  /** The top folder of its worktree. */
  worktree: isString,
  branch: isString,
  check: optional(isCheckResult),
});

/** One session of a group. */
export interface Candidate extends TypeOf<typeof isCandidate> {}

const isGroup = isRecordWith({
  id: isString,
  /** The first line of the prompt, without secrets. */
  title: isString,
  /** The top folder of the work tree that the worktrees were made from. */
  origin: isString,
  commonFolder: isString,
  /** The id of the commit on which all branches began. */
  base: isString,
  /** When the prompt was asked, ms since the epoch. */
  created: isFiniteNumber,
  candidates: isListOf(isCandidate),
});

/** The sessions that got one prompt. */
export interface CandidateGroup extends TypeOf<typeof isGroup> {}

export class CandidateGroups {
  readonly #files: RecordFiles<CandidateGroup>;
  readonly #changes = new Sequencer();
  #groups: readonly CandidateGroup[] = [];

  /** `folder`: the folder of the files. */
  constructor(folder: string, log: Log) {
    this.#files = new RecordFiles<CandidateGroup>({ folder, isRecord: isGroup, keyOf: ({ id }) => id, log });
  }

  /** The group as it was read or written last. */
  get(id: string): CandidateGroup | undefined {
    return this.#groups.find(group => group.id === id);
  }

  /** Reads all groups, the newest first. Damaged ones are left out and logged. Rejects if there is no access. */
  async read(): Promise<readonly CandidateGroup[]> {
    const groups = await this.#files.read();
    this.#groups = groups.sort((a, b) => b.created - a.created);
    return this.#groups;
  }

  /** Stores a group. Rejects if it cannot be stored. */
  async write(group: CandidateGroup): Promise<void> {
    await this.#files.write(group);
    this.#groups = [group, ...this.#groups.filter(one => one.id !== group.id)].sort((a, b) => b.created - a.created);
  }

  /** Stores how the check of a candidate ended. A group that was removed meanwhile stays removed. */
  setCheck(id: string, session: string, check: CheckResult): Promise<void> {
    return this.#change(id, candidates =>
      candidates.map(candidate => (candidate.session === session ? { ...candidate, check } : candidate)),
    );
  }

  /** Leaves candidates out of a group, which is removed with the last one. */
  leaveOut(id: string, sessions: readonly string[]): Promise<void> {
    return this.#change(id, candidates => candidates.filter(({ session }) => !sessions.includes(session)));
  }

  /** One change at a time, because each begins with the outcome of the one before. */
  #change(id: string, change: (candidates: readonly Candidate[]) => readonly Candidate[]): Promise<void> {
    return this.#changes.queue(async () => {
      const group = this.get(id);
      if (!group) return;
      const candidates = change(group.candidates);
      if (candidates.length > 0) return this.write({ ...group, candidates });
      await this.#files.remove(id);
      this.#groups = this.#groups.filter(one => one.id !== id);
    });
  }
}
