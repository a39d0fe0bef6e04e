// Windows on one folder tell each other what they saved, so that the save of another window is the user's here. Each
// window has a file in Parley's storage with the paths and digests of its last saves. They are only compared.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { asError, isNotFoundError } from "../../base/errors.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { isFiniteNumber, isListOf, isRecordWith, isString, type TypeOf } from "../../base/validators.ts";

/** The most saves that a window remembers, and for how long. Milliseconds. */
const maxSaves = 200;
const maxSaveAge = 60_000;
/** A file of a window that ended without removing it is removed after this time. Milliseconds. */
const maxFileAge = 24 * 3600 * 1000;
/** Larger files are not read. Bytes. */
const maxFileSize = 1024 * 1024;
const maxSavedSize = 32 * 1024 * 1024;
/** A save is written down this long after the file at most, and its time differs from that of the file so much. Milliseconds. */
const maxNoteDelay = 300;
const maxTimeDifference = 5000;

const isWindowFile = isRecordWith({
  roots: isListOf(isString),
  saves: isListOf(isRecordWith({ path: isString, digest: isString, at: isFiniteNumber })),
});
type WindowFile = TypeOf<typeof isWindowFile>;

export interface SavedElsewhereOptions {
  /** The folder with the files of all windows. */
  readonly folder: string;
  /** The folders of this window. */
  readonly roots: () => readonly string[];
  readonly log: Log;
}

export class SavedElsewhere implements Disposable {
  readonly #options: SavedElsewhereOptions;
  readonly #name = `${randomUUID()}.json`;
  readonly #saving: Disposable;
  readonly #writes = new Sequencer();
  /** What was read of the files of other windows, by name. */
  readonly #read = new Map<string, { readonly time: number; readonly content: WindowFile | undefined }>();
  #saves: WindowFile["saves"] = [];
  #isDisposed = false;

  constructor(options: SavedElsewhereOptions) {
    this.#options = options;
    this.#saving = vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.scheme === "file") void this.saved(uri.fsPath);
    });
    void this.#logged(async () => {
      await this.#removeOld();
      await this.#write();
    });
  }

  /** The user saved the file in this window. Resolves when the other windows can know it. Never rejects. */
  saved(path: string): Promise<void> {
    return this.#logged(async () => {
      const digest = await digestOf(path);
      if (digest === undefined) return;
      const now = Date.now();
      const others = this.#saves.filter(one => one.path !== path && now - one.at < maxSaveAge);
      this.#saves = [...others, { path, digest, at: now }].slice(-maxSaves);
      await this.#write();
    });
  }

  /** Whether another window saved the text that the file has. `time`: when the file was changed. Never rejects. */
  async includes(path: string, time: number): Promise<boolean> {
    try {
      const others = await this.#others();
      if (!others.some(({ roots }) => roots.some(root => isIn(path, root)))) return false;
      const wait = time + maxNoteDelay - Date.now();
      if (await this.#isSaved(path, time, others)) return true;
      // The other window may be about to note the save.
      if (wait <= 0) return false;
      await new Promise(resolve => setTimeout(resolve, Math.min(wait, maxNoteDelay)));
      return await this.#isSaved(path, time, await this.#others());
    } catch (thrown) {
      this.#options.log.debug("The saves of other windows could not be read.", asError(thrown).message);
      return false;
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#saving.dispose();
    void this.#logged(() => rm(join(this.#options.folder, this.#name), { force: true }));
  }

  async #isSaved(path: string, time: number, others: readonly WindowFile[]): Promise<boolean> {
    const saves = others
      .flatMap(one => one.saves)
      .filter(one => one.path === path && Math.abs(one.at - time) < maxTimeDifference);
    if (saves.length === 0) return false;
    const digest = await digestOf(path);
    return saves.some(one => one.digest === digest);
  }

  /** The files of the other windows. */
  async #others(): Promise<readonly WindowFile[]> {
    const { folder } = this.#options;
    const names = (await readdir(folder).catch(noneIfMissing)) ?? [];
    const found = await Promise.all(
      names.map(async name => {
        if (name === this.#name || !name.endsWith(".json")) return [];
        const file = await stat(join(folder, name)).catch(noneIfMissing);
        if (!file?.isFile() || file.size > maxFileSize) return [];
        const known = this.#read.get(name);
        if (known?.time === file.mtimeMs) return known.content ?? [];
        const content = parse(await readFile(join(folder, name), "utf8").catch(noneIfMissing));
        this.#read.set(name, { time: file.mtimeMs, content });
        return content ?? [];
      }),
    );
    for (const name of this.#read.keys()) if (!names.includes(name)) this.#read.delete(name);
    return found.flat();
  }

  /** Replaces the file of this window, so that others never read half of it. */
  async #write(): Promise<void> {
    if (this.#isDisposed) return;
    const { folder, roots } = this.#options;
    await mkdir(folder, { recursive: true });
    const path = join(folder, this.#name);
    await writeFile(`${path}.new`, JSON.stringify({ roots: roots(), saves: this.#saves } satisfies WindowFile));
    await rename(`${path}.new`, path);
  }

  async #removeOld(): Promise<void> {
    const { folder } = this.#options;
    for (const name of (await readdir(folder).catch(noneIfMissing)) ?? []) {
      const path = join(folder, name);
      const file = await stat(path).catch(noneIfMissing);
      if (file && Date.now() - file.mtimeMs > maxFileAge) await rm(path, { force: true });
    }
  }

  /** Runs the work after all earlier work. Its failure is logged. */
  #logged(work: () => Promise<void>): Promise<void> {
    return this.#writes
      .queue(work)
      .catch((thrown: unknown) =>
        this.#options.log.warn("Other windows cannot know what this window saves.", asError(thrown).message),
      );
  }
}

function parse(text: string | undefined): WindowFile | undefined {
  if (text === undefined) return undefined;
  try {
    const content: unknown = JSON.parse(text);
    return isWindowFile(content) ? content : undefined;
  } catch {
    return undefined; // Another program wrote the file, which says nothing.
  }
}

async function digestOf(path: string): Promise<string | undefined> {
  const file = await stat(path).catch(noneIfMissing);
  if (!file?.isFile() || file.size > maxSavedSize) return undefined;
  const bytes = await readFile(path).catch(noneIfMissing);
  return bytes && createHash("sha256").update(bytes).digest("hex");
}

function noneIfMissing(thrown: unknown): undefined {
  if (!isNotFoundError(thrown)) throw thrown;
}

const isIn = (path: string, folder: string): boolean => path.startsWith(join(folder, "/"));
