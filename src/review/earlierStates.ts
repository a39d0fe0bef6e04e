// The exact states of files before the agent's first change that waits for review, so that Undo brings back bytes,
// modes and links, and not only texts. Finds changes that no text shows.
import { SequencerByKey } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Log } from "../base/log.ts";
import { isSameState, missingFolders, plainState, readFileState, type FileState } from "../files/fileState.ts";
import { isPlainFolder } from "../files/standing.ts";
import type { EarlierFileStates } from "./reviewDecision.ts";

/** The texts of files in their encodings. */
export interface FileTexts {
  /**
   * The normalized text of the bytes of a file. Undefined: they are no text. Without an encoding, as the editor shows or
   * would show it.
   */
  readonly textOf: (bytes: Uint8Array, path: string, encoding?: string) => Promise<string | undefined>;
  /** The encoding of the file's document. Undefined: the file is not open. */
  readonly encodingOf: (path: string) => string | undefined;
  /** The state of a file with another text, in its encoding and with its line endings. Undefined: it is no text. */
  readonly withText: (path: string, state: FileState, text: string) => Promise<FileState | undefined>;
}

export interface EarlierStatesOptions {
  /** The state of a file when the turn began. Undefined: unknown. */
  readonly stateAt: (turn: string, path: string) => Promise<FileState | undefined>;
  readonly texts: FileTexts;
  readonly awaitsReview: (path: string) => boolean;
  /** Whether a file that waits for review was at this path before an agent moved it. */
  readonly isOrigin: (path: string) => boolean;
  /** The folders above a path that appeared in the turn, which began at that time, outermost first. */
  readonly newFolders: (turn: string, path: string, began: number) => Promise<readonly string[]>;
  /** The state of a file that the agent changes for the first time in a turn, at the start of the turn. */
  readonly stateBefore?: (turn: string, path: string, state: FileState) => void;
  /** The agent left a file that is no text in this state. */
  readonly stateWritten?: (path: string, state: FileState, turn: string) => void;
  /** The agent changed the file, but not its text. */
  readonly changedState: (change: StateChange) => void;
  readonly log: Log;
}

/** A change of a file that no text contains. */
export interface StateChange {
  readonly path: string;
  readonly turn: string;
  readonly before: FileState;
  readonly after: FileState;
  /** The text on both sides. Undefined: the file is no text. */
  readonly text: string | undefined;
}

/** A state, with its text: null if there is no file, undefined if it is no text. */
interface KnownState {
  /** Absent: the text determines it. */
  readonly state?: FileState;
  readonly text: string | null | undefined;
}

/** A text under review, and the encoding of its document when it was read. */
interface DecodedText {
  /** Null if there was no file, undefined if it was no text. */
  readonly before: string | null | undefined;
  readonly encoding: string | undefined;
}

/** The states as they are stored for the next window. */
export type StoredStates = Readonly<Record<string, StoredState>>;

interface StoredState {
  readonly text?: string | null;
  readonly state?: StoredFileState;
}

type StoredFileState =
  | { readonly kind: "missing"; readonly newFolders?: readonly string[] }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly base64: string; readonly executable: boolean };

/** The clock of a file system's timestamps may be this far behind (ms). */
const clockTick = 20;

/** The most bytes of states that are stored for the next window. The largest are left out. */
const maxStoredBytes = 16 * 1024 * 1024;

export class EarlierStates implements EarlierFileStates, Disposable {
  readonly #options: EarlierStatesOptions;
  readonly #states = new Map<string, KnownState>();
  /** The states of files that an agent moved away, whose paths have other files now. */
  readonly #movedStates = new Map<string, KnownState>();
  /** The states before writes through Parley in this turn. */
  readonly #captured = new Map<string, FileState>();
  /** The states that the user saved in this turn. */
  readonly #saved = new Map<string, FileState>();
  readonly #pending = new Set<Promise<void>>();
  readonly #files = new SequencerByKey<string>();
  /** The files whose check has not begun since they were written, with the turn. */
  readonly #unchecked = new Map<string, string>();
  readonly #changed = new Emitter<void>();
  readonly onDidChange: Event<void> = this.#changed.event;
  #began = 0;

  constructor(options: EarlierStatesOptions) {
    this.#options = options;
  }

  /** A turn begins at that time (ms since the epoch). */
  turnBegan(at: number): void {
    // The clock of a file system can be behind.
    this.#began = at - clockTick;
    this.#captured.clear();
    this.#saved.clear();
  }

  /** The user saved a file in the editor. */
  saved(path: string): void {
    this.#track(path, async () => {
      const state = await readFileState(path);
      if (state) this.#saved.set(path, state);
    });
  }

  /** The agent is about to write a file through Parley. Never rejects. */
  async beforeWrite(path: string): Promise<void> {
    if (this.#captured.has(path)) return;
    await this.#do(path, async () => {
      const state = await readFileState(path);
      if (!state) return;
      this.#captured.set(path, state.kind === "missing" ? { ...state, newFolders: await missingFolders(path) } : state);
    });
  }

  /**
   * The file is about to be changed outside of a turn. A file that waits for review keeps its state before the first change.
   * Never rejects.
   */
  async keepBefore(path: string): Promise<void> {
    if (this.#options.awaitsReview(path)) return;
    await this.#do(path, async () => {
      const found = await readFileState(path);
      if (!found) return;
      const state = found.kind === "missing" ? { ...found, newFolders: await missingFolders(path) } : found;
      const known = await this.#known("", path, state, { before: undefined, encoding: undefined });
      this.#replaceState(path);
      this.#states.set(path, known);
    });
  }

  /** The agent changes a file for the first time in a turn. */
  touched(turn: string, path: string, before: string | null | undefined): void {
    // A file that waits for review keeps its state before the first change.
    const isFirst = !this.#options.awaitsReview(path);
    if (isFirst) this.#replaceState(path);
    const captured = this.#captured.get(path);
    const encoding = this.#options.texts.encodingOf(path);
    this.#track(path, async () => {
      const [state, known] = (await this.#stateBefore(turn, path, captured, { before, encoding })) ?? [];
      if (!state || !known) return;
      if (isFirst) this.#states.set(path, known);
      this.#options.stateBefore?.(turn, path, known.state ?? state);
    });
  }

  #replaceState(path: string): void {
    const known = this.#states.get(path);
    this.#states.delete(path);
    if (known && this.#options.isOrigin(path)) this.#movedStates.set(path, known);
    else this.#movedStates.delete(path);
  }

  /**
   * The state with the text before: that of the start of the turn, because the agent can have changed line endings or
   * the mode since, or what the user saved since, or what was captured. Otherwise any of them.
   */
  async #stateBefore(
    turn: string,
    path: string,
    captured: FileState | undefined,
    decoded: DecodedText,
  ): Promise<readonly [FileState, KnownState] | undefined> {
    const { before } = decoded;
    const state = await this.#options.stateAt(turn, path);
    const start = state && ([state, await this.#known(turn, path, state, decoded)] as const);
    if (start && (before === undefined || start[1].text === before)) return start;
    // VS Code reports a save after the file has changed on disk, so the last report can be of an earlier save.
    for (const saved of [this.#saved.get(path), await readFileState(path)]) {
      if (saved?.kind !== "file" || state?.kind !== "file") continue;
      const own = { ...saved, executable: state.executable };
      const known = await this.#known(turn, path, own, decoded);
      if (known.text === before) return [own, known];
    }
    const own = captured && ([captured, await this.#known(turn, path, captured, decoded)] as const);
    return own && (own[1].text === before || !start) ? own : (start ?? own);
  }

  /** The agent has written a file. Reports what changed if that is not the text. */
  written(turn: string, path: string): void {
    // A check that has not begun sees this write, too. Commands can cause thousands of reports.
    const isWaiting = this.#unchecked.has(path);
    this.#unchecked.set(path, turn);
    if (isWaiting) return;
    this.#track(path, async () => {
      const turn = this.#unchecked.get(path) ?? "";
      this.#unchecked.delete(path);
      const before = this.#stateOf(path);
      const after = await fileAt(path);
      if (after && (await this.#isNoText(path, after))) this.#options.stateWritten?.(path, after, turn);
      if (!before || this.#options.awaitsReview(path)) return;
      if (!after || isSameState(before, after) || this.#options.awaitsReview(path)) return;
      const same = await this.#withTextOf(path, before, after);
      if (!same) return;
      const now = await fileAt(path);
      // A decision can have brought the file back meanwhile.
      if (!now || !isSameState(now, after)) return this.written(turn, path);
      if (!this.#options.awaitsReview(path)) this.#options.changedState({ path, turn, after, ...same });
    });
  }

  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  has(path: string): boolean {
    return this.#states.has(path);
  }

  wasMissing(path: string): boolean {
    return this.#stateOf(path)?.kind === "missing";
  }

  async stateFor(path: string, text: string | null | undefined): Promise<FileState | undefined> {
    const known = this.#states.get(path);
    const state = this.#stateOf(path);
    if (!known || !state || text === undefined || known.text === text) return state;
    return typeof text === "string" ? this.#options.texts.withText(path, state, text) : undefined;
  }

  async isChanged(path: string, text: string | null): Promise<boolean> {
    const state = await this.stateFor(path, text);
    if (!state) return false;
    const now = await readFileState(path);
    return now !== undefined && !isSameState(state, now);
  }

  /** The user moved the file. */
  moved(from: string, to: string): void {
    const known = this.#states.get(from);
    this.#states.delete(from);
    if (known) this.#states.set(to, known);
  }

  movedIsGone(path: string): void {
    this.#track(path, () => {
      const known = this.#movedStates.get(path);
      if (known) this.#states.set(path, known);
      this.#movedStates.delete(path);
      return Promise.resolve();
    });
  }

  /** The states of these files, as plain JSON. */
  stored(paths: readonly string[]): StoredStates {
    const known = paths.flatMap(path => ({ path, known: this.#states.get(path) }));
    let bytes = 0;
    const rows = known
      .flatMap(({ path, known }) => (known ? [{ path, known, size: sizeOf(known) }] : []))
      .sort((a, b) => a.size - b.size)
      .filter(({ size }) => (bytes += size) <= maxStoredBytes)
      .map(({ path, known: { state, text } }): [string, StoredState] => [
        path,
        // The text of a file without a state of its own is that of its base.
        { ...(state ? { state: toStored(state) } : {}), ...(text !== undefined && { text }) },
      ]);
    return Object.fromEntries(rows);
  }

  /** Takes in stored states. Those of the named files replace the present ones. */
  restore(stored: StoredStates, replaced: readonly string[] = []): void {
    for (const path of replaced) this.#states.delete(path);
    for (const [path, { state, text }] of Object.entries(stored)) {
      if (!this.#states.has(path)) this.#states.set(path, { text, ...(state && { state: fromStored(state) }) });
    }
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #stateOf(path: string): FileState | undefined {
    const known = this.#states.get(path);
    return known && (known.state ?? (known.text === undefined ? undefined : plainState(known.text)));
  }

  async #known(turn: string, path: string, state: FileState, decoded: DecodedText): Promise<KnownState> {
    if (state.kind === "link") return { state, text: undefined };
    if (state.kind === "missing") {
      const newFolders = state.newFolders ?? (await this.#options.newFolders(turn, path, this.#began));
      return newFolders.length > 0 ? { state: { ...state, newFolders }, text: null } : { text: null };
    }
    const text = await this.#textOf(state.bytes, path, decoded);
    return text !== undefined && isSameState(state, plainState(text)) ? { text } : { state, text };
  }

  /** The user can reopen the document in another encoding before the bytes are read. The review keeps the text before. */
  async #textOf(bytes: Uint8Array, path: string, { before, encoding }: DecodedText): Promise<string | undefined> {
    const text = await this.#options.texts.textOf(bytes, path);
    if (typeof before !== "string" || text === before || encoding === undefined) return text;
    return (await this.#options.texts.textOf(bytes, path, encoding)) === before ? before : text;
  }

  async #isNoText(path: string, state: FileState): Promise<boolean> {
    if (state.kind === "file") return (await this.#options.texts.textOf(state.bytes, path)) === undefined;
    return state.kind === "link";
  }

  /**
   * The state before with the text that the file has now. Undefined if the agent can have changed the text. The user can have
   * changed it too, and then only another mode is a change of the agent.
   */
  async #withTextOf(
    path: string,
    before: FileState,
    now: FileState,
  ): Promise<Pick<StateChange, "before" | "text"> | undefined> {
    const known = this.#states.get(path)?.text;
    // What is no text has no other change to show.
    if (known === undefined || now.kind === "link") return { before, text: undefined };
    if (now.kind !== "file") return undefined;
    const text = await this.#options.texts.textOf(now.bytes, path);
    if (text === known) return { before, text };
    const saved = this.#saved.get(path);
    const isUsers = saved?.kind === "file" && Buffer.compare(saved.bytes, now.bytes) === 0;
    if (!isUsers || before.kind !== "file" || before.executable === now.executable) return undefined;
    return { before: { ...now, executable: before.executable }, text };
  }

  /** Does the work when all earlier work on the file is done. */
  #track(path: string, work: () => Promise<void>): void {
    const pending = this.#files
      .queue(path, () => this.#do(path, work))
      .finally(() => {
        this.#pending.delete(pending);
        this.#changed.fire();
      });
    this.#pending.add(pending);
  }

  async #do(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      this.#options.log.warn(`The earlier state of ${path} could not be read.`, asError(thrown).message);
    }
  }
}

/** The state of a path. No file is where a folder is. */
const fileAt = async (path: string): Promise<FileState | undefined> =>
  (await readFileState(path)) ?? ((await isPlainFolder(path)) ? plainState(null) : undefined);

const sizeOf = ({ state, text }: KnownState): number =>
  (state?.kind === "file" ? state.bytes.length : 0) + (text?.length ?? 0);

const toStored = (state: FileState): StoredFileState =>
  state.kind === "file"
    ? { kind: "file", base64: Buffer.from(state.bytes).toString("base64"), executable: state.executable }
    : state;

const fromStored = (state: StoredFileState): FileState =>
  state.kind === "file"
    ? { kind: "file", bytes: Buffer.from(state.base64, "base64"), executable: state.executable }
    : state;
