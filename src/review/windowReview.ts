// The review of a window: takes in who changed which file to what, and carries out the user's decisions. Knows neither
// the editor nor the disk: both come in as calls, and go out through a port.
import { Sequencer } from "../base/async.ts";
import { Refusal } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import {
  applyAgentEdit,
  keepCommitted,
  isSettled,
  keepHunks,
  lineCounts,
  reanchor,
  track,
  undoHunks,
  applyUserEdits,
  applyReplacement,
  applyUndoRedo,
  type RangeEdit,
} from "./fileChanges.ts";
import { type FileChanges, type Hunk } from "./hunk.ts";
import { quotePath } from "../base/text.ts";
import type { Review, ReviewedFile, ReviewTarget } from "./review.ts";
import { revertDecision, type DecidedFile } from "./revertDecision.ts";
import type { ReviewPort } from "../files/ports.ts";

export interface WindowReviewOptions {
  readonly port: ReviewPort;
  /** Runs the function once, soon. */
  readonly schedule: (run: () => void) => void;
}

interface TrackedFile {
  readonly path: string;
  readonly changes: FileChanges;
  /** Earlier states, newest last, for undo and redo in the editor. */
  readonly history: readonly FileChanges[];
  /** The user edited a file that the agent created. */
  readonly mixed: boolean;
  readonly unknown?: string;
}

/** The record of a decision, to undo it. */
interface ReviewDecision {
  readonly kind: "keep" | "undo";
  readonly files: readonly DecidedFile[];
  /** Files that are known to have changed, without a known earlier text. */
  readonly unknown: readonly TrackedFile[];
}

/** The state that is stored for the next window. */
export interface StoredReview {
  readonly files: readonly {
    readonly path: string;
    readonly changes: FileChanges;
    readonly mixed: boolean;
    readonly unknown?: string;
  }[];
  readonly titles: Readonly<Record<string, string>>;
}

const maxHistory = 100;
const maxDecisions = 50;

export class WindowReview implements Review, Disposable {
  readonly #options: WindowReviewOptions;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #files = new Map<string, TrackedFile>();
  readonly #shown = new Map<TrackedFile, ReviewedFile>();
  readonly #titles = new Map<string, string>();
  /** The changes that the port is making to files. */
  readonly #ownChanges = new Map<string, { readonly text: string | null; readonly changes: FileChanges }>();
  readonly #decisions: ReviewDecision[] = [];
  #list: readonly ReviewedFile[] | undefined;
  #isNotifyPending = false;
  #disposed = false;
  readonly #sequencer = new Sequencer();

  constructor(options: WindowReviewOptions) {
    this.#options = options;
  }

  get files(): readonly ReviewedFile[] {
    this.#list ??= [...this.#files.values()]
      .filter(awaitsReview)
      .map(one => this.#view(one))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    return this.#list;
  }

  file(path: string): ReviewedFile | undefined {
    const one = this.#files.get(path);
    return one && awaitsReview(one) ? this.#view(one) : undefined;
  }

  get turns(): readonly { readonly id: string; readonly title: string }[] {
    const waiting = new Set(this.files.flatMap(file => file.turns));
    return [...this.#titles].filter(([id]) => waiting.has(id)).map(([id, title]) => ({ id, title }));
  }

  /** A turn starts. It is sorted after all turns that started before. */
  turnBegan(turn: string, title: string): void {
    if (!this.#titles.has(turn)) this.#titles.set(turn, title);
    const needed = new Set(this.#decisions.flatMap(({ files }) => files.map(({ path }) => path)));
    // A reviewed file is no longer a valid base, because later changes to it are not tracked.
    for (const [path, one] of this.#files) if (!awaitsReview(one) && !needed.has(path)) this.#files.delete(path);
  }

  /** The known text of a tracked file. Undefined if the file is not tracked. */
  textOf(path: string): string | null | undefined {
    const one = this.#files.get(path);
    return one && one.unknown === undefined ? one.changes.text : undefined;
  }

  isTracked(path: string): boolean {
    return this.#files.has(path);
  }

  /**
   * Whether the text is the result of the decision that is being applied. The decision is complete for this file then.
   */
  acceptOwnChange(path: string, text: string | null): boolean {
    const own = this.#ownChanges.get(path);
    if (own === undefined || own.text !== text) return false;
    this.#ownChanges.delete(path);
    this.#put(path, own.changes);
    return true;
  }

  /**
   * An agent changed the file's text to `after`. `base`, the text before, is used for a file that is not tracked yet.
   */
  agentChanged(path: string, base: string | null, after: string | null, turn: string): void {
    const one = this.#files.get(path);
    if (one && one.unknown === undefined) return this.#put(path, applyAgentEdit(one.changes, after, turn));
    if (base === after) return;
    this.#files.delete(path);
    this.#put(path, track(base, after, turn));
  }

  /** An agent changed the file, and the text before is unknown. */
  agentChangedWithoutBase(path: string, after: string | null, turn: string, why: string): void {
    const none = track(after, after, turn);
    this.#set({ path, changes: none, history: [], mixed: false, unknown: why });
  }

  /** The user edited the text, with `after` as the result. */
  userChanged(path: string, edits: readonly RangeEdit[], after: string): void {
    const one = this.#files.get(path);
    if (!one) return;
    const next = applyUserEdits(one.changes, edits);
    const changes = next.text === after ? next : applyReplacement(one.changes, after);
    if (one.changes.base === null && awaitsReview(one)) this.#files.set(path, { ...one, mixed: true });
    this.#put(path, changes);
  }

  /** The file's text is now `after`, and no agent made the change. */
  replaced(path: string, after: string | null): void {
    const one = this.#files.get(path);
    if (one && one.changes.text !== after) this.#put(path, applyReplacement(one.changes, after));
  }

  /** The editor went to `after` by undo or redo. */
  editorUndoRedo(path: string, after: string): void {
    const one = this.#files.get(path);
    if (one && one.changes.text !== after) this.#put(path, applyUndoRedo(one.changes, after, one.history));
  }

  /** The user moved the file. */
  moved(from: string, to: string): void {
    const one = this.#files.get(from);
    if (!one) return;
    this.#files.delete(from);
    this.#set({ ...one, path: to });
  }

  /** A commit contains this text of the file. */
  committed(path: string, text: string): void {
    const one = this.#files.get(path);
    if (!one || !awaitsReview(one)) return;
    if (one.unknown === undefined) this.#put(path, keepCommitted(one.changes, text));
    else if (one.changes.text === text) this.#forget(path);
  }

  keep(target: ReviewTarget): Promise<void> {
    return this.#sequencer.queue(async () => {
      const chosen = this.#chosen(target);
      const files: DecidedFile[] = [];
      const unknown = chosen.flatMap(({ file }) => (file.unknown === undefined ? [] : [file]));
      for (const { file, ids } of chosen) {
        if (file.unknown !== undefined) this.#forget(file.path);
        else if (ids.length > 0) {
          const changes = keepHunks(file.changes, ids);
          files.push({ path: file.path, before: file.changes, after: changes });
          this.#put(file.path, changes);
        }
      }
      this.#recordDecision({ kind: "keep", files, unknown });
    });
  }

  undo(target: ReviewTarget): Promise<void> {
    return this.#sequencer.queue(async () => {
      const chosen = this.#chosen(target).filter(({ ids }) => ids.length > 0);
      const mixed = chosen.filter(({ file, ids }) => file.mixed && !undoHunks(file.changes, ids).changes.text);
      const files = chosen
        .filter(one => !mixed.includes(one))
        .map(({ file, ids }) => {
          return { path: file.path, before: file.changes, after: undoHunks(file.changes, ids).changes };
        });
      await this.#apply(files);
      this.#recordDecision({ kind: "undo", files, unknown: [] });
      const [first] = mixed;
      if (first) {
        throw new Refusal(
          "failed",
          `${quotePath(first.file.path)} was created by the agent and contains your edits too, so it was not deleted. Keep it or delete it yourself.`,
          { path: first.file.path },
        );
      }
    });
  }

  undoLast(): Promise<boolean> {
    return this.#sequencer.queue(async () => {
      const decision = this.#decisions.at(-1);
      if (!decision) return false;
      for (const one of decision.unknown) if (!this.#files.has(one.path)) this.#set(one);
      const now = (path: string): FileChanges | undefined => this.#files.get(path)?.changes;
      const reverted = decision.files.map(one => ({ one, to: revertDecision(decision.kind, one, now(one.path)) }));
      const texts = reverted.flatMap(({ one, to }) => {
        const before = now(one.path);
        return to === undefined || before === undefined ? [] : [{ path: one.path, before, after: to }];
      });
      await this.#apply(texts);
      this.#decisions.pop();
      const failed = reverted.find(({ to }) => to === undefined);
      if (failed) {
        const { path } = failed.one;
        throw new Refusal("failed", `${quotePath(path)} has changed too much to undo the decision about it.`, {
          path,
        });
      }
      return true;
    });
  }

  /** The state to store, as plain JSON. */
  stored(): StoredReview {
    const files = [...this.#files.values()].filter(awaitsReview).map(({ path, changes, mixed, unknown }) => ({
      path,
      changes,
      mixed,
      ...(unknown !== undefined && { unknown }),
    }));
    const turns = new Set(this.files.flatMap(file => file.turns));
    return { files, titles: Object.fromEntries([...this.#titles].filter(([turn]) => turns.has(turn))) };
  }

  /**
   * Restores the stored state. `now` returns the current text of a file, undefined if it is no longer a text. Resolves
   * with the paths whose changes could not be found again.
   */
  async restore(
    { files, titles }: StoredReview,
    readCurrentText: (path: string) => Promise<string | null | undefined>,
  ): Promise<readonly string[]> {
    const dropped: string[] = [];
    for (const [turn, title] of Object.entries(titles)) this.#titles.set(turn, title);
    for (const { path, changes, mixed, unknown } of files) {
      const text = await readCurrentText(path);
      if (this.#files.has(path)) continue;
      const restored = text === undefined ? undefined : changes.text === text ? changes : reanchor(changes, text);
      if (unknown !== undefined) this.#set({ path, changes, history: [], mixed, unknown });
      else if (restored) this.#set({ path, changes: restored, history: [], mixed });
      else dropped.push(path);
    }
    return dropped;
  }

  dispose(): void {
    this.#disposed = true;
    this.#changed.dispose();
  }

  /** The hunks of a decision, by file. Hunks that no longer exist are skipped. */
  #chosen(target: ReviewTarget): readonly { readonly file: TrackedFile; readonly ids: readonly string[] }[] {
    const all = [...this.#files.values()].filter(awaitsReview);
    const of = (files: readonly TrackedFile[], test: (hunk: Hunk) => boolean) =>
      files.map(file => ({ file, ids: file.changes.hunks.filter(test).map(hunk => hunk.id) }));
    switch (target.kind) {
      case "all":
        return of(all, () => true);
      case "turn":
        return of(
          all.filter(file => file.changes.hunks.some(hunk => hunk.turns.includes(target.turn))),
          hunk => hunk.turns.includes(target.turn),
        );
      case "file":
        return of(
          all.filter(file => file.path === target.path),
          () => true,
        );
      case "hunks":
        return of(
          all.filter(file => file.path === target.path),
          hunk => target.ids.includes(hunk.id),
        );
      default:
        return target satisfies never;
    }
  }

  /** Applies the texts in the editor, and records the changes. */
  async #apply(files: readonly DecidedFile[]): Promise<void> {
    const steps = files.flatMap(({ path, before, after }) =>
      before.text === after.text ? [] : [{ path, before: before.text, after: after.text }],
    );
    for (const { path, after } of files) this.#ownChanges.set(path, { text: after.text, changes: after });
    try {
      if (steps.length > 0) await this.#options.port.apply(steps);
      // No event reports files that are closed or unchanged.
      for (const { path, after } of files) if (this.#ownChanges.has(path)) this.acceptOwnChange(path, after.text);
    } finally {
      for (const { path } of files) this.#ownChanges.delete(path);
    }
  }

  #recordDecision(decision: ReviewDecision): void {
    if (decision.files.length + decision.unknown.length === 0) return;
    this.#decisions.push(decision);
    if (this.#decisions.length > maxDecisions) this.#decisions.shift();
  }

  #put(path: string, changes: FileChanges): void {
    const one = this.#files.get(path);
    if (one?.changes === changes) return;
    const history = one ? [...one.history, one.changes].slice(-maxHistory) : [];
    const mixed = one !== undefined && one.mixed && !isSettled(changes);
    const unknown = one?.unknown;
    this.#set({ path, changes, history, mixed, ...(unknown !== undefined && { unknown }) });
  }

  #set(one: TrackedFile): void {
    this.#files.set(one.path, one);
    this.#notify();
  }

  #forget(path: string): void {
    this.#files.delete(path);
    this.#notify();
  }

  #notify(): void {
    this.#list = undefined;
    if (this.#isNotifyPending) return;
    this.#isNotifyPending = true;
    this.#options.schedule(() => {
      this.#isNotifyPending = false;
      for (const one of this.#shown.keys()) if (this.#files.get(one.path) !== one) this.#shown.delete(one);
      if (!this.#disposed) this.#changed.fire();
    });
  }

  #view(one: TrackedFile): ReviewedFile {
    const known = this.#shown.get(one);
    if (known) return known;
    const { path, changes, unknown } = one;
    const order = [...this.#titles.keys()];
    const turns = [...new Set(changes.hunks.flatMap(hunk => hunk.turns))].sort(
      (a, b) => order.indexOf(a) - order.indexOf(b),
    );
    const view = { path, changes, ...lineCounts(changes), turns, ...(unknown !== undefined && { unknown }) };
    this.#shown.set(one, view);
    return view;
  }
}

const awaitsReview = ({ changes, unknown }: TrackedFile): boolean => unknown !== undefined || !isSettled(changes);
