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
  /** Runs once, soon. */
  readonly schedule: (run: () => void) => void;
}

interface TrackedFile {
  readonly path: string;
  readonly changes: FileChanges;
  /** Earlier states, the newest last, for undo and redo in the editor. */
  readonly history: readonly FileChanges[];
  /** The user edited within a file that the agent created. */
  readonly mixed: boolean;
  readonly unknown?: string;
}

/** What is kept of a decision, to take it back. */
interface ReviewDecision {
  readonly kind: "keep" | "undo";
  readonly files: readonly DecidedFile[];
  /** Files of which only the fact of their change was known. */
  readonly unknown: readonly TrackedFile[];
}

/** What outlives the window. */
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
  /** What the port is just making of files. */
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

  /** A turn begins: its number comes after all that began before it. */
  turnBegan(turn: string, title: string): void {
    if (!this.#titles.has(turn)) this.#titles.set(turn, title);
    const needed = new Set(this.#decisions.flatMap(({ files }) => files.map(({ path }) => path)));
    // What is settled is no base any more: nobody says what happened to the file since.
    for (const [path, one] of this.#files) if (!awaitsReview(one) && !needed.has(path)) this.#files.delete(path);
  }

  /** The text that a followed file is known to have; undefined when it is not followed. */
  textOf(path: string): string | null | undefined {
    const one = this.#files.get(path);
    return one && one.unknown === undefined ? one.changes.text : undefined;
  }

  isTracked(path: string): boolean {
    return this.#files.has(path);
  }

  /** Whether the text is what a decision is just making of the file; it counts as done then. */
  acceptOwnChange(path: string, text: string | null): boolean {
    const own = this.#ownChanges.get(path);
    if (own === undefined || own.text !== text) return false;
    this.#ownChanges.delete(path);
    this.#put(path, own.changes);
    return true;
  }

  /** An agent made the file's text `after`. `base`, the text before, counts for a file that is not followed yet. */
  agentChanged(path: string, base: string | null, after: string | null, turn: string): void {
    const one = this.#files.get(path);
    if (one && one.unknown === undefined) return this.#put(path, applyAgentEdit(one.changes, after, turn));
    if (base === after) return;
    this.#files.delete(path);
    this.#put(path, track(base, after, turn));
  }

  /** An agent changed the file, and nothing is known of the text before. */
  agentChangedWithoutBase(path: string, after: string | null, turn: string, why: string): void {
    const none = track(after, after, turn);
    this.#set({ path, changes: none, history: [], mixed: false, unknown: why });
  }

  /** The user edited the text, which is `after` then. */
  userChanged(path: string, edits: readonly RangeEdit[], after: string): void {
    const one = this.#files.get(path);
    if (!one) return;
    const next = applyUserEdits(one.changes, edits);
    const changes = next.text === after ? next : applyReplacement(one.changes, after);
    if (one.changes.base === null && awaitsReview(one)) this.#files.set(path, { ...one, mixed: true });
    this.#put(path, changes);
  }

  /** The file's text is `after`, and no agent made it so. */
  replaced(path: string, after: string | null): void {
    const one = this.#files.get(path);
    if (one && one.changes.text !== after) this.#put(path, applyReplacement(one.changes, after));
  }

  /** The editor went back or forth to `after`. */
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

  /** A commit holds this text of the file. */
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
          `${quotePath(first.file.path)} was created by the agent and holds edits of yours too, so it was not deleted. Keep it, or delete it yourself.`,
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
        throw new Refusal("failed", `${quotePath(path)} has changed too much to take the decision about it back.`, {
          path,
        });
      }
      return true;
    });
  }

  /** What is to be stored, plain JSON. */
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
   * Takes back in what was stored; `now` tells a file's text at present, undefined when it is no text any more. Resolves
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

  /** The hunks a decision is about, by file. A hunk that is gone is passed over. */
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

  /** Makes the texts so in the editor, and takes the changes in. */
  async #apply(files: readonly DecidedFile[]): Promise<void> {
    const steps = files.flatMap(({ path, before, after }) =>
      before.text === after.text ? [] : [{ path, before: before.text, after: after.text }],
    );
    for (const { path, after } of files) this.#ownChanges.set(path, { text: after.text, changes: after });
    try {
      if (steps.length > 0) await this.#options.port.apply(steps);
      // Who closed files or changed none is told by no event.
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
