// Carries out the decisions of the user about files under review, one after the other, and undoes the last ones.
import { Sequencer } from "../../base/async.ts";
import { plainState, type FileState } from "../../files/fileState.ts";
import { noFacts, type FactDecision, type FactSink } from "../../history/facts.ts";
import type { AppliedSteps, ApplyOptions, FileTextStep, ReviewPort } from "../../files/ports.ts";
import { changedFile, type AppliedChange } from "../appliedChanges.ts";
import { undoneFile } from "../earlierTurns.ts";
import { isSettled, keepHunks } from "../fileChanges.ts";
import { FileMoves, type MovedFiles } from "../fileMoves.ts";
import type { FileChanges } from "../hunk.ts";
import type { ReviewTarget } from "../review.ts";
import { revertDecision, type DecidedFile } from "../revertDecision.ts";
import {
  changedTooMuch,
  isMoved,
  maxDecisions,
  nothingApplied,
  ownEditsRefusal,
  sharedLinesRefusal,
  step,
  throwFailures,
  type AppliedDecision,
  type EarlierFileStates,
  type MovedFile,
  type ReviewDecision,
} from "../reviewDecision.ts";
import { restoredFile, type StoredReview } from "../storedReview.ts";
import { chosenFiles, deletesOwnEdits, undoableFiles, type ChosenFile, type TrackedFile } from "../trackedFile.ts";
import type { DecidedPaths } from "./decidedPaths.ts";

/** The tracked files, as decisions read and change them. */
export interface DecidableFiles extends MovedFiles {
  all(): Iterable<TrackedFile>;
  /** The changes of a file are other ones now. */
  put(path: string, changes: FileChanges): void;
  /** The user accepts changes of a file. */
  kept(path: string): void;
  /** The user accepts a file whose changes are not known, or undid them and nothing is left of it. */
  decidedWhole(path: string): void;
  /** The user accepts the move of a file. */
  keepMove(path: string): void;
}

export interface FileDecisionsOptions {
  readonly port: ReviewPort;
  readonly earlier?: EarlierFileStates;
  readonly facts?: FactSink;
}

/** A file of a decision. `movedFrom`: where the decision moved it from, if it is a path. */
interface NotedFile {
  readonly path: string;
  readonly movedFrom?: unknown;
}

export class FileDecisions {
  readonly #options: FileDecisionsOptions;
  readonly #files: DecidableFiles;
  /** The changes that the port is making to files. */
  readonly #ownChanges = new Map<string, { readonly text: string | null; readonly changes: FileChanges }>();
  /** What the paths of files have that the port is moving. */
  readonly #moving = new Map<string, string | null>();
  readonly #decisions: ReviewDecision[] = [];
  readonly #decided: DecidedPaths;
  readonly #sequencer = new Sequencer();

  constructor(options: FileDecisionsOptions, files: DecidableFiles, decided: DecidedPaths) {
    this.#options = options;
    this.#decided = decided;
    this.#files = files;
  }

  /** The number of files of the last decision. */
  get lastSize(): number {
    const last = this.#decisions.at(-1);
    return new Set(last && [...last.files, ...last.unknown, ...last.moved].map(({ path }) => path)).size;
  }

  /** The files of the decisions that can be undone. */
  get paths(): ReadonlySet<string> {
    return new Set(this.#decisions.flatMap(({ files, moved }) => [...files, ...moved].map(({ path }) => path)));
  }

  /**
   * Whether the text is the result of the decision that is being applied. The decision is complete for this file then.
   */
  acceptOwnChange(path: string, text: string | null): boolean {
    if (this.#moving.get(path) === text) return true;
    const own = this.#ownChanges.get(path);
    if (own === undefined || own.text !== text) return false;
    this.#ownChanges.delete(path);
    this.#files.put(path, own.changes);
    return true;
  }

  keep(target: ReviewTarget): Promise<void> {
    return this.#sequencer.queue(async () => {
      // A check that ends later would list a kept file again.
      await this.#options.earlier?.settled();
      const chosen = chosenFiles(this.#files.all(), target);
      const files: DecidedFile[] = [];
      const moved = chosen.flatMap(({ file, isMove }) => (isMove && isMoved(file) ? [file] : []));
      const unknown = chosen.flatMap(({ file }) => (file.unknown === undefined ? [] : [file]));
      for (const { path } of moved) this.#files.keepMove(path);
      for (const { file, ids } of chosen) {
        this.#files.kept(file.path);
        if (file.unknown !== undefined) this.#files.decidedWhole(file.path);
        else if (ids.length > 0) {
          const changes = keepHunks(file.changes, ids);
          files.push({ path: file.path, before: file.changes, after: changes });
          this.#files.put(file.path, changes);
        }
      }
      const decision: ReviewDecision = { kind: "keep", files, unknown, moved, replaced: nothingApplied.replaced };
      this.#noteDecision("keep", [...files, ...unknown, ...moved]);
      this.#recordDecision(decision);
    });
  }

  undo(target: ReviewTarget, options: ApplyOptions = {}): Promise<void> {
    return this.#sequencer.queue(async () => {
      const { earlier } = this.#options;
      await earlier?.settled();
      const failed = new Map<string, Error>();
      const moves = this.#newMoves(failed);
      const { all, moved } = await moves.moveBack(undoableFiles(this.#files.all(), target));
      const unknown = all.flatMap(({ file, isWhole }) =>
        isWhole && file.unknown !== undefined && earlier?.has(file.path) ? [file] : [],
      );
      const chosen = [...all.filter(({ ids }) => ids.length > 0), ...(await this.#movedAndChanged(all, moved))];
      for (const one of chosen) if (deletesOwnEdits(one)) failed.set(one.file.path, ownEditsRefusal(one.file.path));
      const decided = chosen
        .filter(({ file }) => !failed.has(file.path))
        .map(({ file, ids }) => {
          const { changes: after, left } = undoneFile(file, ids, target);
          if (left.length > 0) failed.set(file.path, sharedLinesRefusal(file.path, left));
          return { path: file.path, before: file.changes, after };
        });
      const applied = await this.#apply(decided, unknown, options, (path, after) => {
        const file = this.#files.get(path);
        // What the user typed since stays.
        if (!after) return earlier?.stateFor(path, file?.hasSameText ? file.changes.text : undefined);
        // While another hunk of the agent waits, the rest of the file stays as the agent left it.
        return isSettled(after) ? earlier?.stateFor(path, after.text) : undefined;
      });
      for (const [path, error] of applied.failed) failed.set(path, error);
      await moves.removeEmptyFolders(earlier);
      const done = (one: { readonly path: string }): boolean => !applied.unchanged.has(one.path);
      for (const { path } of unknown.filter(done))
        if (applied.gone.has(path)) this.#files.decidedWhole(path);
        else this.#files.forget(path);
      const decision: ReviewDecision = {
        kind: "undo",
        files: decided.filter(done),
        unknown: unknown.filter(done),
        replaced: applied.replaced,
        moved,
      };
      const movedBack = moved.map(({ path, movedFrom }) => ({ path: movedFrom.path, movedFrom: path }));
      this.#noteDecision("undo", [...decision.files, ...decision.unknown], movedBack);
      this.#recordDecision(decision);
      throwFailures(failed);
    });
  }

  /** The files that were moved back, and of which the agent changed the line endings, the encoding or the mode, too. */
  async #movedAndChanged(all: readonly ChosenFile[], moved: readonly MovedFile[]): Promise<readonly ChosenFile[]> {
    const paths = new Set(moved.map(({ movedFrom }) => movedFrom.path));
    const found: ChosenFile[] = [];
    for (const one of all) {
      const { path, changes, unknown } = one.file;
      // A mode or a line ending belongs to no turn.
      if (!one.isWhole || !paths.has(path) || unknown !== undefined || !isSettled(changes)) continue;
      if (await this.#options.earlier?.isChanged(path, changes.text)) found.push(one);
    }
    return found;
  }

  undoLast(options: ApplyOptions = {}): Promise<boolean> {
    return this.#sequencer.queue(async () => {
      const decision = this.#decisions.at(-1);
      if (!decision) return false;
      const { kind, replaced } = decision;
      const now = (path: string): FileChanges | undefined => this.#files.get(path)?.changes;
      const reverted = decision.files.map(one => ({ one, to: revertDecision(kind, one, now(one.path)) }));
      const texts = reverted.flatMap(({ one, to }) => {
        const before = now(one.path);
        return to === undefined || before === undefined ? [] : [{ path: one.path, before, after: to }];
      });
      const isWhole = (path: string, after: FileChanges): boolean =>
        kind === "undo" && decision.files.some(one => one.path === path && one.before.text === after.text);
      const unknown = decision.unknown.filter(one => this.#files.get(one.path) === undefined);
      const applied = await this.#apply(texts, kind === "undo" ? unknown : [], options, (path, after) =>
        // Without a replaced state, the text determined it.
        !after ? replaced.get(path) : isWhole(path, after) ? (replaced.get(path) ?? plainState(after.text)) : undefined,
      );
      const failed = new Map(applied.failed);
      for (const one of unknown) if (!applied.unchanged.has(one.path)) this.#files.set(one);
      const movedAgain: MovedFile[] = [];
      const moves = this.#newMoves(failed);
      for (const one of decision.moved) if (!(await moves.moveAgain(kind, one))) movedAgain.push(one);
      await moves.removeEmptyFolders();
      for (const { one, to } of reverted) if (to === undefined) failed.set(one.path, changedTooMuch(one.path));
      // What failed for a passing reason can be tried again.
      const again = decision.files.filter(({ path }) => applied.unchanged.has(path));
      const unknownAgain = decision.unknown.filter(({ path }) => applied.unchanged.has(path));
      const isDone = (one: { readonly path: string }): boolean => !applied.unchanged.has(one.path);
      const movedNow = decision.moved.filter(one => !movedAgain.includes(one));
      const moved = kind === "undo" ? movedNow.map(one => ({ path: one.path, movedFrom: one.movedFrom.path })) : [];
      const kept = kind === "keep" ? movedNow : [];
      this.#noteDecision("undoDecision", [...decision.files, ...decision.unknown, ...kept].filter(isDone), moved);
      this.#decisions.pop();
      this.#recordDecision({ ...decision, files: again, unknown: unknownAgain, moved: movedAgain });
      throwFailures(failed);
      return true;
    });
  }

  /**
   * Changes files to what they were at another time, and puts back what then waited for review in them. Without a
   * stored review, nothing waits in them. Files that cannot be changed are in the result.
   */
  restoreFiles(
    steps: readonly FileTextStep[],
    stored: StoredReview | undefined,
    options: ApplyOptions = {},
  ): Promise<AppliedSteps> {
    return this.#sequencer.queue(async () => {
      const then = new Map(stored?.files.map(file => [file.path, file]));
      const restored = steps.map(({ path, after }) => {
        const file = restoredFile(path, after, then.get(path), this.#files.get(path));
        if (file.unknown === undefined) {
          this.#ownChanges.set(path, { text: file.changes.text, changes: file.changes });
          this.#noteBegan(path, file.changes.text);
        }
        return file;
      });
      try {
        const applied = await this.#options.port.apply(steps, options);
        const changed = restored.filter(({ path }) => !applied.failed.has(path));
        for (const file of changed) {
          this.#files.set(file);
          this.#ownChanges.delete(file.path);
        }
        this.#noteDecision("restore", changed);
        return applied;
      } finally {
        this.#endOwnChanges(steps);
      }
    });
  }

  /** Changes files for a session. The changes wait for review under the turn. */
  applyChanges(changes: readonly AppliedChange[], turn: string, options: ApplyOptions = {}): Promise<AppliedSteps> {
    return this.#sequencer.queue(async () => {
      const files = changes.flatMap(change => changedFile(this.#files.get(change.path), change, turn) ?? []);
      for (const { path, changes: own, unknown } of files) {
        if (unknown !== undefined) continue;
        this.#ownChanges.set(path, { text: own.text, changes: own });
        this.#noteBegan(path, own.text);
      }
      try {
        const applied = await this.#options.port.apply(changes, options);
        const changed = files.filter(({ path }) => !applied.failed.has(path));
        for (const file of changed) {
          // The editor has reported the edit, and the user may have typed since.
          if (file.unknown === undefined && !this.#ownChanges.delete(file.path)) continue;
          this.#files.set(file);
        }
        this.#noteDecision("bringBack", changed);
        return applied;
      } finally {
        this.#endOwnChanges(changes);
      }
    });
  }

  #newMoves(failed: Map<string, Error>): FileMoves {
    const { port, facts = noFacts } = this.#options;
    return new FileMoves({ port, facts, failed, moving: this.#moving }, this.#files);
  }

  /** Applies the texts and the exact states, and records the changes of the files that could be changed. */
  async #apply(
    files: readonly DecidedFile[],
    unknown: readonly TrackedFile[],
    options: ApplyOptions,
    stateFor: (path: string, after?: FileChanges) => FileState | undefined | Promise<FileState | undefined>,
  ): Promise<AppliedDecision> {
    const steps: FileTextStep[] = [];
    for (const { path, before, after } of files) {
      const state = await stateFor(path, after);
      if (before.text !== after.text || state) steps.push(step(path, before.text, after.text, state));
    }
    const gone = new Set<string>();
    for (const { path } of unknown) {
      const state = await stateFor(path);
      if (state?.kind === "missing") gone.add(path);
      steps.push(step(path, undefined, undefined, state));
    }
    for (const { path, after } of files) {
      this.#ownChanges.set(path, { text: after.text, changes: after });
      this.#noteBegan(path, after.text);
    }
    try {
      const { failed, replaced } = steps.length > 0 ? await this.#options.port.apply(steps, options) : nothingApplied;
      const unchanged = new Set(unknown.map(({ path }) => path).filter(path => failed.has(path)));
      for (const { path, after } of files) {
        // No event reports files that are closed or unchanged. A document that could not be saved has the text.
        if (!this.#ownChanges.has(path)) continue;
        if (failed.has(path)) unchanged.add(path);
        else this.acceptOwnChange(path, after.text);
      }
      return { failed, unchanged, replaced, gone };
    } finally {
      this.#endOwnChanges(files);
    }
  }

  /** What the decision has not changed by now, it will not change. */
  #endOwnChanges(files: readonly { readonly path: string }[]): void {
    const { facts = noFacts } = this.#options;
    for (const { path } of files) if (this.#ownChanges.delete(path)) facts.note({ type: "decisionFailed", path });
  }

  #noteBegan(path: string, text: string | null): void {
    (this.#options.facts ?? noFacts).note({ type: "decisionBegan", path, text });
  }

  /** `moved`: the files that the decision moved. */
  #noteDecision(decision: FactDecision, files: readonly NotedFile[], moved: readonly NotedFile[] = []): void {
    const { facts = noFacts } = this.#options;
    const noted = new Map([...files, ...moved].map(one => [one.path, one]));
    this.#decided.decided(noted.keys());
    for (const { path, movedFrom } of noted.values())
      facts.note({ type: "decided", path, decision, ...(typeof movedFrom === "string" && { movedFrom }) });
  }

  #recordDecision(decision: ReviewDecision): void {
    if (decision.files.length + decision.unknown.length + decision.moved.length === 0) return;
    this.#decisions.push(decision);
    if (this.#decisions.length > maxDecisions) this.#decisions.shift();
  }
}
