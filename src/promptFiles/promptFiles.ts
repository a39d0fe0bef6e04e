// The prompt files of a window: those of the user, and those of the folders in which a session works.
import { asError } from "../base/errors.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { DisposableStore, Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
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

/** Reads a folder when it is first asked for, when its files change, and on {@link refresh}. */
export class PromptFiles implements Disposable {
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<void>());
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly place: PromptFilePlace;
  readonly #log: Log;
  /** By the paths of folders. */
  #read = new Map<string, { readonly folder: PromptFolder; found: readonly FoundPrompt[] }>();
  /** The joined lists, by the folders of sessions. */
  readonly #lists = new Map<string | undefined, readonly FoundPrompt[]>();
  #reading: Promise<void> | undefined;
  /** Another reading follows the one that runs. */
  #next: Promise<void> | undefined;

  constructor(place: PromptFilePlace, log: Log) {
    this.place = place;
    this.#log = log;
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
    let isOther = false;
    try {
      await Promise.all(
        [...all.values()].map(async one => {
          const found = await readPromptFolder(one.folder, path => this.place.labelOf(path));
          if (jsonEqual(found, one.found)) return;
          one.found = found;
          isOther = true;
        }),
      );
    } catch (error) {
      this.#log.error("The prompt files could not be read.", asError(error).stack);
    }
    if (isOther && all === this.#read) this.#fire();
  }

  #fire(): void {
    this.#lists.clear();
    this.#changed.fire();
  }

  dispose(): void {
    this.#store.dispose();
  }
}
