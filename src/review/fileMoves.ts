// Moves files for a decision, and removes the folders that are left empty because they were moved themselves.
import { dirname, relative, sep } from "node:path";
import { asError } from "../base/errors.ts";
import type { FactSink } from "../history/facts.ts";
import type { FileTextStep, ReviewPort } from "../files/ports.ts";
import { undoHunks } from "./fileChanges.ts";
import { isMoved, type EarlierFileStates, type MovedFile } from "./reviewDecision.ts";
import type { ChosenFile, TrackedFile } from "./trackedFile.ts";
import { isAtOrBelow } from "../files/nodePaths.ts";

/** The tracked files, as the moves of files change them. */
export interface MovedFiles {
  get(path: string): TrackedFile | undefined;
  set(file: TrackedFile): void;
  forget(path: string): void;
  /** The file is at another path now. */
  moved(from: string, to: string): void;
}

export interface FileMovesOptions {
  readonly port: ReviewPort;
  /** Receives the reasons of failures, by the paths of the files. */
  readonly failed: Map<string, Error>;
  /** Receives what both paths of a file have while it is moved: the text of the file, or null. */
  readonly moving: Map<string, string | null>;
  readonly facts: FactSink;
}

export class FileMoves {
  readonly #options: FileMovesOptions;
  readonly #files: MovedFiles;
  readonly #moved: { readonly from: string; readonly to: string }[] = [];
  readonly #createdFolders: string[] = [];

  constructor(options: FileMovesOptions, files: MovedFiles) {
    this.#options = options;
    this.#files = files;
  }

  /**
   * Moves files back whose moves are undone, so that their content is never lost, whatever it is. Returns the files
   * under their earlier paths, and those that were moved, as they were.
   */
  async moveBack(
    chosen: readonly ChosenFile[],
  ): Promise<{ readonly all: readonly ChosenFile[]; readonly moved: readonly MovedFile[] }> {
    const all: ChosenFile[] = [];
    const moved: MovedFile[] = [];
    for (const one of chosen) {
      const { file, ids } = one;
      const isDeleted = file.unknown === undefined && undoHunks(file.changes, ids).changes.text === null;
      if (!one.isMove || !isMoved(file) || isDeleted) all.push(one);
      else if (await this.#move(file.path, file.movedFrom.path)) {
        moved.push(file);
        const { path } = file.movedFrom;
        const now = this.#files.get(path);
        if (now) all.push({ ...one, file: now });
        // A file that is no text is under review as a whole, which ends here unless its content is undone, too.
        if (file.unknown !== undefined) this.#files.forget(path);
      }
    }
    return { all, moved };
  }

  /** Undoes a decision about the move of a file. Returns whether it could be undone. */
  async moveAgain(kind: "keep" | "undo", file: MovedFile): Promise<boolean> {
    const { path, movedFrom } = file;
    if (kind === "undo" && !(await this.#move(movedFrom.path, path))) return false;
    this.#files.set({ ...(this.#files.get(path) ?? file), movedFrom });
    return true;
  }

  async #move(from: string, to: string): Promise<boolean> {
    const { port, failed, moving, facts } = this.#options;
    const text = this.#files.get(from)?.changes.text ?? null;
    // The editor can report both paths before it answers.
    moving.set(from, null).set(to, text);
    facts.note({ type: "decisionBegan", path: from, text: null });
    facts.note({ type: "decisionBegan", path: to, text });
    try {
      const created = await port.move(from, to);
      if (created !== undefined) this.#createdFolders.push(created);
      this.#moved.push({ from, to });
      this.#files.moved(from, to);
      return true;
    } catch (thrown) {
      failed.set(from, asError(thrown));
      for (const path of [from, to]) facts.note({ type: "decisionFailed", path });
      return false;
    } finally {
      moving.delete(from);
      moving.delete(to);
    }
  }

  /**
   * Removes empty folders at the earlier paths: those that the agent created, and as many as had to be created at the
   * new paths, because then the folder was moved and not only its files.
   */
  async removeEmptyFolders(earlier?: EarlierFileStates): Promise<void> {
    const steps: FileTextStep[] = [];
    for (const { from, to } of this.#moved) {
      const created = this.#createdFolders.find(folder => isAtOrBelow(to, folder));
      const depth = created === undefined ? 0 : relative(created, to).split(sep).length;
      const state = await earlier?.stateFor(from, null);
      const known = state?.kind === "missing" ? (state.newFolders ?? []) : [];
      const newFolders = [...new Set([...known, ...foldersAbove(from, depth)])].sort((a, b) => a.length - b.length);
      if (newFolders.length > 0)
        steps.push({ path: from, before: null, after: null, state: { kind: "missing", newFolders } });
    }
    // The files are where they belong. A folder that cannot be removed is not worth a message.
    if (steps.length > 0) await this.#options.port.apply(steps);
  }
}

function foldersAbove(path: string, count: number): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folders.length < count && folder !== dirname(folder); folder = dirname(folder))
    folders.push(folder);
  return folders;
}
