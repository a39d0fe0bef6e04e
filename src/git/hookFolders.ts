// The folders in which git finds the hooks of a repository, if its configuration names one.
import { isAbsolute, resolve } from "node:path";
import { GitError, gitList, gitOutput, type Git } from "./gitProgram.ts";

/**
 * The folders of `core.hooksPath` for the repository of a folder, absolute: in every file of the configuration, because
 * each can become the one that counts. Rejects if git cannot read the configuration.
 */
export async function configuredHookFolders(
  git: Git,
  folder: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const args = ["config", "--null", "--type=path", "--get-all", "core.hooksPath"];
  const configured = await gitList(git, folder, args, { signal }).catch((error: unknown) => {
    if (error instanceof GitError && error.code === 1) return []; // Nothing is configured.
    throw error;
  });
  const paths = configured.filter(path => path !== noHooks);
  if (paths.every(path => isAbsolute(path))) return paths;
  const root = await workTreeRoot(git, folder, signal);
  return paths.map(path => resolve(root, path));
}

/** The value that Parley gives git for each command. */
const noHooks = "/dev/null";

/** Outside of a repository, and in a bare one, relative paths are resolved against the folder itself. */
async function workTreeRoot(git: Git, folder: string, signal: AbortSignal | undefined): Promise<string> {
  try {
    const root = await gitOutput(git, folder, ["rev-parse", "--show-toplevel"], { signal });
    return root.replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof GitError) return folder;
    throw error;
  }
}
