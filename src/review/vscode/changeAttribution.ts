// Attributes changes of files to the agent (through Parley or on disk), the user, or others, finds the text before the
// agent's first change, and reports both to the review. VS Code does not report authors, so they are derived here.
import { sep } from "node:path";
import * as vscode from "vscode";
import { SequencerByKey } from "../../base/async.ts";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { SessionEvent } from "../../session/events.ts";
import { isBusy, type SessionState } from "../../session/state.ts";
import { endsToolCall } from "../../session/toolCalls.ts";
import { withLineFeeds, normalizeText } from "../../base/text.ts";
import type { RangeEdit } from "../fileChanges.ts";
import { nodePaths } from "../../files/nodePaths.ts";
import { Confinement, type LocatedPath } from "../../files/paths.ts";
import type { WindowReview } from "../windowReview.ts";
import { TurnReports } from "../turnReports.ts";
import { changeTime, diskText, isFile } from "../../editor/diskText.ts";
import { waitForReload, maxReloadWait, currentTextOf, openDocumentOf, openTextOf } from "../../editor/openDocuments.ts";
import { ChangedFiles } from "../../files/vscode/changedFiles.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";

/** Notified of a turn's first change of a file, with the text before (undefined: not known), and of the agent's text. */
export interface TouchListener {
  touched(file: { readonly turn: string; readonly path: string; readonly before: string | null | undefined }): void;
  written(path: string, after: string | null): void;
}

export interface ChangeAttributionOptions {
  readonly review: WindowReview;
  readonly fileEvents: FileEvents;
  readonly roots: () => readonly string[];
  readonly touches: TouchListener;
  /** A file's text when the turn began; undefined if it is not known. */
  readonly textAt: (turn: string, path: string) => Promise<string | null | undefined>;
  readonly log: Log;
}

/** A change of an open document, as it is when VS Code reports it. */
interface DocumentChange {
  readonly document: vscode.TextDocument;
  readonly version: number;
  readonly text: string;
  readonly clean: boolean;
  readonly reason: vscode.TextDocumentChangeReason | undefined;
  readonly edits: readonly RangeEdit[];
}

/** A write of the agent through Parley that is in progress. */
interface PendingWrite {
  readonly expected: string;
  /** Whether the editor has had the expected text. */
  hasReachedEditor: boolean;
  readonly before: string | null;
}

/** Changes of a turn may be reported this long after its end. Milliseconds. */
const maxReportDelay = 5000;

/** The clock of a file system's timestamps may be this far behind. Milliseconds. */
const clockTick = 20;

/** The longest time between the announcement of a move and the report that it is done. Milliseconds. */
const maxMoveTime = 10_000;

export class ChangeAttribution implements Disposable {
  readonly #options: ChangeAttributionOptions;
  readonly #store = new DisposableStore();
  readonly #changedFiles: ChangedFiles;
  #confinement: Confinement;
  readonly #located = new Map<string, Promise<LocatedPath | undefined>>();
  readonly #files = new SequencerByKey<string>();
  /** The last text seen of files that are not followed, while a turn runs. */
  readonly #lastTexts = new Map<string, string | null>();
  readonly #writing = new Map<string, PendingWrite>();
  /** Texts that the agent wrote to disk while the document has unsaved changes of the user. */
  readonly #diskUnderUnsaved = new Map<string, string | null>();
  /** The version at which VS Code reported that a document became dirty. */
  readonly #dirtied = new WeakMap<vscode.TextDocument, number>();
  readonly #touched = new Set<string>();
  /** Files that the editor is being made to reload. */
  readonly #reading = new Set<string>();
  /** Files and folders that the user is moving, and since when. */
  readonly #moving = new Map<string, number>();
  #reports = new TurnReports();
  #turn = "";
  #busy = false;
  #began = 0;
  #ended = 0;

  constructor(options: ChangeAttributionOptions) {
    this.#options = options;
    this.#confinement = new Confinement(nodePaths(), options.roots());
    const { workspace } = vscode;
    this.#store.add(workspace.onDidChangeTextDocument(event => this.#documentChanged(event)));
    this.#store.add(workspace.onDidOpenTextDocument(document => this.#opened(document)));
    // The change on disk may be reported before the move.
    this.#store.add(
      workspace.onWillRenameFiles(({ files }) => files.forEach(one => this.#moving.set(one.oldUri.fsPath, Date.now()))),
    );
    this.#store.add(workspace.onDidRenameFiles(({ files }) => files.forEach(one => this.#renamed(one))));
    this.#store.add(workspace.onDidDeleteFiles(({ files }) => files.forEach(uri => this.#removed(uri))));
    this.#store.add(workspace.onDidChangeWorkspaceFolders(() => this.#newRoots()));
    this.#changedFiles = this.#store.add(
      new ChangedFiles({
        fileEvents: options.fileEvents,
        roots: options.roots,
        isWanted: path => this.#busy || this.#isWithinReportDelay() || this.#isFollowed(path),
        isFollowed: path => this.#isFollowed(path) || this.#reports.isNamed(path) || this.#lastTexts.has(path),
        onChanged: path => {
          // When a folder is deleted, only the folder is reported.
          for (const one of new Set([path, ...this.#beneathOrAt(path)])) {
            void this.#enqueue(one, located => this.#diskChanged(located));
          }
        },
        onCommitted: (path, text) =>
          void this.#enqueue(path, async located => options.review.committed(located.path, text)),
        trackedPaths: () => options.review.files.map(file => file.path),
        log: options.log,
      }),
    );
  }

  /** The current or latest turn. */
  get turn(): string {
    return this.#turn;
  }

  /** A turn is about to begin: the current texts of open files are the texts before it. */
  turnBegan(turn: string, title: string): void {
    this.#turn = turn;
    this.#touched.clear();
    this.#lastTexts.clear();
    this.#reports = new TurnReports();
    this.#changedFiles.turnStarted();
    this.#options.review.turnBegan(turn, title);
    this.#began = Date.now();
    this.#busy = true;
    for (const document of vscode.workspace.textDocuments) this.#opened(document);
    for (const { path } of this.#options.review.files) void this.#enqueue(path, located => this.#syncWithDisk(located));
  }

  /**
   * The session's state changed. The turn lasts from {@link turnBegan}, when its prompt still waits, until the agent is
   * idle. When it ends, the files that its tool calls named are checked once more.
   */
  stateChanged(state: SessionState): void {
    const busy = isBusy(state) || state.pendingPrompts.some(({ id }) => id === this.#turn);
    if (!busy) return this.turnEnded();
    if (!this.#busy) this.#began = Date.now();
    this.#busy = true;
  }

  /** The turn or its session has ended. Changes made until now may still be reported for a while. */
  turnEnded(): void {
    if (!this.#busy) return;
    this.#busy = false;
    this.#ended = Date.now();
    this.#changedFiles.turnEnded();
    for (const path of this.#reports.paths()) void this.#enqueue(path, located => this.#diskChanged(located));
  }

  /** Takes in an event of the agent: reads files when they are first named, and checks them when a call ends. */
  observe(event: SessionEvent, after: SessionState): void {
    const namedPaths = this.#reports.observe(event, after);
    for (const path of namedPaths) {
      void this.#enqueue(path, async located => {
        this.#reports.setResolvedPath(path, located.path);
        await this.#snapshot(located);
      });
    }
    if (!endsToolCall(event)) return;
    for (const path of this.#reports.pathsOfCall(event))
      void this.#enqueue(path, located => this.#diskChanged(located));
  }

  /** The agent asks for permission to use these files: their current texts are the texts before. */
  snapshotFiles(paths: readonly string[]): void {
    for (const path of paths) void this.#enqueue(path, located => this.#snapshot(located));
  }

  /** Runs an agent's write through Parley, and attributes its changes. */
  async aroundWrite<T>(path: string, content: string, run: () => Promise<T>): Promise<T> {
    const located = await this.#locate(path);
    if (!located?.inside) return run();
    const { review } = this.#options;
    // After everything that was reported before.
    await this.#enqueue(path, async one => (review.isTracked(one.path) ? this.#diskChanged(one) : undefined));
    // A file that cannot be read is not followed. If the write fails too, its error tells the agent why.
    const before = await currentTextOf(located.path).catch((thrown: unknown) => {
      this.#options.log.warn(`${located.path} could not be read before a write.`, asError(thrown).message);
      return undefined;
    });
    if (before === undefined) return run();
    // Some agents write to disk first and send the request afterwards: the text known before counts.
    const known = this.#known(located.path);
    const { touches } = this.#options;
    if (!this.#touched.has(located.path)) {
      this.#touched.add(located.path);
      touches.touched({ turn: this.#turn, path: located.path, before: known === undefined ? before : known });
    }
    if (known === undefined && !review.isTracked(located.path)) this.#lastTexts.set(located.path, before);
    this.#writing.set(located.path, { expected: normalizeText(content), before, hasReachedEditor: false });
    try {
      return await run();
    } finally {
      await this.#enqueue(path, async () => {
        this.#writing.delete(located.path);
        const after = await currentTextOf(located.path);
        if (after !== undefined) touches.written(located.path, after);
        const last = this.#known(located.path);
        if (after !== undefined && after !== (last === undefined ? before : last))
          await this.#attributeToAgent(located.path, after);
      });
    }
  }

  /** Resolves when everything reported so far is processed. */
  async settled(): Promise<void> {
    await Promise.all(this.#located.values());
    await this.#files.whenIdle();
  }

  dispose(): void {
    this.#store.dispose();
  }

  #newRoots(): void {
    this.#confinement = new Confinement(nodePaths(), this.#options.roots());
    this.#located.clear();
  }

  /** Whether the turn has ended so recently that its changes may still be reported. */
  #isWithinReportDelay(): boolean {
    return Date.now() - this.#ended < maxReportDelay;
  }

  #opened(document: vscode.TextDocument): void {
    if (!this.#busy || document.uri.scheme !== "file") return;
    const text = withLineFeeds(document.getText());
    const clean = !document.isDirty;
    void this.#enqueue(document.uri.fsPath, async ({ path }) => {
      if (this.#lastTexts.has(path) || this.#options.review.isTracked(path)) return;
      const before = clean ? await this.#beforeTurn(path, text) : text;
      this.#rememberText(path, before);
    });
  }

  /** A saved document's text when the turn began. The editor may not have loaded earlier changes by others yet. */
  async #beforeTurn(path: string, opened: string): Promise<string | null> {
    const isOlder = (time: number | undefined): boolean => time !== undefined && time < this.#began - clockTick;
    const time = await changeTime(path);
    // The editor keeps the text of a deleted file.
    if (time === undefined) return null;
    const disk = isOlder(time) ? await diskText(path) : undefined;
    return typeof disk === "string" && isOlder(await changeTime(path)) ? disk : opened;
  }

  /** Changes made before the turn, even if noticed later, are not attributed to the agent. */
  async #syncWithDisk({ path }: LocatedPath): Promise<void> {
    const text = await currentTextOf(path);
    if (text !== undefined) this.#options.review.replaced(path, text);
  }

  /** The agent names the file: its current text is the text before, unless the agent has already changed it. */
  async #snapshot({ path }: LocatedPath): Promise<void> {
    const { review } = this.#options;
    if (review.textOf(path) !== undefined) return this.#diskChanged({ path });
    const text = await currentTextOf(path);
    if (text === undefined) return;
    if (this.#reports.containsReportedEdit(path, text) && (await this.#isAgentChange(path)))
      return this.#attributeToAgent(path, text);
    if (!this.#lastTexts.has(path) && !review.isTracked(path)) this.#lastTexts.set(path, text);
  }

  #renamed({ oldUri, newUri }: { readonly oldUri: vscode.Uri; readonly newUri: vscode.Uri }): void {
    void this.#enqueue(oldUri.fsPath, async ({ path: from }) => {
      const to = await this.#locate(newUri.fsPath);
      this.#moving.delete(oldUri.fsPath);
      if (!to?.inside) return;
      for (const path of this.#beneathOrAt(from)) this.#options.review.moved(path, to.path + path.slice(from.length));
    });
  }

  #removed(uri: vscode.Uri): void {
    void this.#enqueue(uri.fsPath, async ({ path }) => {
      if (this.#options.review.acceptOwnChange(path, null)) return;
      this.#lastTexts.set(path, null);
      for (const one of this.#beneathOrAt(path)) this.#options.review.replaced(one, null);
    });
  }

  #isFollowed(path: string): boolean {
    return this.#options.review.isTracked(path) || this.#beneathOrAt(path).length > 0;
  }

  /** The files under review at the path, or in the folder at the path. */
  #beneathOrAt(path: string): readonly string[] {
    const all = this.#options.review.files.map(file => file.path);
    return all.filter(one => one === path || one.startsWith(`${path}${sep}`));
  }

  #documentChanged({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    if (document.uri.scheme !== "file") return;
    if (contentChanges.length === 0) {
      if (document.isDirty) this.#dirtied.set(document, document.version);
      return;
    }
    if (
      !this.#busy &&
      !this.#isWithinReportDelay() &&
      this.#options.review.files.length === 0 &&
      !this.#hasTracked(document)
    )
      return;
    const seen: DocumentChange = {
      document,
      version: document.version,
      text: withLineFeeds(document.getText()),
      clean: !document.isDirty,
      reason,
      edits: contentChanges.map(({ range: { start, end }, text }) => ({ start, end, text: withLineFeeds(text) })),
    };
    void this.#enqueue(document.uri.fsPath, located => this.#attributeChange(located, seen));
  }

  #hasTracked(document: vscode.TextDocument): boolean {
    return this.#options.review.isTracked(document.uri.fsPath);
  }

  async #attributeChange({ path }: LocatedPath, seen: DocumentChange): Promise<void> {
    const { review } = this.#options;
    const { text } = seen;
    if (review.acceptOwnChange(path, text)) return;
    const writing = this.#writing.get(path);
    if (writing) {
      // Changes by formatters on save are attributed to the agent.
      writing.hasReachedEditor ||= text === writing.expected;
      // The editor loads the text from before the write only now.
      if (!writing.hasReachedEditor && text === this.#known(path)) return;
      if (writing.hasReachedEditor || text === writing.before) return this.#attributeToAgent(path, text);
    }
    if (seen.clean && (await this.#isReload(path, seen))) {
      if (this.#diskUnderUnsaved.get(path) === text || (await this.#isAgentChange(path)))
        return this.#attributeToAgent(path, text);
      this.#rememberText(path, text);
      return review.replaced(path, text);
    }
    this.#rememberText(path, text);
    if (seen.reason !== undefined) return review.editorUndoRedo(path, text);
    review.userChanged(path, seen.edits, text);
  }

  /** Remembers the latest text of a file that is not tracked. */
  #rememberText(path: string, text: string | null): void {
    if (this.#busy && !this.#options.review.isTracked(path)) this.#lastTexts.set(path, text);
  }

  /** Whether VS Code reloaded the document. It reports the user's first change as one of a saved document, too. */
  async #isReload(path: string, { document, version, text }: DocumentChange): Promise<boolean> {
    const disk = await diskText(path);
    return this.#dirtied.get(document) !== version && disk === text;
  }

  async #diskChanged({ path }: Pick<LocatedPath, "path">): Promise<void> {
    const { review } = this.#options;
    if (this.#writing.has(path)) return;
    const disk = await diskText(path);
    if (review.acceptOwnChange(path, disk ?? null) || (disk === null && this.#isMoving(path))) return;
    const open = openTextOf(path);
    if (open?.dirty) {
      if (disk !== open.text && disk !== undefined && (await this.#isAgentChange(path)))
        this.#diskUnderUnsaved.set(path, disk);
      return;
    }
    // The editor reloads the document, and reports that.
    if (open && typeof disk === "string" && open.text !== disk) return this.#requestReload(path);
    if (disk === undefined) return this.#attributeBinary(path);
    if (disk === this.#known(path)) return;
    const isAgents = await this.#isAgentChange(path);
    // A write has begun meanwhile: this is the text before it.
    if (this.#writing.has(path)) return;
    if (isAgents) return this.#attributeToAgent(path, disk);
    this.#rememberText(path, disk);
    review.replaced(path, disk);
  }

  #isMoving(path: string): boolean {
    for (const [moving, since] of this.#moving) {
      if (Date.now() - since > maxMoveTime) this.#moving.delete(moving);
      else if (path === moving || path.startsWith(`${moving}${sep}`)) return true;
    }
    return false;
  }

  /** Makes the editor load the text on disk. */
  #requestReload(path: string): void {
    const open = openDocumentOf(path);
    if (!open || this.#reading.has(path)) return;
    const isCurrent = async (one: vscode.TextDocument): Promise<boolean> =>
      one.isDirty || withLineFeeds(one.getText()) === (await diskText(path));
    this.#reading.add(path);
    waitForReload(open, isCurrent, maxReloadWait)
      .catch((thrown: unknown) => this.#options.log.warn(`${path} could not be reloaded.`, asError(thrown).message))
      .finally(() => this.#reading.delete(path));
  }

  /** A file that is binary, or too large to be read as text. */
  async #attributeBinary(path: string): Promise<void> {
    if (this.#options.review.isTracked(path) || !(await isFile(path)) || !(await this.#isAgentChange(path))) return;
    const why = vscode.l10n.t("Changed by the agent. The file is binary or too large, so its changes cannot be shown.");
    this.#options.review.agentChangedWithoutBase(path, null, this.#turn, why);
  }

  /** Whether a change on disk counts as the agent's, because it was made during the turn. */
  async #isAgentChange(path: string): Promise<boolean> {
    if (!this.#busy && !this.#isWithinReportDelay()) return false;
    const time = await changeTime(path);
    if (time === undefined) return this.#busy || this.#reports.isNamed(path);
    return time >= this.#began - clockTick && (this.#busy || time <= this.#ended + clockTick);
  }

  /** Attributes the file's new text to the agent. */
  async #attributeToAgent(path: string, after: string | null): Promise<void> {
    const { review, touches } = this.#options;
    const tracked = review.textOf(path);
    const base = tracked === undefined ? await this.#base(path, after) : tracked;
    if (!this.#touched.has(path)) {
      this.#touched.add(path);
      touches.touched({ turn: this.#turn, path, before: base });
    }
    if (base === undefined) {
      const why = vscode.l10n.t("Changed by a command. There is no earlier text to compare with.");
      review.agentChangedWithoutBase(path, after, this.#turn, why);
    } else review.agentChanged(path, base, after, this.#turn);
    this.#lastTexts.delete(path);
    this.#diskUnderUnsaved.delete(path);
    touches.written(path, after);
  }

  /** The text before the agent's first edit; undefined if it is not certain. */
  async #base(path: string, after: string | null): Promise<string | null | undefined> {
    const seen = this.#lastTexts.get(path);
    if (seen !== undefined && seen !== after && !this.#reports.containsReportedEdit(path, seen)) return seen;
    const reversed = this.#reports.before(path, after);
    if (reversed !== undefined) return reversed;
    return this.#options.textAt(this.#turn, path);
  }

  #known(path: string): string | null | undefined {
    const tracked = this.#options.review.textOf(path);
    return tracked === undefined ? this.#lastTexts.get(path) : tracked;
  }

  /** Does the work when all earlier work on the file is done. */
  async #enqueue(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    const located = await this.#locate(path);
    if (!located?.inside || this.#store.isDisposed) return;
    const key = located.path;
    await this.#files
      .queue(key, () => work(located))
      .catch((thrown: unknown) => {
        this.#options.log.error(`The changes in ${key} could not be attributed.`, asError(thrown).stack);
      });
  }

  /** Resolves the path. Cached, so that reports about a file stay in order. */
  #locate(path: string): Promise<LocatedPath | undefined> {
    const known = this.#located.get(path);
    if (known) return known;
    const located = this.#confinement.locate(path).catch(() => {
      // The path is not absolute, or files are being created and deleted there.
      this.#located.delete(path);
      return undefined;
    });
    this.#located.set(path, located);
    if (this.#located.size > 10_000) this.#located.clear();
    return located;
  }
}
