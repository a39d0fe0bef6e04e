// Checkpoints on disk: an index for each session, and each text once, named by its hash.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "../base/errors.ts";

/** The storage of one session's checkpoints. */
export interface CheckpointStore {
  readIndex(): Promise<string | undefined>;
  /** Replaces the index atomically. */
  writeIndex(text: string): Promise<void>;
  /** Stores bytes under their key. Existing content is not written again. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined if there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Removes all other bytes. */
  keepOnly(keys: ReadonlySet<string>): Promise<void>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** The key of a content. Equal contents have the same key. */
export function contentKey(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

const isSessionName = (name: string): boolean => /^[\w-]+$/.test(name);

/** The checkpoints of all sessions, each in its own folder. */
export class CheckpointFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The folder of a session, which also contains its trees. */
  pathOf(session: string): string {
    if (!isSessionName(session)) throw new Error(`“${session}” is not the name of a session.`);
    return join(this.#path, session);
  }

  session(session: string): CheckpointStore {
    return new FolderStore(this.pathOf(session));
  }

  /** The sessions that have checkpoints. */
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

/**
 * Writes to a temporary file first, so that an existing file is always complete even if the window is killed while it
 * writes.
 */
async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, content);
  await rename(draft, path);
}

/** For `catch`: returns the value if the file or folder does not exist. */
function ifMissing<T>(value: T): (thrown: unknown) => T {
  return thrown => {
    if (errorCodeOf(thrown) === "ENOENT") return value;
    throw thrown;
  };
}
