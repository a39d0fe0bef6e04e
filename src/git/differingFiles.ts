// The files of a work tree that differ from a commit, also those that git does not track yet, and their content in the
// commit as git would check it out.
import { copyFile, mkdir, mkdtemp, rm, stat, utimes } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isNotFoundError } from "../base/errors.ts";
import { GitError, gitList, gitOutput, runGitBytes, type Git } from "./gitProgram.ts";

/** What a commit has at a path. */
export interface CommittedFile {
  /** The mode of git, such as `100644`. */
  readonly mode: string;
  /** The id of its content. */
  readonly object: string;
}

/** A file that differs from a commit. Paths are relative to the top folder, with slashes. */
export interface DifferingFile {
  readonly path: string;
  /** Where the file was in the commit, if git finds that it was moved. */
  readonly from?: string;
  /** The file in the commit, at `from` if it was moved. Undefined: the commit has none. */
  readonly committed: CommittedFile | undefined;
  /** A submodule or a repository in the work tree. */
  readonly isRepository: boolean;
}

const noObject = /^0+$/;
const repositoryMode = "160000";

/** How git reads files of a work tree: with its filters, because it compares files after them, and without hooks. */
const reading = { isUsers: true, config: ["core.hooksPath=/dev/null", "core.fsmonitor=false"] };

/**
 * The files of a work tree that differ from the commit, without ignored ones. The index is only read:
 * a copy of it is made in `scratch` for this time. Rejects with a GitError, and when the signal aborts.
 */
export async function differingFiles(
  git: Git,
  top: string,
  { commit, scratch }: { readonly commit: string; readonly scratch: string },
  signal?: AbortSignal,
): Promise<readonly DifferingFile[]> {
  await mkdir(scratch, { recursive: true });
  const folder = await mkdtemp(join(scratch, "index-"));
  try {
    const index = resolve(top, (await gitOutput(git, top, ["rev-parse", "--git-path", "index"], { signal })).trim());
    const own = join(folder, "index");
    await copyIndex(index, own);
    const options = { ...reading, signal, env: { GIT_INDEX_FILE: own } };
    const untracked = await gitList(git, top, ["ls-files", "-z", "-o", "--exclude-standard"], options);
    // A repository in the work tree is listed as a folder.
    const files = untracked.filter(path => !path.endsWith("/"));
    // Git finds moves only between files that its index names.
    const named = ["add", "--intent-to-add", "--pathspec-from-file=-", "--pathspec-file-nul"];
    if (files.length > 0)
      await gitOutput(git, top, named, { ...options, input: files.map(path => `${path}\0`).join("") });
    const format = ["--raw", "-z", "--no-abbrev", "--find-renames", "--no-ext-diff", "--ignore-submodules=none"];
    const changes = changesOf(await gitList(git, top, ["diff", ...format, commit, "--"], options));
    const nested = untracked.filter(path => path.endsWith("/")).map(path => path.slice(0, -1));
    return [...changes, ...nested.map(path => ({ path, committed: undefined, isRepository: true }))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyIndex(index: string, own: string): Promise<void> {
  try {
    const { mtimeMs } = await stat(index);
    await copyFile(index, own);
    // Git reads files again that are as new as the index. Subtract 1 ms, because times are set less exactly than read.
    await utimes(own, mtimeMs / 1000, (mtimeMs - 1) / 1000);
  } catch (thrown) {
    // Git then takes all files for new ones.
    if (!isNotFoundError(thrown)) throw thrown;
  }
}

/** Reads the output of `git diff --raw -z`: a field with modes, objects and status, and one or two paths. */
function changesOf(fields: readonly string[]): readonly DifferingFile[] {
  const changes: DifferingFile[] = [];
  for (let at = 0; at < fields.length;) {
    const [mode = "", newMode, object = "", , status = ""] = (fields[at++] ?? "").slice(1).split(" ");
    const first = fields[at++] ?? "";
    const path = /^[RC]/.test(status) ? (fields[at++] ?? "") : first;
    const isRepository = mode === repositoryMode || newMode === repositoryMode;
    // A copy leaves the file that it was made of.
    const committed = noObject.test(object) || status.startsWith("C") ? undefined : { mode, object };
    const from = status.startsWith("R") ? { from: first } : {};
    // Git lists a path that is not merged twice.
    if (changes.at(-1)?.path !== path) changes.push({ path, ...from, committed, isRepository });
  }
  return changes;
}

/** What a commit has at these paths, which are relative to the top folder. */
export async function committedFiles(
  git: Git,
  top: string,
  commit: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, CommittedFile>> {
  if (paths.length === 0) return new Map();
  const items = await gitList(git, top, ["ls-tree", "-z", "--full-tree", commit, "--", ...paths], { signal });
  return new Map(
    items.map((item): [string, CommittedFile] => {
      const tab = item.indexOf("\t");
      const [mode = "", , object = ""] = item.slice(0, tab).split(" ");
      return [item.slice(tab + 1), { mode, object }];
    }),
  );
}

/** The bytes of a file of a commit as git would check it out: with line endings and filters. A link has its target. */
export async function checkedOutBytes(
  git: Git,
  top: string,
  { mode, object }: CommittedFile,
  path: string,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  const take = (bytes: Buffer): void => void pieces.push(bytes);
  const args = mode === "120000" ? ["blob", object] : ["--filters", `--path=${path}`, object];
  await runGitBytes(git, top, ["cat-file", ...args], { ...reading, signal, take });
  return Buffer.concat(pieces);
}

/** The latest commit that both have. Undefined: they have none in common. */
export async function mergeBase(git: Git, folder: string, one: string, other: string): Promise<string | undefined> {
  try {
    return (await gitOutput(git, folder, ["merge-base", one, other], {})).trim();
  } catch (thrown) {
    if (thrown instanceof GitError && thrown.code === 1) return undefined;
    throw thrown;
  }
}

/** Whether a commit is an earlier one of another, or the same. */
export async function isAncestor(git: Git, folder: string, earlier: string, later: string): Promise<boolean> {
  try {
    await gitOutput(git, folder, ["merge-base", "--is-ancestor", earlier, later], {});
    return true;
  } catch (thrown) {
    if (thrown instanceof GitError && thrown.code === 1) return false;
    throw thrown;
  }
}
