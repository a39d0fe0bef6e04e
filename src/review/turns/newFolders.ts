// The folders that appeared in a turn, because the agent created them or moved them there. When their files go, they go.
import { lstat } from "node:fs/promises";
import { dirname, sep } from "node:path";
import { isNotFoundError } from "../../base/errors.ts";
import { foldersCreatedSince } from "../../files/fileState.ts";
import type { TurnStart } from "./turnStart.ts";

/**
 * The folders above a path that appeared since that time (ms since the epoch), outermost first. A folder that was moved
 * keeps its creation time. A folder that was empty before the turn looks the same, so there must also be a sign of a move.
 */
export async function newFoldersAbove(path: string, since: number, start: TurnStart): Promise<readonly string[]> {
  const created = await foldersCreatedSince(path, since);
  const [root] = start.folders.filter(folder => path.startsWith(folder + sep));
  if (root === undefined) return created;
  const found: string[] = [];
  let known: readonly string[] = created;
  for (let folder = dirname(path); folder !== root; folder = dirname(folder)) {
    const isCreated = created.includes(folder);
    if (!isCreated && (await start.filesAt(folder))?.length !== 0) break;
    found.unshift(folder);
    if (isCreated || (await isMoved(folder, root, since, start))) known = [...found];
  }
  return known;
}

/** Whether a folder without files at the start of the turn was moved since. */
async function isMoved(folder: string, root: string, since: number, start: TurnStart): Promise<boolean> {
  const now = await times(folder);
  if (!now) return false;
  if (now.createdAt >= since) return true;
  if (now.changedAt < since) return false;
  // A move changes the folder, but nothing in it.
  return now.writtenAt < since || hasLostFolder(root, start);
}

/** Whether a folder that had files at the start of the turn is gone. */
async function hasLostFolder(root: string, start: TurnStart): Promise<boolean> {
  const folders = new Set((await start.filesAt(root))?.map(path => dirname(path)));
  for (const folder of folders) if (!(await times(folder))) return true;
  return false;
}

async function times(
  folder: string,
): Promise<{ readonly createdAt: number; readonly changedAt: number; readonly writtenAt: number } | undefined> {
  try {
    const { birthtimeMs, ctimeMs, mtimeMs } = await lstat(folder);
    return { createdAt: birthtimeMs, changedAt: ctimeMs, writtenAt: mtimeMs };
  } catch (thrown) {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  }
}
