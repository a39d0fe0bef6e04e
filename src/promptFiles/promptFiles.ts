// The prompt files of a window: those of the user, and those of the folders in which a session works.
import { withTimeout } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import { t } from "../base/l10n.ts";
import { systemClock, type Clock, type Log } from "../base/log.ts";
import type { FoundPrompt, PromptFolder } from "./foundPrompt.ts";
import type { EditorValues } from "./promptVariables.ts";
import { readPromptFolder } from "./readPromptFolder.ts";

/** What the editor knows. */
export interface PromptFilePlace {
  /** Fires with what may have changed: the folders, or files in them. */
  readonly onDidChange: Event<"folders" | "files">;
  /**
   * The folders for a session that works in this folder, or for the next one. Those of the user come first, so that no
   * repository takes the name of a prompt of the user. None in an untrusted workspace.
   */
  folders(workspaceFolder: string | undefined): readonly PromptFolder[];
  labelOf(path: string): string;
  /** What the variables stand for now. */
  values(workspaceFolder: string): Promise<EditorValues>;
  /** Shows the file or the folder of a problem to the user. */
  show(found: FoundPrompt): Promise<void>;
}

const none: readonly FoundPrompt[] = [];

/** A folder, for example on a server that does not answer, has this long (ms). */
const maxReadTime = 10_000;

interface ReadFolder {
  readonly folder: PromptFolder;
  found: readonly FoundPrompt[];
}

/** A reading that takes too long and still runs. */
interface LateReading {
  /** The folder is to be read again when the reading ends. */
  isOutdated: boolean;
}

export interface PromptFilesOptions {
  /** Replaces {@link readPromptFolder} in tests. */
  readonly read?: typeof readPromptFolder;
  readonly clock?: Clock;
}

/** Reads a folder when it is first asked for, when its files change, and on {@link refresh}. */
export class PromptFiles implements Disposable {
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly place: PromptFilePlace;
  readonly #log: Log;
  readonly #options: PromptFilesOptions;
  /** By the paths of folders. */
  #read = new Map<string, ReadFolder>();
  /**
   * By the paths of folders, also while other folders are asked for. No other reading of a path begins until it ends, because
   * each keeps a thread of Node.js busy.
   */
  readonly #late = new Map<string, LateReading>();
  /** The joined lists, by the folders of sessions. */
  readonly #lists = new Map<string | undefined, readonly FoundPrompt[]>();
  #reading: Promise<void> | undefined;
  /** Another reading follows the one that runs. */
  #next: Promise<void> | undefined;

  constructor(place: PromptFilePlace, log: Log, options: PromptFilesOptions = {}) {
    this.place = place;
    this.#log = log;
    this.#options = options;
    this.#store.add(
      place.onDidChange(what => {
        if (what === "folders") {
          this.#read = new Map();
          this.#fire();
        }
        this.#readSoon();
      }),
    );
  }

  /** The prompts for a session in this folder, as they were read last. The same list until something changes. */
  list(workspaceFolder: string | undefined): readonly FoundPrompt[] {
    const known = this.#lists.get(workspaceFolder);
    if (known) return known;
    const folders = this.place.folders(workspaceFolder);
    const isNew = folders.filter(({ path }) => !this.#read.has(path));
    for (const folder of isNew) this.#read.set(folder.path, { folder, found: none });
    if (isNew.length > 0) this.#readSoon();
    const list = folders.flatMap(({ path }) => this.#read.get(path)?.found ?? none);
    this.#lists.set(workspaceFolder, list);
    return list;
  }

  /** Reads all folders again. Resolves when they were read after this call. Never rejects. */
  refresh(): Promise<void> {
    if (!this.#reading) {
      this.#reading = this.#readAll().finally(() => (this.#reading = undefined));
      return this.#reading;
    }
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      return this.refresh();
    });
    return this.#next;
  }

  #readSoon(): void {
    void this.refresh();
  }

  async #readAll(): Promise<void> {
    const all = this.#read;
    try {
      await Promise.all([...all.values()].map(one => this.#readOne(one, all)));
    } catch (error) {
      this.#log.error("The prompt files could not be read.", asError(error).stack);
    }
  }

  /** Reads a folder. If that takes too long, a row says so until the folder has been read. */
  async #readOne(one: ReadFolder, all: ReadonlyMap<string, ReadFolder>): Promise<void> {
    const { read = readPromptFolder, clock = systemClock } = this.#options;
    const { folder } = one;
    const { path } = folder;
    const label = this.place.labelOf(path);
    const take = (found: readonly FoundPrompt[]): void => {
      if (jsonEqual(found, one.found)) return;
      one.found = found;
      if (all === this.#read) this.#fire();
    };
    const problem = t("The folder was not read within {0} s.", maxReadTime / 1000);
    const unread: readonly FoundPrompt[] = [{ folder, path, label, name: folder.origin, problem }];
    const late = this.#late.get(path);
    if (late) {
      late.isOutdated = true;
      return take(unread);
    }
    const reading = read(folder, file => this.place.labelOf(file));
    const inTime = await withTimeout(reading, maxReadTime, () => undefined, clock);
    if (inTime) return take(inTime);
    take(unread);
    const failed = (error: unknown): void => this.#log.error(`${label} could not be read.`, asError(error).stack);
    const begun: LateReading = { isOutdated: false };
    this.#late.set(path, begun);
    void reading.then(take, failed).finally(() => {
      this.#late.delete(path);
      if (begun.isOutdated) this.#readSoon();
    });
  }

  #fire(): void {
    this.#lists.clear();
    this.#changed.fire();
  }

  dispose(): void {
    this.#store.dispose();
  }
}
