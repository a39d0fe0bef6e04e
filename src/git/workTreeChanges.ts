// What has changed in a work tree since a commit: committed, uncommitted and untracked files, and how two commits differ.
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { errorCodeOf, isNotFoundError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import { gitList, gitOutput, runGitBytes, type Git } from "./gitProgram.ts";

/** A file that differs from a commit. */
export interface WorkTreeChange {
  /** Relative to the top of the work tree, with slashes. */
  readonly path: string;
  readonly kind: "added" | "changed" | "deleted";
  /** Added and removed lines. Absent for binary files, and for new files that are too large or too many to be counted. */
  readonly lines?: { readonly added: number; readonly removed: number };
  /** The path is a submodule, so it has no text. */
  readonly isSubmodule?: true;
}

export interface ChangedSinceOptions {
  readonly signal?: AbortSignal | undefined;
  /** The user asked for it, so filters of the repository run. Without it, files are compared as they are on disk. */
  readonly isUsers?: boolean;
}

/** The lines of larger new files are not counted. Bytes. */
const maxCountedBytes = 1024 * 1024;
/** The lines of more new files are not counted. */
const maxCountedFiles = 500;
const maxConcurrentReads = 8;

/**
 * The files that differ between a commit and the work tree at `top`, with untracked files and without ignored ones, by path. A
 * renamed file is one that was deleted and one that was added. Rejects with a GitError, or when the signal aborts.
 */
export async function changedSince(
  git: Git,
  top: string,
  commit: string,
  { signal, isUsers = false }: ChangedSinceOptions = {},
): Promise<readonly WorkTreeChange[]> {
  const config = isUsers ? [] : await withoutFilters(git, top, signal);
  const diff = ["diff", "--raw", "--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
  const [differing, untracked] = [
    await gitList(git, top, [...diff, "--ignore-submodules=dirty", commit, "--"], { signal, isUsers, config }),
    await gitList(git, top, ["ls-files", "-o", "-z", "--exclude-standard"], { signal }),
  ];
  const found = new Map(parseDiff(differing).map(file => [file.path, file]));
  let counted = 0;
  await forEachLimited(untracked, maxConcurrentReads, async path => {
    signal?.throwIfAborted();
    // A nested repository.
    if (path.endsWith("/")) return;
    const added = counted++ < maxCountedFiles ? await countLines(join(top, path)) : undefined;
    const before = found.get(path);
    // A file that is no longer tracked, and still there.
    const removed = before ? before.lines?.removed : 0;
    found.set(path, {
      ...{ path, kind: before ? "changed" : "added" },
      ...(added !== undefined && removed !== undefined && { lines: { added, removed } }),
    });
  });
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Reads the output of `diff --raw --numstat -z`: for each file a head and its path, then for each file its numbers. */
function parseDiff(items: readonly string[]): readonly WorkTreeChange[] {
  const files = new Map<string, WorkTreeChange>();
  for (let at = 0; at < items.length; at++) {
    const item = items[at] ?? "";
    if (item.startsWith(":")) {
      const [before = "", after = "", , , status = ""] = item.slice(1).split(" ");
      const path = items[++at] ?? "";
      const kind = status === "A" ? "added" : status === "D" ? "deleted" : "changed";
      const isSubmodule = [before, after].includes("160000");
      files.set(path, { path, kind, ...(isSubmodule && { isSubmodule: true as const }) });
      continue;
    }
    const [added = "-", removed = "-", ...rest] = item.split("\t");
    const path = rest.join("\t");
    const file = files.get(path);
    if (file && added !== "-") files.set(path, { ...file, lines: { added: Number(added), removed: Number(removed) } });
  }
  return [...files.values()];
}

/** The number of lines of a text. Undefined: it is binary, too large or gone. */
async function countLines(path: string): Promise<number | undefined> {
  try {
    const found = await lstat(path);
    // Git stores the target of a link as one line.
    if (found.isSymbolicLink()) return 1;
    if (!found.isFile() || found.size > maxCountedBytes) return undefined;
    let lines = 0;
    let last = 0x0a;
    for await (const chunk of createReadStream(path)) {
      const bytes = chunk as Buffer;
      if (bytes.includes(0)) return undefined;
      for (const byte of bytes) if (byte === 0x0a) lines++;
      last = bytes.at(-1) ?? last;
    }
    return last === 0x0a ? lines : lines + 1;
  } catch (thrown) {
    if (isNotFoundError(thrown) || errorCodeOf(thrown) === "EACCES") return undefined;
    throw thrown;
  }
}

/** Settings with which git runs no filter that is configured for the folder. */
async function withoutFilters(git: Git, folder: string, signal?: AbortSignal): Promise<readonly string[]> {
  const names = await gitList(git, folder, ["config", "-z", "--list", "--name-only"], { signal });
  const off = new Set<string>();
  for (const name of names) {
    const filter = /^filter\.(.*)\.[^.]*$/s.exec(name)?.[1];
    if (filter === undefined) continue;
    if (/[=\n]/.test(filter)) throw new Error(t("The repository configures a filter that cannot be switched off."));
    for (const value of ["clean=", "process=", "required=false"]) off.add(`filter.${filter}.${value}`);
  }
  return [...off];
}

/** The last commit of a work tree, and the branch that is checked out. */
export interface WorkTreeHead {
  readonly commit: string;
  /** Undefined: HEAD is detached. */
  readonly branch?: string;
}

/** Rejects with a GitError if the folder is in no work tree that has a commit. */
export async function headOf(git: Git, folder: string, signal?: AbortSignal): Promise<WorkTreeHead> {
  const output = await gitOutput(git, folder, ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"], { signal });
  const [commit = "", name = ""] = output.split("\n");
  return { commit, ...(name.startsWith("refs/heads/") && { branch: name.slice("refs/heads/".length) }) };
}

/** The number of commits that only one side has: `ahead` those of `commit`, `behind` those of `other`. */
export async function commitsBetween(
  git: Git,
  folder: string,
  commit: string,
  other: string,
  signal?: AbortSignal,
): Promise<{ readonly ahead: number; readonly behind: number }> {
  const args = ["rev-list", "--left-right", "--count", `${commit}...${other}`, "--"];
  const [ahead = 0, behind = 0] = (await gitOutput(git, folder, args, { signal })).trim().split(/\s+/).map(Number);
  return { ahead, behind };
}

/**
 * The content of a file in a commit, as it would be checked out. `path`: relative to the top of the work tree, with slashes.
 * Rejects with a GitError if the commit has no such file, and if it is larger than `maxBytes`.
 */
export async function fileInCommit(
  git: Git,
  top: string,
  commit: string,
  path: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  await runGitBytes(git, top, ["cat-file", "--filters", `${commit}:${path}`], {
    signal,
    isUsers: true,
    take: bytes => {
      size += bytes.length;
      if (size > maxBytes) throw new Error(t("“{0}” is too large to be shown.", path));
      chunks.push(bytes);
    },
  });
  return Buffer.concat(chunks);
}
