// Whether a new name of a file leads to the file itself. On a disk that ignores case, `sum.ts` exists if `Sum.ts` does, and
// is no other file.
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { isNotFoundError } from "../base/errors.ts";

/** What identifies a file on a disk. */
interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** What is read of the disk. Tests pass a disk that ignores case. */
export interface SpellingDisk {
  /** The identity of what stands at the path. Links are not followed. Undefined: nothing. */
  identityOf(path: string): Promise<FileIdentity | undefined>;
  /** The names in a folder as the disk has them. */
  namesIn(folder: string): Promise<readonly string[]>;
}

const nodeDisk: SpellingDisk = {
  async identityOf(path) {
    try {
      return await lstat(path, { bigint: true });
    } catch (thrown) {
      if (isNotFoundError(thrown)) return undefined;
      throw thrown;
    }
  },
  namesIn: folder => readdir(folder),
};

const comparable = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * Whether both paths lead to one entry of a folder, of which `to` is another spelling. A second link to the file, or a name
 * beside it on a disk that knows both, is an entry of its own.
 */
export async function isOtherSpelling(from: string, to: string, disk: SpellingDisk = nodeDisk): Promise<boolean> {
  if (from === to || dirname(from) !== dirname(to)) return false;
  // A disk that ignores case keeps no more than this apart. A second link, or a drive without file numbers, is not one file.
  if (comparable(basename(from)) !== comparable(basename(to))) return false;
  const [one, other] = [await disk.identityOf(from), await disk.identityOf(to)];
  if (!one || !other || one.ino !== other.ino || one.dev !== other.dev) return false;
  return !(await disk.namesIn(dirname(to))).includes(basename(to));
}
