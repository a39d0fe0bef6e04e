// Records in a folder, each in a file of its own, so that windows do not overwrite what others wrote. Damaged ones are left
// out and logged.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { forEachLimited } from "../base/async.ts";
import { asError, isNotFoundError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Validator } from "../base/validators.ts";

export interface RecordFilesOptions<T> {
  /** The folder of the files. */
  readonly folder: string;
  readonly isRecord: Validator<T>;
  /** What no other record has. The file is named by it. */
  readonly keyOf: (record: T) => string;
  readonly log: Log;
  /** Called for each file that is left out. */
  readonly onDamaged?: (file: string) => void;
}

/** The number of files that are read at once. */
const maxReads = 16;

const fileName = (key: string): string => `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`;

export class RecordFiles<T> {
  readonly #options: RecordFilesOptions<T>;

  constructor(options: RecordFilesOptions<T>) {
    this.#options = options;
  }

  /** Reads all records, in no particular order. Rejects if there is no access. */
  async read(): Promise<T[]> {
    const { folder, isRecord, keyOf, log, onDamaged } = this.#options;
    const names = await readdir(folder).catch((thrown: unknown) => {
      if (isNotFoundError(thrown)) return [];
      throw thrown;
    });
    const found: T[] = [];
    await forEachLimited(
      names.filter(name => /^[0-9a-f]{32}\.json$/.test(name)),
      maxReads,
      async name => {
        try {
          const record: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
          if (!isRecord(record) || fileName(keyOf(record)) !== name) throw new Error("The file is damaged.");
          found.push(record);
        } catch (thrown) {
          log.warn("A record was left out.", { file: join(folder, name), reason: asError(thrown).message });
          onDamaged?.(join(folder, name));
        }
      },
    );
    return found;
  }

  /** Stores a record, in place of an earlier one with its key. Rejects if it cannot be stored. */
  async write(record: T): Promise<void> {
    const { folder, keyOf } = this.#options;
    await mkdir(folder, { recursive: true });
    const path = join(folder, fileName(keyOf(record)));
    const temporaryFile = `${path}.${process.pid}.tmp`;
    await writeFile(temporaryFile, JSON.stringify(record), "utf8");
    await rename(temporaryFile, path);
  }

  /** Removes the record with this key. Rejects if it cannot be removed. */
  async remove(key: string): Promise<void> {
    await rm(join(this.#options.folder, fileName(key)), { force: true });
  }
}
