// Reads the files of a small folder without git at the start of a turn. With git, a tree has this information.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { decodeUtf8 } from "../base/text.ts";
import { walkFiles } from "../files/fileWalk.ts";

/** The limits of reading. Files beyond the limits are unknown. */
export interface FolderLimits {
  readonly files: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export const folderLimits: FolderLimits = { files: 3000, bytes: 16 * 1024 * 1024, milliseconds: 1000 };

const maxFileBytes = 1024 * 1024;
const maxConcurrentReads = 16;

/** File systems may use a clock that is this far behind, in milliseconds. */
const clockTick = 20;

/** The texts of a folder at one moment. */
export interface FolderTexts {
  /** The text of a file at that moment. Null: it did not exist. Undefined: unknown. Texts have "\n" line endings. */
  textAt(path: string): Promise<string | null | undefined>;
}

/** Reads the UTF-8 texts of a folder up to the limits, except files ignored by .gitignore. */
export async function folderTexts(root: string, limits: FolderLimits = folderLimits): Promise<FolderTexts> {
  const startTime = Date.now();
  const texts = new Map<string, string | undefined>();
  const timeLimit = new AbortController();
  let bytes = 0;
  const read = async (name: string): Promise<void> => {
    const path = join(root, name);
    const { size } = await stat(path);
    if (size > maxFileBytes || bytes + size > limits.bytes) return void texts.set(path, undefined);
    bytes += size;
    texts.set(path, decodeUtf8(await readFile(path)));
  };
  const take = async (names: readonly string[]): Promise<void> => {
    for (let i = 0; i < names.length; i += maxConcurrentReads) {
      if (texts.size >= limits.files || Date.now() - startTime > limits.milliseconds) return timeLimit.abort();
      // A file that was deleted meanwhile is left out.
      await Promise.all(names.slice(i, i + maxConcurrentReads).map(name => read(name).catch(() => undefined)));
    }
  };
  const leavesOut = (path: string): boolean => /(?:^|\/)node_modules$/.test(path);
  await walkFiles(root, { take, isExcluded: leavesOut, signal: timeLimit.signal }).catch((thrown: unknown) => {
    if (!timeLimit.signal.aborted) throw thrown;
  });
  return {
    async textAt(path) {
      if (texts.has(path)) return texts.get(path);
      // The file was not seen, so it did not exist or was left out. On nearly all file systems, the creation time tells
      // which.
      const createdAt = await stat(path).then(
        found => found.birthtimeMs,
        () => 0,
      );
      return createdAt >= startTime - clockTick ? null : undefined;
    },
  };
}
