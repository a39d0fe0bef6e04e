// The worktrees of a repository: which repository a folder is in, its worktrees and branches, and new worktrees.
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { t } from "../base/l10n.ts";
import { GitError, gitList, gitOutput, type Git } from "./gitProgram.ts";

/** A folder in a repository of which worktrees can be made. Paths are absolute. */
export interface Repository {
  /** The top folder of the work tree that the folder is in. */
  readonly top: string;
  /** The folder's path below `top`, with slashes, without one at the end. Empty at the top. */
  readonly prefix: string;
  /** Git's folder that all worktrees share. It identifies the repository. */
  readonly commonFolder: string;
  /** The id of the last commit of the work tree. */
  readonly head: string;
  /** The branch that is checked out, such as `main`. Undefined: HEAD is detached. */
  readonly branch?: string;
}

/** No worktree can be made here. The message is a sentence with the reason. */
export class WorktreeUnavailableError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "WorktreeUnavailableError";
  }
}

/** Finds the repository of a folder. Rejects with a {@link WorktreeUnavailableError} if it can have no worktrees. */
export async function findRepository(git: Git, folder: string): Promise<Repository> {
  const read = (...args: readonly string[]): Promise<string> =>
    gitOutput(git, folder, args, {}).then(text => text.replace(/\r?\n$/, ""));
  const isBare = await read("rev-parse", "--is-bare-repository").catch((thrown: unknown) => {
    if (!(thrown instanceof GitError)) throw thrown;
    throw new WorktreeUnavailableError(
      t("“{0}” is not in a git repository, so it can have no worktrees. Initialize a repository first.", folder),
    );
  });
  if (isBare === "true")
    throw new WorktreeUnavailableError(
      t("“{0}” is a bare repository without files, so no session can start there.", folder),
    );
  const [top = "", common = "", superproject] = (
    await read("rev-parse", "--show-toplevel", "--git-common-dir", "--show-superproject-working-tree")
  ).split("\n");
  if (superproject)
    throw new WorktreeUnavailableError(
      t("“{0}” is a submodule. Git supports no worktrees of submodules that can be removed safely.", folder),
    );
  const head = await read("rev-parse", "--verify", "--quiet", "HEAD^{commit}").catch((thrown: unknown) => {
    if (!(thrown instanceof GitError)) throw thrown;
    throw new WorktreeUnavailableError(t("The repository has no commit yet. Commit something first."));
  });
  const prefix = (await read("rev-parse", "--show-prefix")).replace(/\/$/, "");
  const branch = await read("symbolic-ref", "--quiet", "--short", "HEAD").catch((thrown: unknown) => {
    if (thrown instanceof GitError) return undefined;
    throw thrown;
  });
  const commonFolder = resolve(folder, common);
  return { top: resolve(top), prefix, commonFolder, head, ...(branch !== undefined && { branch }) };
}

/** A worktree of a repository, as git lists it. */
export interface Worktree {
  /** The top folder, absolute. */
  readonly path: string;
  /** The branch that is checked out, such as `main`. Undefined: HEAD is detached, or the repository is bare. */
  readonly branch?: string;
  /** Why git must not remove it. Empty if no reason was given. Undefined: it is not locked. */
  readonly locked?: string;
  /** Its folder is gone. */
  readonly isMissing: boolean;
}

/** The worktrees of the repository of a folder, the main one first. Rejects with a GitError. */
export async function listWorktrees(git: Git, folder: string): Promise<readonly Worktree[]> {
  const output = await gitOutput(git, folder, ["worktree", "list", "--porcelain", "-z"], {});
  return output
    .split("\0\0")
    .filter(block => block !== "")
    .map(block => {
      const fields = new Map(
        block.split("\0").map((line): [string, string] => {
          const space = line.indexOf(" ");
          return space < 0 ? [line, ""] : [line.slice(0, space), line.slice(space + 1)];
        }),
      );
      const branch = fields.get("branch")?.replace(/^refs\/heads\//, "");
      const locked = fields.get("locked");
      return {
        path: resolve(fields.get("worktree") ?? ""),
        ...(branch !== undefined && { branch }),
        ...(locked !== undefined && { locked }),
        isMissing: fields.has("prunable"),
      };
    });
}

/** The names of the local branches. */
export const localBranches = (git: Git, folder: string): Promise<readonly string[]> =>
  gitOutput(git, folder, ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"], {}).then(text =>
    text.split("\n").filter(name => name !== ""),
  );

/** A name of a commit that a worktree can be made of, such as a branch, a tag or a branch of a remote. */
export interface NamedCommit {
  readonly name: string;
  /** The id of the commit. */
  readonly commit: string;
  /** How long ago it was committed, in git's words, such as `2 days ago`. */
  readonly age: string;
}

/** The branches and tags of the repository, the newest first, at most 500. */
export async function namedCommits(git: Git, folder: string): Promise<readonly NamedCommit[]> {
  const format = "%(refname:short)%00%(objectname)%00%(*objectname)%00%(creatordate:relative)";
  const args = ["for-each-ref", "--count=500", "--sort=-creatordate", `--format=${format}`];
  const output = await gitOutput(git, folder, [...args, "refs/heads", "refs/remotes", "refs/tags"], {});
  return output.split("\n").flatMap(line => {
    const [name = "", object = "", target = "", age = ""] = line.split("\0");
    return name === "" || name.endsWith("/HEAD") ? [] : [{ name, commit: target === "" ? object : target, age }];
  });
}

/** The id of the commit that a text names. Undefined: it names none. */
export async function commitNamed(git: Git, folder: string, name: string): Promise<string | undefined> {
  try {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
    return (await gitOutput(git, folder, args, {})).trim();
  } catch (thrown) {
    if (thrown instanceof GitError) return undefined;
    throw thrown;
  }
}

/** The default branch of the remote, such as `origin/main`, as it was when it was fetched last. Undefined: unknown. */
export async function remoteDefaultBranch(git: Git, folder: string): Promise<string | undefined> {
  const heads = await gitOutput(
    git,
    folder,
    ["for-each-ref", "--format=%(symref:lstrip=2)", "refs/remotes/*/HEAD"],
    {},
  );
  const names = heads.split("\n").filter(name => name !== "");
  return names.find(name => name.startsWith("origin/")) ?? names[0];
}

/** Fetches a branch of a remote, such as `origin/main`. Rejects with a GitError, or when the signal aborts. */
export async function fetchRemoteBranch(git: Git, folder: string, name: string, signal: AbortSignal): Promise<void> {
  const slash = name.indexOf("/");
  const [remote, branch] = [name.slice(0, slash), name.slice(slash + 1)];
  const refs = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
  await gitOutput(git, folder, ["fetch", "--no-tags", "--no-recurse-submodules", "--", remote, refs], {
    signal,
    isUsers: true,
  });
}

/** Why a branch cannot have this name, as a sentence. Undefined: it can. */
export async function branchNameProblem(git: Git, folder: string, name: string): Promise<string | undefined> {
  try {
    await gitOutput(git, folder, ["check-ref-format", "--branch", name], {});
  } catch (thrown) {
    if (!(thrown instanceof GitError)) throw thrown;
    return t("Git allows no branch with the name “{0}”.", name);
  }
  for (const branch of await localBranches(git, folder)) {
    if (branch === name) return t("The branch “{0}” exists already.", name);
    if (branch.startsWith(`${name}/`) || name.startsWith(`${branch}/`))
      return t("The branch “{0}” exists, so git allows none with the name “{1}”.", branch, name);
  }
  return undefined;
}

/** Makes a branch. Rejects with a GitError if one has the name already. */
export async function createBranch(git: Git, top: string, branch: string, commit: string): Promise<void> {
  // The zeros are the value of a branch that does not exist.
  const nothing = commit.replaceAll(/./g, "0");
  await gitOutput(git, top, ["update-ref", `refs/heads/${branch}`, commit, nothing], {});
}

/**
 * Makes a worktree in an empty folder, and checks out the branch there. Hooks run. Rejects with a GitError, also
 * if the worktree is complete and a hook failed, or when the signal aborts.
 */
export async function addWorktree(
  git: Git,
  top: string,
  { path, branch }: { readonly path: string; readonly branch: string },
  signal?: AbortSignal,
): Promise<void> {
  await gitOutput(git, top, ["worktree", "add", "--", path, branch], { isUsers: true, signal });
}

/**
 * Removes what {@link createBranch} and {@link addWorktree} have made just now, perhaps only a part of it, and which nobody has
 * used. A branch that is no longer at `base` stays.
 */
export async function removeNewWorktree(
  git: Git,
  top: string,
  { path, branch, base }: { readonly path: string; readonly branch: string; readonly base: string },
): Promise<void> {
  // It may be locked while git makes it.
  const args = ["worktree", "remove", "--force", "--force", "--", path];
  await gitOutput(git, top, args, {}).catch((thrown: unknown) => {
    // Git does not know it yet.
    if (!(thrown instanceof GitError)) throw thrown;
  });
  await rm(path, { recursive: true, force: true });
  await deleteBranch(git, top, branch, base).catch((thrown: unknown) => {
    if (!(thrown instanceof GitError)) throw thrown;
  });
}

/** Deletes a branch. Rejects with a GitError if it does not exist, or if its last commit is another one. */
export async function deleteBranch(git: Git, top: string, branch: string, commit: string): Promise<void> {
  await gitOutput(git, top, ["update-ref", "-d", `refs/heads/${branch}`, commit], {});
}

/** Removes the folder of a worktree with everything in it, and what git knows of it. Rejects with a GitError. */
export async function removeWorktreeFolder(git: Git, top: string, path: string): Promise<void> {
  await gitOutput(git, top, ["worktree", "remove", "--force", "--", path], {});
}

/**
 * The number of commits up to this one that no branch or tag has. `except`: a branch that does not count. `merged`: a
 * commit whose changes a branch has.
 */
export async function unreachedCommits(
  git: Git,
  folder: string,
  commit: string,
  except?: string,
  merged?: string,
): Promise<number> {
  const without = except === undefined ? [] : [`--exclude=${except}`];
  const others = ["--not", ...without, "--branches", "--tags", "--remotes", ...(merged === undefined ? [] : [merged])];
  return Number(await gitOutput(git, folder, ["rev-list", "--count", commit, ...others], {}));
}

/** What is not committed in a work tree. Paths are relative to it, with slashes. */
export interface UncommittedFiles {
  /** Files that are new or have another content or mode than in the last commit. */
  readonly changed: readonly string[];
  readonly deleted: readonly string[];
  /** Submodules with another commit or with changes of their own, and nested repositories. */
  readonly submodules: readonly string[];
}

/** What is not committed in a work tree: staged, changed, deleted and untracked files, without ignored ones. */
export async function uncommittedFiles(git: Git, top: string, signal?: AbortSignal): Promise<UncommittedFiles> {
  const args = ["--no-optional-locks", "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"];
  const changed: string[] = [];
  const deleted: string[] = [];
  const submodules: string[] = [];
  // Git compares files after the filters of the repository, such as those of LFS.
  for (const item of await gitList(git, top, args, { signal, isUsers: true })) {
    const fields = item.split(" ");
    const [kind, state = "", submodule = ""] = fields;
    // A nested repository is listed as a folder.
    if (kind === "?") (item.endsWith("/") ? submodules : changed).push(item.slice(2).replace(/\/$/, ""));
    else if (kind === "1" || kind === "u") {
      const path = fields.slice(kind === "1" ? 8 : 10).join(" ");
      if (submodule.startsWith("S")) submodules.push(path);
      else if (state[1] === "D" || state === "D.") deleted.push(path);
      else changed.push(path);
    }
  }
  return { changed, deleted, submodules };
}
