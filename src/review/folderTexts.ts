// What the files of a small folder without git held when a turn began. With git, a tree tells it.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { decodeUtf8 } from "../base/text.ts";
import { walkFiles } from "../files/fileWalk.ts";

/** Beyond these nothing more is read: what is not known is said to be unknown. */
export interface FolderLimits {
  readonly files: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export const folderLimits: FolderLimits = { files: 3000, bytes: 16 * 1024 * 1024, milliseconds: 1000 };

const maxFileBytes = 1024 * 1024;
const maxConcurrentReads = 16;

/** File systems stamp with a clock that may be so much behind. Milliseconds. */
const clockTick = 20;

/** The texts of a folder at one moment. */
export interface FolderTexts {
  /** The text that the file had; null: there was none; undefined: not known. Texts have "\n" line endings. */
  textAt(path: string): Promise<string | null | undefined>;
}

/** Reads the UTF-8 texts of a folder, without what .gitignore files leave out, as far as the limits go. */
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
      // What is gone again was none of the folder's files.
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
      // Not seen: either it was not there, or it was left out. A file tells when it was made, nearly everywhere.
      const createdAt = await stat(path).then(
        found => found.birthtimeMs,
        () => 0,
      );
      return createdAt >= startTime - clockTick ? null : undefined;
    },
  };
}
