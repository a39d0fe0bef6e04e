// What the index and the logs of a repository know of files: which ones git has written or deleted lately.
import { GitError, gitList, gitOutput, type Git } from "./gitProgram.ts";

/** A file in the index. */
export interface GitIndexEntry {
  /** The id of its content. */
  readonly id: string;
  /** 0, or in a conflict 1 to 3. */
  readonly stage: number;
  /** The modification time and the size of the file when git wrote or compared it last. Seconds and nanoseconds. */
  readonly seconds: number;
  readonly nanoseconds: number;
  /** The change time (ctime) at that moment. Seconds and nanoseconds. */
  readonly changedSeconds: number;
  readonly changedNanoseconds: number;
  readonly size: number;
}

/** How many files one command is asked about. */
const maxPaths = 200;

/** The entries of files in the index, by path. Paths are relative to `top`, the top of the repository, with slashes. */
export async function indexEntries(
  git: Git,
  top: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, GitIndexEntry>> {
  const entries = new Map<string, GitIndexEntry>();
  for (const some of inChunks(paths)) {
    const output = await gitOutput(git, top, ["ls-files", "--stage", "--debug", "-z", "--", ...some], {});
    for (const [path, entry] of parseIndexEntries(output)) entries.set(path, entry);
  }
  return entries;
}

const entryPattern =
  /\d+ ([0-9a-f]+) (\d)\t([^\0]+)\0\s+ctime: (\d+):(\d+)\n\s+mtime: (\d+):(\d+)\n[^\n]*\n[^\n]*\n\s+size: (\d+)\tflags: [0-9a-f]+\n/g;

/** Reads the output of `git ls-files --stage --debug -z`. A file in a conflict has the entry of its last stage. */
function parseIndexEntries(output: string): ReadonlyMap<string, GitIndexEntry> {
  const entries = new Map<string, GitIndexEntry>();
  for (const [, id = "", stage, path = "", ...numbers] of output.matchAll(entryPattern)) {
    const [changedSeconds = 0, changedNanoseconds = 0, seconds = 0, nanoseconds = 0, size = 0] = numbers.map(Number);
    const times = { seconds, nanoseconds, changedSeconds, changedNanoseconds };
    entries.set(path, { id, stage: Number(stage), ...times, size });
  }
  return entries;
}

/** The ids of files in the last commit, by path. None before the first commit. */
export async function committedIds(
  git: Git,
  top: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const some of inChunks(paths)) {
    const items = await listed(git, top, ["ls-tree", "-r", "-z", "HEAD", "--", ...some]);
    for (const item of items) {
      const [details = "", path = ""] = item.split("\t");
      ids.set(path, details.split(" ")[2] ?? "");
    }
  }
  return ids;
}

/** A move of a branch, of HEAD or of the stash, as the log of the repository has it. */
export interface RefMove {
  readonly from: string;
  readonly to: string;
}

/** The most moves that are read, the last ones. */
const maxMoves = 50;

/** The moves in a log of the repository since a time, in seconds since the epoch. */
export function movesSince(log: string, since: number): readonly RefMove[] {
  const moves: RefMove[] = [];
  for (const line of log.split("\n").slice(-maxMoves - 1)) {
    const [, from, to, time] = /^([0-9a-f]+) ([0-9a-f]+) [^\t]* (\d+) [+-]\d+(?:\t|$)/.exec(line) ?? [];
    if (from !== undefined && to !== undefined && Number(time) >= since) moves.push({ from, to });
  }
  return moves;
}

/** The files that a move of HEAD deleted. */
export const deletedBy = (git: Git, top: string, { from, to }: RefMove): Promise<readonly string[]> =>
  /^0+$/.test(from) || from === to ? Promise.resolve([]) : differences(git, top, "D", from, to);

/** The files that a stash took away: those that were added to the index, and the untracked ones. */
export async function takenByStash(git: Git, top: string, stash: string): Promise<readonly string[]> {
  const added = await differences(git, top, "A", `${stash}^1`, stash);
  const untracked = await listed(git, top, ["ls-tree", "-r", "-z", "--name-only", `${stash}^3`]);
  return [...added, ...untracked];
}

const differences = (git: Git, top: string, filter: "A" | "D", from: string, to: string): Promise<readonly string[]> =>
  listed(git, top, ["diff-tree", "-r", "-z", "--no-renames", "--name-only", `--diff-filter=${filter}`, from, to]);

/** The list that git prints. Empty if the commit does not exist, or no longer. */
async function listed(git: Git, top: string, args: readonly string[]): Promise<readonly string[]> {
  try {
    return await gitList(git, top, args);
  } catch (thrown) {
    if (thrown instanceof GitError) return [];
    throw thrown;
  }
}

function* inChunks(paths: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < paths.length; at += maxPaths) yield paths.slice(at, at + maxPaths);
}
