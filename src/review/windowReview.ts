// The review of a window: takes in who changed which file to what, and carries out the user's decisions. Knows neither
// the editor nor the disk: both come in as calls, and go out through a port.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import {
  applyAgentEditWork,
  isSettled,
  keepCommittedWork,
  track,
  trackWork,
  applyReplacementWork,
  applyUndoRedoWork,
  userChangedWork,
  type RangeEdit,
} from "./fileChanges.ts";
import { FileComparisons, type Slices } from "./fileComparisons.ts";
import { type FileChanges } from "./hunk.ts";
import type { AppliedChange } from "./appliedChanges.ts";
import { DecidedPaths } from "./decisions/decidedPaths.ts";
import { FileDecisions } from "./decisions/fileDecisions.ts";
import { sharedTurnOf } from "./earlierTurns.ts";
import type { Review, ReviewedFile, ReviewedTurn, ReviewTarget, SharedTurn, TurnSession, UndoLoss } from "./review.ts";
import type { FactSink } from "../history/facts.ts";
import type { EarlierFileStates } from "./reviewDecision.ts";
import { maxHistory, revivedFile, storedFile, type StoredReview } from "./storedReview.ts";
import {
  awaitsReview,
  meanwhileField,
  movedFileWork,
  replacingFile,
  reviewedFile,
  undoableFiles,
  withoutReviewedMark,
  withTurn,
  type AgentMove,
  type TrackedFile,
} from "./trackedFile.ts";
import { SessionsOfTurns } from "./turns/sessionsOfTurns.ts";
import { ReplacedStates } from "./turns/replacedStates.ts";
import { undoLossesOf } from "./undoLosses.ts";
import { PathMap } from "../files/pathMap.ts";
import type { AppliedSteps, ApplyOptions, FileTextStep, ReviewPort } from "../files/ports.ts";

export interface WindowReviewOptions {
  readonly port: ReviewPort;
  readonly earlier?: EarlierFileStates;
  readonly facts?: FactSink;
  /** Whether the file is outside the workspace folders. */
  readonly isOutside?: (path: string) => boolean;
  /** Runs the function once, soon. */
  readonly schedule: (run: () => void) => void;
  readonly slices?: Slices;
  /** The time, in ms since the epoch. By default that of the system. */
  readonly now?: () => number;
}

export class WindowReview implements Review, Disposable {
  readonly #options: WindowReviewOptions;
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  readonly #files = new PathMap<TrackedFile>();
  readonly #shown = new Map<TrackedFile, ReviewedFile>();
  readonly #titles = new Map<string, string>();
  readonly #sessions = new SessionsOfTurns();
  readonly #replaced = new ReplacedStates();
  readonly #movedAway = new Set<string>();
  /** Where files were that an agent moved earlier, and that are gone again in this turn, by their last path. */
  readonly #goneMoves = new Map<string, string>();
  /** What the user has decided about paths in this window. */
  readonly decided = new DecidedPaths();
  readonly #decisions: FileDecisions;
  #list: readonly ReviewedFile[] | undefined;
  #isNotifyPending = false;
  #disposed = false;
  readonly #comparisons: FileComparisons<TrackedFile>;

  constructor(options: WindowReviewOptions) {
    this.#options = options;
    this.#comparisons = new FileComparisons(
      {
        get: path => this.#files.get(path),
        put: (path, one, changes) => {
          // A file without a known text before is tracked from now on.
          if (one?.unknown !== undefined && changes.hunks.length > 0) this.#files.delete(path);
          this.#put(path, changes);
        },
      },
      options.slices,
    );
    this.#decisions = new FileDecisions(
      options,
      {
        all: () => this.#files.values(),
        get: path => this.#files.get(path),
        set: one => this.#set(one),
        put: (path, changes) => this.#put(path, changes),
        forget: path => this.#forget(path),
        kept: path => this.#replaced.forget(path),
        decidedWhole: path => this.#decidedWhole(path),
        keepMove: path => this.#keepMove(path),
        moved: (from, to) => this.#movePath(from, to, true),
      },
      this.decided,
    );
    options.earlier?.onDidChange(() => {
      for (const [one] of this.#shown) if (one.unknown !== undefined) this.#shown.delete(one);
      this.#notify();
    });
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

  get turns(): readonly ReviewedTurn[] {
    const waiting = new Set(this.files.flatMap(file => file.turns));
    return [...this.#titles]
      .filter(([id]) => waiting.has(id))
      .map(([id, title]) => ({ id, title, ...this.#sessions.of(id) }));
  }

  /** A turn is sorted after all turns that were named before. */
  nameTurn(turn: string, title: string, session?: TurnSession): void {
    if (!this.#titles.has(turn)) this.#titles.set(turn, title);
    this.#sessions.set(turn, session);
  }

  /** A turn starts while no other one runs. */
  turnBegan(turn: string, title: string, session?: TurnSession): void {
    this.nameTurn(turn, title, session);
    this.#movedAway.clear();
    this.#goneMoves.clear();
    const needed = this.#decisions.paths;
    // A reviewed file is no longer a valid base, because later changes to it are not tracked.
    for (const [path, one] of this.#files) if (!awaitsReview(one) && !needed.has(path)) this.#files.delete(path);
  }

  /** The known text of a tracked file. Undefined if the file is not tracked. */
  textOf(path: string): string | null | undefined {
    const one = this.#files.get(path);
    return one && (one.unknown === undefined || one.hasSameText) ? one.changes.text : undefined;
  }

  /** The files under review, and those that were reviewed in this turn, by path. */
  get tracked(): Pick<PathMap<unknown>, "has" | "keys" | "atOrBelow"> {
    return this.#files;
  }

  /**
   * Whether the text is the result of the decision that is being applied. The decision is complete for this file then.
   */
  acceptOwnChange(path: string, text: string | null): boolean {
    return this.#decisions.acceptOwnChange(path, text);
  }

  /**
   * An agent changed the file's text to `after`. `base`, the text before, is used for a file that is not tracked yet.
   */
  agentChanged(path: string, base: string | null, after: string | null, turn: string): Promise<void> {
    return this.#comparisons.compare(path, one => {
      if (one && one.unknown === undefined) return applyAgentEditWork(one.changes, after, turn);
      if (one?.movedFrom && after === null) return void this.#movedIsGone(one, one.movedFrom.path);
      return base === after || one?.movedFrom ? undefined : trackWork(base, after, turn);
    });
  }

  /**
   * The agent changed the file, but not its text: only its line endings, its mode, or what a link leads to. Such a
   * change is decided as a whole. `text`: undefined if the file is no text.
   */
  agentChangedState(path: string, turn: string, what: string, text?: string): void {
    const one = this.#files.get(path);
    if ((one && awaitsReview(one)) || this.#movedAway.has(path)) return;
    const same = text ?? one?.changes.text ?? null;
    const history = one?.history ?? [];
    const changes = track(same, same, turn);
    const hasSameText = text !== undefined && { hasSameText: true as const };
    this.#set({ path, changes, history, mixed: false, unknown: what, ...hasSameText, ...meanwhileField(turn) });
  }

  /** An agent changed the file, and the text before is unknown. */
  agentChangedWithoutBase(path: string, after: string | null, turn: string, why: string): void {
    const one = this.#files.get(path);
    if (one?.movedFrom && after === null) this.#movedIsGone({ ...one, unknown: why }, one.movedFrom.path);
    if (one?.movedFrom) return;
    const none = track(after, after, turn);
    this.#set({ path, changes: none, history: [], mixed: false, unknown: why, ...meanwhileField(turn) });
  }

  /** The changes of a turn in the file turn out to be another turn's. */
  attributed(path: string, from: string, to: string): void {
    const one = this.#files.get(path);
    if (one) this.#set(withTurn(one, from, to));
  }

  /** The user edited the text, with `after` as the result. */
  userChanged(path: string, edits: readonly RangeEdit[], after: string): Promise<void> {
    return this.#comparisons.inOrder(path, () => {
      const one = this.#files.get(path);
      if (!one) return undefined;
      if (one.changes.base === null && awaitsReview(one)) this.#files.set(path, { ...one, mixed: true });
      return this.#comparisons.compareNow(path, now => now && userChangedWork(now.changes, edits, after));
    });
  }

  /**
   * The file's text is now `after`, and no agent made the change. If it is a text that another such change replaced, what
   * then waited for review waits again.
   */
  replaced(path: string, after: string | null): Promise<void> {
    return this.#comparisons.inOrder(path, () => {
      const before = this.#files.get(path);
      if (this.#bringBack(before, path, after)) return undefined;
      // There is nothing to move back, and no text to bring back.
      if (before?.unknown !== undefined && before.movedFrom && after === null) return void this.#forget(path);
      const compared = this.#comparisons.compareNow(path, one =>
        one && one.changes.text !== after ? applyReplacementWork(one.changes, after) : undefined,
      );
      const remember = (): void => this.#replaced.replaced(before, this.#files.get(path));
      if (compared) return compared.then(remember);
      remember();
      return undefined;
    });
  }

  /** The files whose changes come back to the review when the files have their earlier texts again. */
  get replacedFiles(): Pick<ReplacedStates, "paths" | "atOrBelow" | "hasText"> {
    return this.#replaced;
  }

  #bringBack(now: TrackedFile | undefined, path: string, text: string | null): boolean {
    if (now && (now.unknown !== undefined || now.changes.text === text)) return false;
    const then = this.#replaced.take(path, text);
    if (!then) return false;
    const { movedFrom, changes } = then;
    const nextId = Math.max(changes.nextId, now?.changes.nextId ?? 1);
    const history = now ? [...now.history, now.changes].slice(-maxHistory) : [];
    this.#movedAway.delete(path);
    if (movedFrom) {
      const origin = this.#files.get(movedFrom.path);
      if (origin && !awaitsReview(origin)) this.#files.delete(movedFrom.path);
      this.#movedAway.add(movedFrom.path);
    }
    this.#set({ ...withoutReviewedMark(then), changes: { ...changes, nextId }, history });
    return true;
  }

  /** The editor went to `after` by undo or redo. */
  editorUndoRedo(path: string, after: string): Promise<void> {
    return this.#comparisons.compare(path, one =>
      one && one.changes.text !== after ? applyUndoRedoWork(one.changes, after, one.history) : undefined,
    );
  }

  /** The file did not exist before the agent's turn, and no longer exists: there is nothing to review. */
  vanished(path: string): void {
    const one = this.#files.get(path);
    if (one?.unknown === undefined) return;
    if (one.movedFrom) this.#movedAway.delete(one.movedFrom.path);
    this.#forget(path);
  }

  /** The user moved the file. */
  moved(from: string, to: string): void {
    // The state of a file that is moved back is known under its earlier path.
    if (this.#files.get(from)?.movedFrom?.path !== to) this.#options.earlier?.moved(from, to);
    this.#movePath(from, to);
  }

  #movePath(from: string, to: string, isAway = false): void {
    const one = this.#files.get(from);
    if (isAway) this.#movedAway.add(from);
    if (!one) return;
    this.#files.delete(from);
    const { movedFrom, ...rest } = one;
    this.#movedAway.delete(to);
    this.#set({ ...rest, path: to, ...(movedFrom && movedFrom.path !== to && { movedFrom }) });
  }

  /** An agent moved a file, which was reported as the deletion of one file and the creation of another. */
  async agentMoved(move: AgentMove): Promise<void> {
    // A file that is moved again was at its first path before the agent.
    const from = this.#goneMoves.get(move.from) ?? move.from;
    if (from === move.to) return;
    const [source, target] = [this.#files.get(from), this.#files.get(move.to)];
    const moved = await this.#comparisons.complete(movedFileWork(source, target, { ...move, from }));
    // The user has decided meanwhile, or a file has changed.
    if (this.#files.get(from) !== source || this.#files.get(move.to) !== target) return this.agentMoved(move);
    if (moved) this.#movePath(from, move.to, true);
    if (moved) this.#set(moved);
  }

  /** Whether the file was moved away in this turn, so that its absence is no deletion. */
  isMovedAway(path: string): boolean {
    return this.#movedAway.has(path);
  }

  /** A commit contains this text of the file. */
  committed(path: string, text: string): Promise<void> {
    this.#replaced.take(path, text);
    this.#keepMove(path);
    return this.#comparisons.compare(path, one => {
      if (!one || !awaitsReview(one)) return undefined;
      if (one.unknown === undefined) return keepCommittedWork(one.changes, text);
      if (one.changes.text === text) this.#forget(path);
      return undefined;
    });
  }

  markReviewed(path: string, isReviewed: boolean): void {
    const one = this.#files.get(path);
    if (!one || !awaitsReview(one) || one.unknown !== undefined || (one.isReviewed ?? false) === isReviewed) return;
    this.#set(isReviewed ? { ...one, isReviewed } : withoutReviewedMark(one));
  }

  get lastDecisionSize(): number {
    return this.#decisions.lastSize;
  }

  async undoLosses(target: ReviewTarget): Promise<readonly UndoLoss[]> {
    const { earlier } = this.#options;
    await earlier?.settled();
    return undoLossesOf(undoableFiles(this.#files.values(), target), earlier);
  }

  sharedTurn(...turns: readonly string[]): SharedTurn | undefined {
    return sharedTurnOf(turns, [...this.#files.values()]);
  }

  keep(target: ReviewTarget): Promise<void> {
    return this.#decisions.keep(target);
  }

  undo(target: ReviewTarget, options: ApplyOptions = {}): Promise<void> {
    return this.#decisions.undo(target, options);
  }

  undoLast(options: ApplyOptions = {}): Promise<boolean> {
    return this.#decisions.undoLast(options);
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
    for (const [turn, title] of Object.entries(stored?.titles ?? {}))
      if (!this.#titles.has(turn)) this.#titles.set(turn, title);
    this.#sessions.restore(stored?.sessions);
    return this.#decisions.restoreFiles(steps, stored, options);
  }

  /** Changes files for a session outside of its turns. The changes wait for review under the turn, which has a name. */
  applyChanges(changes: readonly AppliedChange[], turn: string, options: ApplyOptions = {}): Promise<AppliedSteps> {
    return this.#decisions.applyChanges(changes, turn, options);
  }

  /**
   * The state to store, as plain JSON. `isForLater`: with what comes back to the review when files have their earlier texts
   * again.
   */
  stored(isForLater = false): StoredReview {
    const files = [...this.#files.values()].filter(awaitsReview).map(storedFile);
    const turns = new Set(this.files.flatMap(file => file.turns));
    const titles = Object.fromEntries([...this.#titles].filter(([turn]) => turns.has(turn)));
    const stored = { files, titles, ...this.#sessions.stored(turns) };
    const replaced = isForLater ? this.#replaced.all : [];
    if (replaced.length === 0) return stored;
    const others = new Set(replaced.flatMap(one => one.changes.hunks.flatMap(hunk => hunk.turns)));
    const more = Object.fromEntries([...this.#titles].filter(([turn]) => others.has(turn)));
    return { ...stored, titles: { ...more, ...stored.titles }, replaced: replaced.map(storedFile) };
  }

  /**
   * Restores the stored state. `now` returns the current text of a file, undefined if it is no longer a text. Resolves
   * with the paths whose changes could not be found again.
   */
  async restore(
    { files, titles, sessions, replaced = [] }: StoredReview,
    readCurrentText: (path: string) => Promise<string | null | undefined>,
  ): Promise<readonly string[]> {
    const dropped: string[] = [];
    for (const [turn, title] of Object.entries(titles)) this.#titles.set(turn, title);
    this.#sessions.restore(sessions);
    for (const stored of files) {
      const text = await readCurrentText(stored.path);
      if (this.#files.has(stored.path)) continue;
      const revived = await revivedFile(stored, text, work => this.#comparisons.complete(work));
      this.#replaced.replaced({ ...stored, history: [] }, revived);
      if (revived) this.#set(revived);
      else dropped.push(stored.path);
    }
    for (const stored of replaced) {
      this.#replaced.remember({ ...stored, history: [] });
      const text = await readCurrentText(stored.path);
      if (text !== undefined) await this.replaced(stored.path, text);
    }
    return dropped;
  }

  dispose(): void {
    this.#disposed = true;
    this.#comparisons.dispose();
    this.#changed.dispose();
  }

  /** The user accepts the move of a file. */
  #keepMove(path: string): void {
    const { movedFrom, ...rest } = this.#files.get(path) ?? {};
    if (movedFrom && "path" in rest) this.#set(rest);
  }

  #put(path: string, changes: FileChanges): void {
    const one = this.#files.get(path);
    if (one?.changes === changes) return;
    const history = one ? [...one.history, one.changes].slice(-maxHistory) : [];
    const mixed = one !== undefined && one.mixed && !isSettled(changes);
    const before = one && changes.text !== one.changes.text ? withoutReviewedMark(one) : one;
    this.#set({ ...before, path, changes, history, mixed });
    const now = this.#files.get(path);
    if (now && one?.movedFrom && changes.text === null) this.#movedIsGone(now, one.movedFrom.path);
  }

  /** A file that was moved and then deleted is a file that was deleted where it was before. */
  #movedIsGone(one: TrackedFile, origin: string): void {
    this.#goneMoves.set(one.path, origin);
    this.#options.earlier?.movedIsGone(origin);
    this.#files.set(one.path, one);
    const other = this.#files.get(origin);
    if (!other) return this.#movePath(one.path, origin, true);
    // An agent has created another file there, which replaces the one from before.
    this.#forget(one.path);
    this.#movedAway.add(one.path);
    this.#set(replacingFile(one, other));
  }

  #decidedWhole(path: string): void {
    this.#forget(path);
    this.decided.decidedWhole(path, (this.#options.now ?? Date.now)());
  }

  #set(one: TrackedFile): void {
    this.#files.set(one.path, one);
    this.decided.waits(one.path);
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
    const { earlier, isOutside } = this.#options;
    const { path } = one;
    const view = reviewedFile(one, {
      turns: [...this.#titles.keys()],
      hasEarlier: earlier?.has(path) ?? false,
      wasMissing: earlier?.wasMissing(path) ?? false,
      isOutside: isOutside?.(path) ?? false,
    });
    this.#shown.set(one, view);
    return view;
  }
}
