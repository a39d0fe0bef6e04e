// Checkpoints on disk: an index for each session, and each text once, named by its hash.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../base/errors.ts";

/** Where one session's checkpoints are kept. */
export interface CheckpointStore {
  readIndex(): Promise<string | undefined>;
  /** Replaces the index, all or nothing. */
  writeIndex(text: string): Promise<void>;
  /** Keeps bytes under their key; what is there already is not written again. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined when there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes all bytes but these. */
  keepOnly(keys: ReadonlySet<string>): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** The name of a content: equal texts have the same. */
export function contentKey(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

const isSessionName = (name: string): boolean => /^[\w-]+$/.test(name);

/** All sessions' checkpoints, each in a folder of its own. */
export class CheckpointFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Where a session's files are; its trees lie there, too. */
  pathOf(session: string): string {
    if (!isSessionName(session)) throw new Error(`“${session}” is no name of a session.`);
    return join(this.#path, session);
  }

  session(session: string): CheckpointStore {
    return new FolderStore(this.pathOf(session));
  }

  /** Sessions that have checkpoints. */
  async sessions(): Promise<readonly string[]> {
    const names = await readdir(this.#path).catch(ifMissing([]));
    return names.filter(isSessionName);
  }

  clear(): Promise<void> {
    return rm(this.#path, { recursive: true, force: true, maxRetries: 3 });
  }
}

class FolderStore implements CheckpointStore {
  readonly #folder: string;
  readonly #contents: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#contents = join(folder, "contents");
  }

  async readIndex(): Promise<string | undefined> {
    return readFile(join(this.#folder, "index.json"), "utf8").catch(ifMissing(undefined));
  }

  async writeIndex(text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await replace(join(this.#folder, "index.json"), text);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#contents, key);
    const known = await stat(path).catch(ifMissing(undefined));
    if (known?.size === bytes.length) return;
    await mkdir(this.#contents, { recursive: true });
    await replace(path, bytes);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return readFile(join(this.#contents, key)).catch(ifMissing(undefined));
  }

  async keepOnly(keys: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#contents).catch(ifMissing([]));
    for (const name of names) if (!keys.has(name)) await rm(join(this.#contents, name), { force: true });
  }

  clear(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A file that is there is whole: a window may be killed while it writes. */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, content);
  await rename(draft, path);
}

/** For `catch`: the value where there is no such file or folder. */
function ifMissing<T>(value: T): (thrown: unknown) => T {
  return thrown => {
    if (errorCodeOf(thrown) === "ENOENT") return value;
    throw thrown;
  };
}
