// The changes of a repository that a commit would have: the staged ones, otherwise all, as a diff of each file. Files that
// an agent should not read, or that say little about a commit, are only named.
import { lstat, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { isNotFoundError } from "../base/errors.ts";
import { gitList, runGitBytes, type Git } from "../git/gitProgram.ts";

export type CommitChangeKind = "added" | "changed" | "deleted" | "renamed";

/** Why the content of a file is left out. */
export type LeftOutReason = "secret" | "lockFile" | "binary" | "large" | "tooMany" | "conflict";

/** A changed file. */
export interface CommitChange {
  /** Relative to the top of the repository, with slashes. */
  readonly path: string;
  /** The path before a move. */
  readonly oldPath?: string;
  readonly kind: CommitChangeKind;
  /** Added and removed lines. Absent if git does not count them. */
  readonly lines?: { readonly added: number; readonly removed: number };
}

export interface ChangesToCommit {
  /** Only what is staged. Otherwise nothing is. */
  readonly isStaged: boolean;
  /** By path. */
  readonly files: readonly (CommitChange & { readonly diff: string })[];
  /** By path. */
  readonly leftOut: readonly (CommitChange & { readonly reason: LeftOutReason })[];
  /** So many files that git does not track are in neither list, because there are too many. */
  readonly unlisted: number;
}

export interface CollectOptions {
  /** Whether a file looks like a secret. Gets a path relative to the top of the repository. */
  readonly isSecret: (path: string) => boolean;
  /** Whether all changes include files that git does not track. */
  readonly withUntracked: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** A longer diff of one file is left out (bytes). */
export const maxDiffBytes = 32 * 1024;
/** The diffs of all files together (bytes). The largest files are left out first. */
export const maxTotalBytes = 128 * 1024;
/** The diffs of more files are not read. */
const maxFiles = 300;
/** More files that git does not track are only counted. */
const maxUntracked = 5000;
const maxConcurrent = 4;

/** Files that package managers write. Other names that end with `.lock` or the like count, too. */
const lockFiles: ReadonlySet<string> = new Set([
  "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "bun.lockb", "go.sum", "go.work.sum", "package.resolved",
  "packages.lock.json", "cartfile.resolved", ".terraform.lock.hcl", "gradle.lockfile", "project.assets.json",
]); // prettier-ignore

/** Whether a package manager writes the file. */
export function isLockFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return lockFiles.has(name) || /.\.lock$/.test(name);
}

/** Git writes nothing, and compares without programs that the repository configures for diffs. */
const diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "-M", "--ignore-submodules=dirty"];
/** Not even the times in the index are refreshed, because the user's git may write it now. */
const environment = { GIT_OPTIONAL_LOCKS: "0" };
/** Settings of the user that change how a diff looks. */
const plainDiff = [
  "diff.noprefix=false",
  "diff.mnemonicPrefix=false",
  "diff.submodule=short",
  "diff.wsErrorHighlight=none",
];

/**
 * The changes that the next commit of the repository at `top` would have. Rejects with a GitError, and when the signal
 * aborts. The filters of the repository run, because the user asked for the changes.
 */
export async function changesToCommit(git: Git, top: string, options: CollectOptions): Promise<ChangesToCommit> {
  const { signal, withUntracked } = options;
  const list = (...args: readonly string[]): Promise<readonly string[]> =>
    gitList(git, top, [...diff, "--raw", "--numstat", "-z", ...args], { signal, isUsers: true, env: environment });
  const staged = parseDiff(await list("--cached"));
  // A conflict is not staged.
  const isStaged = staged.some(({ isConflict }) => !isConflict);
  const tracked = isStaged ? staged : parseDiff(await list());
  const untracked =
    isStaged || !withUntracked
      ? []
      : await gitList(git, top, ["ls-files", "-o", "-z", "--exclude-standard"], { signal });
  // A nested repository ends with a slash.
  const newFiles = untracked.filter(path => !path.endsWith("/"));
  const found = [
    ...tracked,
    ...newFiles.slice(0, maxUntracked).map((path): FoundFile => ({ path, kind: "added", isUntracked: true })),
  ].toSorted(byPath);
  const files: (CommitChange & { readonly diff: string })[] = [];
  const leftOut: (CommitChange & { readonly reason: LeftOutReason })[] = [];
  const readable: FoundFile[] = [];
  for (const file of found) {
    const reason = reasonByName(file, options) ?? (readable.length < maxFiles ? undefined : "tooMany");
    if (reason === undefined) readable.push(file);
    else leftOut.push({ ...changeOf(file), reason });
  }
  const folders = foldersOf(found);
  await forEachLimited(readable, maxConcurrent, async file => {
    signal?.throwIfAborted();
    const text = file.isUntracked
      ? await untrackedDiff(top, file.path)
      : folders.has(file.path) || folders.has(file.oldPath ?? file.path)
        ? headOf(file)
        : await trackedDiff(git, top, file, isStaged, signal);
    if (text === undefined) return;
    if (typeof text === "string") files.push({ ...changeOf(file), diff: text });
    else leftOut.push({ ...changeOf(file), reason: text.reason });
  });
  let total = 0;
  const kept: (CommitChange & { readonly diff: string })[] = [];
  for (const file of files.toSorted((a, b) => a.diff.length - b.diff.length || byPath(a, b))) {
    total += Buffer.byteLength(file.diff);
    if (total <= maxTotalBytes) kept.push(file);
    else leftOut.push({ ...changeOf(file), reason: "large" });
  }
  const unlisted = Math.max(0, newFiles.length - maxUntracked);
  return { isStaged, files: kept.toSorted(byPath), leftOut: leftOut.toSorted(byPath), unlisted };
}

interface FoundFile extends CommitChange {
  readonly isBinary?: true;
  readonly isConflict?: true;
  readonly isUntracked?: true;
}

const byPath = (a: CommitChange, b: CommitChange): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

const changeOf = ({ path, oldPath, kind, lines }: FoundFile): CommitChange => ({
  ...{ path, kind },
  ...(oldPath !== undefined && { oldPath }),
  ...(lines && { lines }),
});

function reasonByName(file: FoundFile, { isSecret }: CollectOptions): LeftOutReason | undefined {
  if (isSecret(file.path) || (file.oldPath !== undefined && isSecret(file.oldPath))) return "secret";
  if (file.isConflict) return "conflict";
  if (isLockFile(file.path)) return "lockFile";
  return file.isBinary ? "binary" : undefined;
}

/** Reads the output of `diff --raw --numstat -z -M`: for each file a head and its paths, then its numbers and its paths. */
function parseDiff(items: readonly string[]): readonly FoundFile[] {
  const files = new Map<string, FoundFile>();
  for (let at = 0; at < items.length; at++) {
    const item = items[at] ?? "";
    if (item.startsWith(":")) {
      const status = item.split(" ").at(-1) ?? "";
      const isMove = /^[RC]/.test(status);
      const first = items[++at] ?? "";
      const path = isMove ? (items[++at] ?? "") : first;
      // Conflicts are listed once more, with what is in the working folder.
      if (files.get(path)?.isConflict) continue;
      files.set(path, {
        ...{ path, kind: kindOf(status) },
        ...(status.startsWith("R") && { oldPath: first }),
        ...(status.startsWith("U") && { isConflict: true as const }),
      });
      continue;
    }
    const [added = "", removed = "", ...rest] = item.split("\t");
    let path = rest.join("\t");
    if (path === "") [, path = ""] = [items[++at], items[++at]];
    const file = files.get(path);
    if (!file) continue;
    if (added === "-") files.set(path, { ...file, isBinary: true });
    else files.set(path, { ...file, lines: { added: Number(added), removed: Number(removed) } });
  }
  return [...files.values()];
}

function kindOf(status: string): CommitChangeKind {
  if (/^[AC]/.test(status)) return "added";
  if (status.startsWith("D")) return "deleted";
  return status.startsWith("R") ? "renamed" : "changed";
}

/** The folders that the changed files are or were in. */
function foldersOf(files: readonly FoundFile[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const { path, oldPath = path } of files)
    for (const one of [path, oldPath])
      for (let end = one.lastIndexOf("/"); end > 0; end = one.lastIndexOf("/", end - 1)) folders.add(one.slice(0, end));
  return folders;
}

/**
 * The diff without any lines. For git, the path of a file that a folder replaces, or the other way around, also means
 * everything in the folder, and the folder may have secrets.
 */
function headOf({ path, oldPath = path, kind }: CommitChange): string {
  const change = {
    ...{ added: "new file\n", changed: "", deleted: "deleted file\n" },
    renamed: `rename from ${oldPath}\nrename to ${path}\n`,
  };
  return `diff --git a/${oldPath} b/${path}\n${change[kind]}`;
}

interface NoDiff {
  readonly reason: LeftOutReason;
}

/** Ends the output of git. */
class TooLarge extends Error {}

/** The text of deleted files is left out. */
async function trackedDiff(
  git: Git,
  top: string,
  { path, oldPath }: CommitChange,
  isStaged: boolean,
  signal: AbortSignal | undefined,
): Promise<string | NoDiff> {
  const chunks: Buffer[] = [];
  let size = 0;
  const paths = oldPath === undefined ? [path] : [oldPath, path];
  try {
    await runGitBytes(git, top, [...diff, "-D", ...(isStaged ? ["--cached"] : []), "--", ...paths], {
      ...{ signal, isUsers: true, env: environment, config: plainDiff },
      take: bytes => {
        size += bytes.length;
        if (size > maxDiffBytes) throw new TooLarge();
        chunks.push(bytes);
      },
    });
  } catch (thrown) {
    if (thrown instanceof TooLarge) return { reason: "large" };
    throw thrown;
  }
  return textOf(Buffer.concat(chunks));
}

/** Undefined: the file is gone. */
async function untrackedDiff(top: string, path: string): Promise<string | NoDiff | undefined> {
  const file = join(top, path);
  try {
    const found = await lstat(file);
    // Git stores the target of a link as its content.
    if (found.isSymbolicLink()) return newFileDiff(path, await readlink(file), "120000");
    if (!found.isFile()) return { reason: "binary" };
    if (found.size > maxDiffBytes) return { reason: "large" };
    const text = textOf(await readFile(file));
    return typeof text === "string" ? newFileDiff(path, text, "100644") : text;
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}

/** As git writes it. */
function newFileDiff(path: string, text: string, mode: string): string {
  const head = `diff --git a/${path} b/${path}\nnew file mode ${mode}\n`;
  if (text === "") return head;
  const isEnded = text.endsWith("\n");
  const lines = (isEnded ? text.slice(0, -1) : text).split("\n");
  const body = lines.map(line => `+${line}\n`).join("");
  const end = isEnded ? "" : "\\ No newline at end of file\n";
  return `${head}--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${body}${end}`;
}

function textOf(bytes: Buffer): string | NoDiff {
  if (bytes.includes(0)) return { reason: "binary" };
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { reason: "binary" };
  }
}
