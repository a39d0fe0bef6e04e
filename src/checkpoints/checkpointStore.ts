// Checkpoints on disk: an index for each session, and each text once, named by its hash.
import { createHash } from "node:crypto";
import { copyFile, link, mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { forEachLimited } from "../base/async.ts";
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

  /**
   * Copies the contents and the objects of the trees of a session to a new session, which gets this index. Rejects, and
   * leaves nothing behind, if that fails.
   */
  async copy(from: string, to: string, index: string): Promise<void> {
    const [source, target] = [this.pathOf(from), this.pathOf(to)];
    // A name that no session has: what is not complete yet is not found.
    const draft = join(this.#path, `.${to}.tmp`);
    try {
      await copyFiles(source, draft, name => name !== "index.json" && !isIndexOfTrees(name));
      await writeFile(join(draft, "index.json"), index);
      await rename(draft, target);
    } catch (error) {
      await removeFolder(draft);
      throw error;
    }
  }

  clear(): Promise<void> {
    return removeFolder(this.#path);
  }
}

const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 });

/** Git's index can refer to objects that are not kept. The trees of a session begin without one. */
const isIndexOfTrees = (name: string): boolean => /^trees[\\/][^\\/]+[\\/](?!objects[\\/])/.test(name);

/** How many files are copied at the same time. */
const maxCopies = 16;

/** Copies the files with these names. Stored files are replaced and never changed, so a copy shares its bytes. */
async function copyFiles(from: string, to: string, isCopied: (name: string) => boolean): Promise<void> {
  await mkdir(to, { recursive: true });
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const names = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(from, join(entry.parentPath, entry.name)));
  const copied = names.filter(name => isCopied(name) && !name.endsWith(".tmp"));
  for (const folder of new Set(copied.map(name => dirname(join(to, name))))) await mkdir(folder, { recursive: true });
  await forEachLimited(copied, maxCopies, async name => {
    const [source, target] = [join(from, name), join(to, name)];
    // Some file systems have no links.
    await link(source, target).catch(() => copyFile(source, target));
  });
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
    return removeFolder(this.#folder);
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
