// The trash of removed sessions in memory, beside the stored sessions. A test can end the window that uses both at any step.
import type { LogFile } from "../../../src/session/log/sessionStore.ts";
import type { TrashStorage } from "../../../src/library/sessionTrash.ts";
import { StoredFiles } from "./storedData.ts";

/** The files of stored sessions and of the trash, which several windows share. */
export interface SharedFiles {
  readonly sessions: Map<string, string>;
  readonly trash: Map<string, string>;
}

export const noFiles = (): SharedFiles => ({ sessions: new Map(), trash: new Map() });

/** The trash. `step` runs before each change; it can wait, or throw as if the window was killed. */
export class TrashFiles implements TrashStorage {
  readonly #files: SharedFiles;
  readonly #step: () => Promise<void>;
  readonly #trash: StoredFiles;

  constructor(files: SharedFiles, step: () => Promise<void> = () => Promise.resolve()) {
    this.#files = files;
    this.#step = step;
    this.#trash = new SteppingFiles(files.trash, step);
  }

  list(): Promise<readonly LogFile[]> {
    return this.#trash.list();
  }
  read(name: string): Promise<string | undefined> {
    return this.#trash.read(name);
  }
  write(name: string, text: string): Promise<void> {
    return this.#trash.write(name, text);
  }
  remove(name: string): Promise<void> {
    return this.#trash.remove(name);
  }
  size(name: string): Promise<number | undefined> {
    return this.#trash.size(name);
  }
  moveIn(name: string): Promise<boolean> {
    return this.#move(name, this.#files.sessions, this.#files.trash);
  }
  moveOut(name: string): Promise<boolean> {
    return this.#move(name, this.#files.trash, this.#files.sessions);
  }
  async moveOutBefore(name: string): Promise<boolean> {
    const { sessions, trash } = this.#files;
    await this.#step();
    const [first, second] = [trash.get(name), sessions.get(name)];
    if (first === undefined || second === undefined) return false;
    if (!second.startsWith(first)) sessions.set(name, first + second);
    await this.#step();
    trash.delete(name);
    return true;
  }

  async #move(name: string, from: Map<string, string>, to: Map<string, string>): Promise<boolean> {
    await this.#step();
    const text = from.get(name);
    if (text === undefined) return false;
    from.delete(name);
    to.set(name, text);
    return true;
  }
}

/** The stored sessions, with the same steps. */
export class SteppingFiles extends StoredFiles {
  readonly #step: () => Promise<void>;

  constructor(texts: Map<string, string>, step: () => Promise<void>) {
    super(texts);
    this.#step = step;
  }
  override async read(name: string): Promise<string | undefined> {
    await this.#step();
    return super.read(name);
  }
  override async write(name: string, text: string): Promise<void> {
    await this.#step();
    return super.write(name, text);
  }
  override async size(name: string): Promise<number | undefined> {
    await this.#step();
    return super.size(name);
  }
  override async list(): Promise<readonly LogFile[]> {
    await this.#step();
    return super.list();
  }
  override async remove(name: string): Promise<void> {
    await this.#step();
    return super.remove(name);
  }
}
