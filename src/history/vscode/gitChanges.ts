// Finds out whether git put a file where it is, or deleted it: by a pull, a merge, a checkout, a reset, a rebase or a
// stash. Git notes in its index when it wrote a file, and in its logs where HEAD moved.
import type { Stats } from "node:fs";
import { lstat, readFile, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import * as vscode from "vscode";
import { asError, isNotFoundError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import {
  committedIds,
  deletedBy,
  indexEntries,
  movesSince,
  takenByStash,
  type GitIndexEntry,
} from "../../git/gitIndex.ts";
import type { Git } from "../../git/gitProgram.ts";
import { gitPath } from "../../git/gitQueries.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";

/** Git writes its index after the files, within this time if there are few. Milliseconds. */
const maxIndexDelay = 1000;

/** Git moves HEAD after it wrote its index, within this time if its hooks are quick. Milliseconds. */
const maxHeadDelay = 2000;

/** A command of git that locked the index is waited for until the lock is this old: filters can be slow. Milliseconds. */
const maxLockAge = 30_000;
const lockCheckInterval = 25;

/** Git is asked again while it changes the repository, at most this long. Milliseconds. */
const maxUnsettledTime = 10_000;
const unsettledDelay = 200;

/** The most answers that are kept. */
const maxAnswers = 5000;

/** A repository, with the files in which git notes what it does. */
interface Repository {
  readonly git: Git;
  readonly top: string;
  readonly index: string;
  readonly headLog: string;
  readonly stashLog: string;
}

/** The files of a repository that are asked about at the same time. */
interface Batch {
  readonly paths: Set<string>;
  readonly answer: Promise<Answer>;
}

/** What git knows of the files of a batch, by their names in the repository. */
interface Answer {
  /** Git wrote or deleted them. */
  readonly found: ReadonlySet<string>;
  /** Git wrote or compared them and has just written its index. HEAD may still move to a commit that has them. */
  readonly unsettled: ReadonlySet<string>;
}

export class GitChanges {
  readonly #log: Log;
  readonly #repositories = new Map<string, Promise<Repository | undefined>>();
  readonly #batches = new Map<string, Batch>();
  /** The answers, by the file and the state of both the file and the repository. */
  readonly #answers = new Map<string, boolean>();
  /** The locks that were waited for in vain. */
  readonly #staleLocks = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** A turn begins: repositories can have been created or removed. */
  turnBegan(): void {
    this.#repositories.clear();
    this.#answers.clear();
    this.#staleLocks.clear();
  }

  /** Whether git put the file there or deleted it since a time, in ms since the epoch. Never rejects. */
  async isGits(path: string, since: number): Promise<boolean> {
    try {
      const repository = await this.#repositoryOf(path);
      if (!repository) return false;
      for (let end = Date.now() + maxUnsettledTime; ;) {
        const before = Date.now();
        await this.#whenUnlocked(repository.index);
        end += Date.now() - before;
        const state = await stateOf(path, repository);
        // A command of git has begun meanwhile: its files are there before its index.
        if (state.lock && !this.#staleLocks.has(state.lock) && Date.now() < end) continue;
        if (state.changedAt < since - maxIndexDelay) return false;
        const key = JSON.stringify([path, since, state]);
        const known = this.#answers.get(key);
        if (known !== undefined) return known;
        const name = relative(repository.top, path).replaceAll("\\", "/");
        const { found, unsettled } = await this.#asked(repository, name, since);
        const isSame = JSON.stringify([path, since, await stateOf(path, repository)]) === key;
        if ((!isSame || unsettled.has(name)) && Date.now() < end) {
          await new Promise(resolve => setTimeout(resolve, unsettledDelay));
          continue;
        }
        if (isSame) this.#keep(key, found.has(name));
        return found.has(name);
      }
    } catch (thrown) {
      this.#log.debug(`git has no information about ${path}.`, asError(thrown).message);
      return false;
    }
  }

  #keep(key: string, answer: boolean): void {
    this.#answers.set(key, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
  }

  /** The innermost repository with the file. */
  async #repositoryOf(path: string): Promise<Repository | undefined> {
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
      const known = this.#repositories.get(folder) ?? openRepository(folder);
      this.#repositories.set(folder, known);
      const repository = await known;
      if (repository) return repository;
    }
    return undefined;
  }

  /** Waits until no command of git changes the index. The watcher reports a file before git is done with the others. */
  async #whenUnlocked(index: string): Promise<void> {
    const lock = `${index}.lock`;
    for (;;) {
      const found = await statOrNone(lock);
      if (!found) return;
      const key = lockId(lock, found);
      if (this.#staleLocks.has(key)) return;
      if (Date.now() > found.mtimeMs + maxLockAge) return void this.#staleLocks.add(key);
      await new Promise(resolve => setTimeout(resolve, lockCheckInterval));
    }
  }

  /** Asks about the file in the next batch. */
  #asked(repository: Repository, name: string, since: number): Promise<Answer> {
    const key = `${since} ${repository.top}`;
    const waiting = this.#batches.get(key);
    if (waiting) {
      waiting.paths.add(name);
      return waiting.answer;
    }
    const paths = new Set([name]);
    const answer = new Promise(resolve => setImmediate(resolve)).then(() => {
      this.#batches.delete(key);
      return gitsOf(repository, [...paths], since);
    });
    this.#batches.set(key, { paths, answer });
    return answer;
  }
}

async function openRepository(folder: string): Promise<Repository | undefined> {
  if (!(await statOrNone(join(folder, ".git")))) return undefined;
  const git = gitOf(vscode.Uri.file(folder));
  if (!git) return undefined;
  const [index, headLog, stashLog] = await Promise.all(
    ["index", "logs/HEAD", "logs/refs/stash"].map(name => gitPath(git, folder, name)),
  );
  return index && headLog && stashLog ? { git, top: folder, index, headLog, stashLog } : undefined;
}

/** What an answer depends on. */
interface RepositoryState {
  /** When git changed the repository last (ms since the epoch). */
  readonly changedAt: number;
  /** The lock of a command of git that changes the index. */
  readonly lock: string | undefined;
  /** The times of the file and of what git notes. */
  readonly times: readonly unknown[];
}

async function stateOf(path: string, { index, headLog, stashLog }: Repository): Promise<RepositoryState> {
  const lockPath = `${index}.lock`;
  const [file, lock, ...noted] = await Promise.all(
    [path, lockPath, index, headLog, stashLog].map(one => statOrNone(one)),
  );
  const times = noted.map(one => one?.mtimeMs ?? 0);
  return {
    changedAt: Math.max(...times),
    lock: lock && lockId(lockPath, lock),
    times: [file?.mtimeMs, file?.ctimeMs, file?.size, ...times],
  };
}

/** Tells the locks of several commands apart. */
const lockId = (path: string, { ino, mtimeMs }: Stats): string => `${path} ${ino} ${mtimeMs}`;

async function gitsOf(repository: Repository, names: readonly string[], since: number): Promise<Answer> {
  const { git, top, index } = repository;
  const [entries, committed, indexState] = await Promise.all([
    indexEntries(git, top, names),
    committedIds(git, top, names),
    stat(index),
  ]);
  const found = new Set<string>();
  const unsettled = new Set<string>();
  const isJustWritten = Date.now() - indexState.mtimeMs < maxHeadDelay;
  let deleted: ReadonlySet<string> | undefined;
  for (const name of names) {
    const [entry, id] = [entries.get(name), committed.get(name)];
    const state = await lstat(join(top, name), { bigint: true }).catch(noneIfMissing);
    if (state) {
      const written = Number(state.mtimeNs / 1_000_000n);
      const isRecent = indexState.mtimeMs - written <= maxIndexDelay && written - indexState.mtimeMs < 1;
      if (entry && isWritten(entry, state)) {
        if (entry.id === id || isRecent) found.add(name);
        else if (isJustWritten) unsettled.add(name);
      }
      // Git writes both sides of a conflict into the file.
      else if (entry && entry.stage > 0 && isRecent) found.add(name);
    } else if (!entry) {
      deleted ??= await deletedSince(repository, since);
      if (id !== undefined || deleted.has(name)) found.add(name);
    }
  }
  return { found, unsettled };
}

/**
 * Whether the file is as git wrote it, or found it to be equal to its content. A change of the mode changes only the
 * change time, which has no meaning for git on Windows.
 */
function isWritten(
  { stage, size, ...times }: GitIndexEntry,
  state: { mtimeNs: bigint; ctimeNs: bigint; size: bigint },
): boolean {
  const isModifiedThen = isTime(state.mtimeNs, times.seconds, times.nanoseconds);
  const isChangedThen =
    process.platform === "win32" || isTime(state.ctimeNs, times.changedSeconds, times.changedNanoseconds);
  return stage === 0 && isModifiedThen && isChangedThen && state.size === BigInt(size);
}

/** Not every git notes nanoseconds. It notes 0 then. */
function isTime(time: bigint, seconds: number, nanoseconds: number): boolean {
  const second = 1_000_000_000n;
  return time / second === BigInt(seconds) && (nanoseconds === 0 || time % second === BigInt(nanoseconds));
}

/** The files that moves of HEAD deleted, and that a stash took away. */
async function deletedSince({ git, top, headLog, stashLog }: Repository, since: number): Promise<ReadonlySet<string>> {
  // The logs have whole seconds.
  const seconds = Math.floor(since / 1000);
  const [heads, stashes] = await Promise.all(
    [headLog, stashLog].map(async log => movesSince(await readFile(log, "utf8").catch(emptyIfMissing), seconds)),
  );
  const deleted = await Promise.all([
    ...(heads ?? []).map(move => deletedBy(git, top, move)),
    ...(stashes ?? []).map(({ to }) => takenByStash(git, top, to)),
  ]);
  return new Set(deleted.flat());
}

function noneIfMissing(thrown: unknown): undefined {
  if (!isNotFoundError(thrown)) throw thrown;
}

function emptyIfMissing(thrown: unknown): string {
  if (!isNotFoundError(thrown)) throw thrown;
  return "";
}

const statOrNone = (path: string): Promise<Stats | undefined> => stat(path).catch(noneIfMissing);
