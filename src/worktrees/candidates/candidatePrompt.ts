// The attachments of a prompt as a candidate gets them: files of the main checkout are those of its worktree.
import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { isNotFoundError } from "../../base/errors.ts";
import type { Attachment } from "../../panel/protocol.ts";

/**
 * The attachments with the paths of files and folders that the worktree has, too. All others stay: files outside of the
 * repository, files that only the main checkout has, and texts.
 */
export async function attachmentsIn(
  worktree: string,
  origin: string,
  attachments: readonly Attachment[],
): Promise<readonly Attachment[]> {
  return Promise.all(
    attachments.map(async attachment => {
      const { source } = attachment;
      if (source.type !== "path") return attachment;
      const path = relative(origin, source.path);
      if (isOutside(path) || (await standsIn(worktree, path)) === undefined) return attachment;
      return { ...attachment, source: { ...source, path: join(worktree, path) } };
    }),
  );
}

const isOutside = (path: string): boolean => path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path);

/** What stands at the path below the worktree. Undefined: nothing, something else, or a link that leads out of the worktree. */
export async function standsIn(worktree: string, path: string): Promise<"file" | "folder" | undefined> {
  try {
    const real = await realpath(join(worktree, path));
    if (isOutside(relative(await realpath(worktree), real))) return undefined;
    const found = await stat(real);
    return found.isFile() ? "file" : found.isDirectory() ? "folder" : undefined;
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}
