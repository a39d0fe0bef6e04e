// The review of this window: made, fed, and kept across reloads.
import { realpath } from "node:fs/promises";
import { Sequencer } from "../../base/async.ts";
import { asError, Refusal } from "../../base/errors.ts";
import { jsonWork } from "../../base/jsonWork.ts";
import { t } from "../../base/l10n.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Clock, Log } from "../../base/log.ts";
import { quotePath } from "../../base/text.ts";
import type { SessionParticipant } from "../../session/participant.ts";
import type { TextStorage } from "../../session/log/sessionStore.ts";
import { emptySession, promptTitle, sessionTitle } from "../../session/state.ts";
import { pathsOf } from "../../session/toolPaths.ts";
import { defaultSlices, inSlices } from "../fileComparisons.ts";
import type { AppliedChange } from "../appliedChanges.ts";
import type { TurnSession } from "../review.ts";
import type { StoredReview } from "../storedReview.ts";
import { reviewFile } from "../storedFiles.ts";
import { WindowReview } from "../windowReview.ts";
import type { AppliedSteps, ApplyOptions, FileTextStep, ReviewPort } from "../../files/ports.ts";
import { isWorkspaceFolder } from "../../editor/folders.ts";
import { currentTextOf } from "../../editor/openDocuments.ts";
import { editorReviewPort } from "../../files/vscode/editorReviewPort.ts";
import { KnownTouches, type AgentChange } from "../turns/knownTouches.ts";
import { TurnStarts, type TurnStartsOptions } from "../turns/turnStarts.ts";
import { UnfinishedTurnStore, type SessionOfTurn } from "../turns/unfinishedTurn.ts";
import type { EarlierStates, StoredStates } from "../earlierStates.ts";
import type { TurnStart } from "../turns/turnStart.ts";
import { createEarlierStates, decodedStart } from "./createEarlierStates.ts";
import { ChangeAttribution, type ChangeAttributionOptions } from "./changeAttribution.ts";
import { isAtOrBelow } from "../../files/nodePaths.ts";

export interface ReviewStoreOptions
  extends
    Omit<ChangeAttributionOptions, "review" | "start" | "onTurnEnded">,
    Pick<TurnStartsOptions, "treesOf" | "maxIgnoredBytes" | "readTime"> {
  /** Takes trees of the folders before a turn, where it can. Must not reject. */
  readonly beginTurn: (turn: string, session: SessionOfTurn | undefined) => Promise<void>;
  /** Receives the review as it is before a turn, as {@link ReviewStore.snapshot} returns it. */
  readonly reviewBefore?: (turn: string, review: string) => void;
  readonly storage: TextStorage;
  readonly clock: Clock;
  readonly log: Log;
}

/** The review at one time. */
interface ReviewSnapshot {
  readonly review: StoredReview;
  readonly states: StoredStates;
}

/** What is stored for the next window. */
interface StoredWindow extends StoredReview {
  /** The files outside the folders that the user allowed agents to write. */
  readonly outside?: readonly string[];
}

const statesFileName = "reviewStates.json";
/** The time to collect changes before they are stored, in milliseconds. */
const storeDelay = 500;
/** Reviews with more text than this are not stored, because they would slow down every save. */
const maxStoredLength = 32 * 1024 * 1024;

/** One for all sessions of the window. Changes still need a review when a new session starts. */
export class ReviewStore implements Disposable {
  readonly review: WindowReview;
  readonly attribution: ChangeAttribution;
  readonly edits: ReviewPort;
  /** Fires with the first change of each file in a turn, if Parley knows at once whose it is. */
  readonly onDidChangeFile: Event<AgentChange>;
  readonly #options: ReviewStoreOptions;
  readonly #store = new DisposableStore();
  readonly #starts: TurnStarts;
  readonly #states: EarlierStates;
  readonly #unfinished: UnfinishedTurnStore;
  /** The sessions of turns. */
  readonly #sessions = new Map<string, SessionOfTurn>();
  #isClosing = false;
  #timer: Disposable | undefined;
  #restored = false;
  #storedStates = "{}";
  readonly #writes = new Sequencer();
  /** Settles when what was stored is taken back in. */
  readonly ready: Promise<void>;
  /** Settles when the last turn of the earlier window is compared with its start, or cannot be. */
  readonly resumed: Promise<void>;

  constructor(options: ReviewStoreOptions) {
    this.#options = options;
    const isOutside = (path: string): boolean =>
      this.attribution.outside.has(path) && !options.roots().some(root => isAtOrBelow(path, root));
    this.edits = editorReviewPort(options.roots, isOutside);
    this.#starts = new TurnStarts(options);
    const start = async (turn: string): Promise<TurnStart> =>
      decodedStart(await this.#starts.of(this.attribution.startOf(turn)));
    const { log } = options;
    const touches = this.#store.add(
      new KnownTouches(options.touches, this.#sessions, () => this.attribution.busyTurns),
    );
    this.onDidChangeFile = touches.onDidChangeFile;
    const states = createEarlierStates({
      start,
      awaitsReview: path => this.review.file(path) !== undefined,
      isOrigin: path => this.review.files.some(({ movedFrom }) => movedFrom === path),
      changedState: (path, turn, what, text) => this.review.agentChangedState(path, turn, what, text),
      stateBefore: (turn, path, state) => touches.stateBefore(turn, path, state),
      stateWritten: (path, state, turn) => touches.stateWritten(path, state, turn),
      log,
    });
    this.#states = this.#store.add(states);
    const schedule = (run: () => void): void => void setImmediate(run);
    this.review = this.#store.add(
      new WindowReview({ port: this.edits, earlier: states, isOutside, schedule, facts: options.facts }),
    );
    this.#unfinished = new UnfinishedTurnStore(options.storage, log);
    const onTurnEnded = (turn: string, compared: Promise<void>): void => void this.#turnEnded(turn, compared);
    this.attribution = this.#store.add(
      new ChangeAttribution({ ...options, touches, states, start, review: this.review, onTurnEnded }),
    );
    this.#store.add(this.review.onDidChange(() => this.#storeLater()));
    this.ready = this.#restore();
    this.resumed = this.#resumeComparison().catch((thrown: unknown) =>
      log.warn("The last turn could not be compared with its start.", asError(thrown).message),
    );
  }

  /** The session of the turn. Undefined: the turn is of an earlier window, or of no session. */
  sessionOf(turn: string): SessionOfTurn | undefined {
    return this.#sessions.get(turn);
  }

  /** The review's part in a session that begins. */
  startSession(session?: Omit<SessionOfTurn, "title">): SessionParticipant {
    const { attribution } = this;
    const id = session?.id ?? "";
    let state = emptySession;
    // Only sessions in folders of the workspace share them with others.
    const own = session && !isWorkspaceFolder(session.workspaceFolder) ? resolved(session.workspaceFolder) : undefined;
    return {
      observe: (event, _, after) => attribution.observe(event, after, id),
      stateChanged: (before, after) => {
        state = after;
        attribution.stateChanged(after, id, before);
      },
      beforeTurn: turn => {
        const title = promptTitle(state, turn);
        // The first prompt, which still waits, will be the title of the session.
        const named = session && { ...session, title: sessionTitle(state) || title };
        return own && named
          ? own.then(ownFolder => this.turnBegan(turn, title, { ...named, ownFolder }))
          : this.turnBegan(turn, title, named);
      },
      beforeQuestion: ({ tool = {}, subject }) => {
        const paths = [...pathsOf(tool, "locations", "diffs", "moves"), ...(subject?.paths ?? [])];
        attribution.snapshotFiles([...new Set(paths)]);
      },
      aroundWrite: (path, text, next) => attribution.aroundWrite(path, text, next, id),
      allowedOutside: path => attribution.allowedOutside(path),
      dispose: () => attribution.sessionEnded(id),
    };
  }

  /**
   * A turn of the session is about to start: takes trees, and reads the files of folders without one, as far as that is fast. Never
   * rejects.
   */
  async turnBegan(turn: string, title: string, session?: SessionOfTurn): Promise<void> {
    const { attribution } = this;
    if (session) this.#sessions.set(turn, session);
    const trees = this.#options.beginTurn(turn, session);
    await this.ready;
    await attribution.whenCompared();
    this.#options.reviewBefore?.(turn, await this.snapshot());
    const isOver = (one: string): boolean => !attribution.busyTurns.includes(one);
    this.#unfinished.begin({ turn, title, began: Date.now(), ...(session && { session }) }, isOver);
    if (attribution.busyTurns.length === 0) this.#states.turnBegan(Date.now());
    const synced = attribution.turnBegan(turn, title, session);
    await Promise.all([trees, synced, this.#starts.begin(turn, one => !isOver(one))]);
  }

  /** Resolves when the changes of the last turn are attributed, as far as that is fast. */
  async settled(): Promise<void> {
    await this.attribution.whenCompared();
    await this.#states.settled();
  }

  /** The review with the exact states of its files, to put it back with {@link restoreFiles}. Empty if it is too large. */
  async snapshot(): Promise<string> {
    await this.#states.settled();
    const review = this.review.stored();
    const text = await jsonOf({ review, states: this.#states.stored(review.files.map(({ path }) => path)) });
    return text.length > maxStoredLength ? "" : text;
  }

  /**
   * Changes files to what they were at another time, with what then waited for review in them. `snapshot` is the review
   * at that time.
   */
  async restoreFiles(
    steps: readonly FileTextStep[],
    snapshot: string | undefined,
    options?: ApplyOptions,
  ): Promise<AppliedSteps> {
    const then = snapshot ? (JSON.parse(snapshot) as ReviewSnapshot) : undefined;
    const paths = steps.map(({ path }) => path);
    const applied = await this.review.restoreFiles(steps, then?.review, options);
    const restored = paths.filter(path => !applied.failed.has(path));
    const states = Object.entries(then?.states ?? {}).filter(([path]) => restored.includes(path));
    this.#states.restore(Object.fromEntries(states), restored);
    return applied;
  }

  /**
   * Changes files for a session outside of its turns. The changes wait for review under a turn of their own. What is no text
   * is only changed if an undo can bring it back.
   */
  async applyChanges(
    changes: readonly AppliedChange[],
    turn: { readonly id: string; readonly title: string; readonly session?: TurnSession },
    options?: ApplyOptions,
  ): Promise<AppliedSteps> {
    await this.ready;
    await this.#states.settled();
    await Promise.all(changes.map(({ path }) => this.#states.keepBefore(path)));
    const isSafe = ({ path, before, after }: AppliedChange): boolean =>
      (typeof before === "string" && typeof after === "string") || this.#states.has(path);
    this.review.nameTurn(turn.id, turn.title, turn.session);
    const applied = await this.review.applyChanges(changes.filter(isSafe), turn.id, options);
    const unsafe = changes.filter(one => !isSafe(one)).map(({ path }): [string, Error] => [path, unknownBefore(path)]);
    return { ...applied, failed: new Map([...applied.failed, ...unsafe]) };
  }

  /**
   * The window is about to close. What agents do until they are ended is compared in the next window, because this one
   * may be killed before.
   */
  beginClosing(): void {
    this.#isClosing = true;
  }

  /** Resolves when everything is stored, or its loss was logged. */
  async flush(): Promise<void> {
    if (this.#isClosing) {
      for (const turn of this.attribution.busyTurns) this.#unfinished.update(turn, { ended: Date.now() });
      await this.settled();
    }
    await this.#flush();
    await this.#unfinished.whenStored();
  }

  async #flush(): Promise<void> {
    this.#timer?.dispose();
    this.#timer = undefined;
    // Nothing is written over what was not read yet.
    if (!this.#restored) return this.#writes.whenIdle();
    for (const turn of this.attribution.busyTurns) this.#unfinished.update(turn, { ended: Date.now() });
    await this.#states.settled();
    return this.#writes
      .queue(() => this.#write())
      .catch((thrown: unknown) =>
        this.#options.log.error("The changes to review could not be stored.", asError(thrown).message),
      );
  }

  async #write(): Promise<void> {
    const { storage, log } = this.#options;
    const paths = this.review.files.flatMap(({ path, movedFrom }) =>
      movedFrom === undefined ? path : [path, movedFrom],
    );
    const stored: StoredWindow = { ...this.review.stored(true), outside: this.attribution.outside.paths };
    const storedStates = this.#states.stored(paths);
    const text = await jsonOf(stored);
    if (text.length > maxStoredLength)
      return log.warn("The changes to review are too large to be stored for the next window.");
    const states = await jsonOf(storedStates);
    // The states first: a review without them undoes texts only, whereas states without a review are not used.
    if (states !== this.#storedStates) await storage.write(statesFileName, states);
    this.#storedStates = states;
    await storage.write(reviewFile, text);
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#store.dispose();
  }

  #storeLater(): void {
    this.#timer ??= this.#options.clock.after(storeDelay, () => void this.#flush());
  }

  async #turnEnded(turn: string, compared: Promise<void>): Promise<void> {
    this.#unfinished.update(turn, { ended: Date.now() });
    await compared;
    if (this.#store.isDisposed) return;
    await this.#flush();
    if (this.#isClosing) this.#unfinished.update(turn, { compared: true });
    else this.#unfinished.finish(turn);
  }

  /** The window was reloaded in a turn or just after it: its end may not be compared with its start. */
  async #resumeComparison(): Promise<void> {
    await this.ready;
    const all = await this.#unfinished.read();
    if (this.#store.isDisposed) return;
    for (const earlier of all) {
      if (earlier.session) this.#sessions.set(earlier.turn, earlier.session);
      const unknown = await this.#starts.resume(earlier.turn);
      for (const folder of earlier.compared ? [] : unknown) {
        this.#options.log.warn(
          `The window closed before the last turn's changes in ${folder} were found. ` +
            "Changes that commands made without being seen are not in the review.",
        );
      }
    }
    // A turn has begun meanwhile, so its own end is compared.
    if (all.length === 0 || this.attribution.turn !== "") return;
    this.attribution.resumeComparison(all);
    await this.attribution.settled();
    await this.#flush();
    for (const { turn } of all) this.#unfinished.finish(turn);
  }

  #noteRestored(path: string): void {
    const text = this.review.textOf(path);
    if (text !== undefined) this.#options.facts.note({ type: "fileRestored", path, text });
  }

  async #restore(): Promise<void> {
    const { storage, log } = this.#options;
    try {
      const text = await storage.read(reviewFile);
      if (text === undefined) return;
      const states = await storage.read(statesFileName);
      if (states !== undefined) this.#states.restore(JSON.parse(states) as StoredStates);
      const stored = JSON.parse(text) as StoredWindow;
      for (const path of stored.outside ?? []) this.attribution.outside.allow(path);
      const dropped = await this.review.restore(stored, currentTextOf);
      for (const path of this.review.tracked.keys()) this.#noteRestored(path);
      for (const path of dropped) log.warn(`${path} changed while the window was closed, so its review starts again.`);
    } catch (thrown) {
      log.error("The changes to review could not be read.", asError(thrown).message);
    } finally {
      this.#restored = true;
    }
  }
}

const unknownBefore = (path: string): Refusal =>
  new Refusal("failed", t("{0} could not be read, so it was not changed.", quotePath(path)), { path });

/** The review contains the texts of files, so it is converted in slices. */
async function jsonOf(value: unknown): Promise<string> {
  return (await inSlices(jsonWork(value), defaultSlices, () => true))?.value ?? "";
}

/** The folder with its links resolved, as the paths of changes are. */
const resolved = (folder: string): Promise<string> => realpath(folder).catch(() => folder);
