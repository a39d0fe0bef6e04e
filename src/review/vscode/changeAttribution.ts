// Attributes changes of files to the agent (through Parley or on disk), the user, or others, finds the text before the
// agent's first change, and reports both to the review. VS Code does not report authors, so they are derived here.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { DisposableStore, type Disposable } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { SessionEvent } from "../../session/events.ts";
import { isBusy, type SessionState } from "../../session/state.ts";
import { endsToolCall } from "../../session/toolCalls.ts";
import { withLineFeeds, normalizeText } from "../../base/text.ts";
import type { LocatedPath } from "../../files/paths.ts";
import type { WindowReview } from "../windowReview.ts";
import type { ChangedStates, TouchListener } from "../changeListeners.ts";
import { TurnReports } from "../turns/turnReports.ts";
import type { FileDifference, TurnStart } from "../turns/turnStart.ts";
import { TurnTimes } from "../turns/turnTimes.ts";
import { isAtOrBelow, UserMoves } from "../turns/userMoves.ts";
import { DocumentChanges, type DocumentChange } from "./documentChanges.ts";
import { DocumentReloads } from "./documentReloads.ts";
import { FileWork } from "./fileWork.ts";
import { compareWithStart } from "./turnComparison.ts";
import { changeTime, diskText, folderChangeTime, isFile } from "../../editor/diskText.ts";
import { currentTextOf, openTextOf } from "../../editor/openDocuments.ts";
import { ChangedFiles } from "../../files/vscode/changedFiles.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";

export interface ChangeAttributionOptions {
  readonly review: WindowReview;
  readonly fileEvents: FileEvents;
  readonly roots: () => readonly string[];
  readonly touches: TouchListener;
  /** Keeps the exact states of files. */
  readonly states?: ChangedStates;
  /** What is known of the files when the turn began. */
  readonly start: (turn: string) => Promise<TurnStart>;
  readonly log: Log;
}

/** A write of the agent through Parley that is in progress. */
interface PendingWrite {
  readonly expected: string;
  /** Whether the editor has had the expected text. */
  hasReachedEditor: boolean;
  readonly before: string | null;
}

/** A turn waits this long until the one before is compared with its start. Milliseconds. */
const maxComparisonWait = 1500;

export class ChangeAttribution implements Disposable {
  readonly #options: ChangeAttributionOptions;
  readonly #store = new DisposableStore();
  readonly #changedFiles: ChangedFiles;
  readonly #documentChanges: DocumentChanges;
  readonly #work: FileWork;
  readonly #times = new TurnTimes();
  readonly #userMoves = new UserMoves();
  /** The last text seen of files that are not followed, while a turn runs. */
  readonly #lastTexts = new Map<string, string | null>();
  readonly #writing = new Map<string, PendingWrite>();
  /** Texts that the agent wrote to disk while the document has unsaved changes of the user. */
  readonly #diskUnderUnsaved = new Map<string, string | null>();
  readonly #touched = new Set<string>();
  /** The differences between the start and the end of the turn. */
  readonly #differences = new Map<string, FileDifference>();
  #comparison: Promise<void> = Promise.resolve();
  readonly #reloads: DocumentReloads;
  #reports = new TurnReports();
  #turn = "";

  constructor(options: ChangeAttributionOptions) {
    this.#options = options;
    this.#reloads = new DocumentReloads(options.log);
    this.#work = new FileWork(options);
    const { workspace } = vscode;
    this.#store.add(workspace.onDidOpenTextDocument(document => this.#opened(document)));
    // The change on disk may be reported before the move.
    this.#store.add(
      workspace.onWillRenameFiles(({ files }) =>
        files.forEach(one => this.#userMoves.begin(one.oldUri.fsPath, Date.now())),
      ),
    );
    this.#store.add(
      workspace.onWillDeleteFiles(({ files }) => files.forEach(one => this.#userMoves.begin(one.fsPath, Date.now()))),
    );
    this.#store.add(workspace.onDidCreateFiles(({ files }) => files.forEach(one => this.#userMoves.end(one.fsPath))));
    this.#store.add(workspace.onDidRenameFiles(({ files }) => files.forEach(one => this.#renamed(one))));
    this.#store.add(workspace.onDidDeleteFiles(({ files }) => files.forEach(uri => this.#removed(uri))));
    this.#store.add(workspace.onDidChangeWorkspaceFolders(() => this.#work.rootsChanged()));
    this.#documentChanges = this.#store.add(
      new DocumentChanges({
        isWanted: path => this.#canBeReported() || options.review.files.length > 0 || options.review.isTracked(path),
        onChange: (path, seen) => void this.#enqueue(path, located => this.#attributeChange(located, seen)),
      }),
    );
    this.#changedFiles = this.#store.add(
      new ChangedFiles({
        fileEvents: options.fileEvents,
        roots: options.roots,
        isWanted: path => this.#canBeReported() || this.#isFollowed(path),
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

  /**
   * A turn is about to begin: the current texts of open files are the texts before it. Resolves when changes by others
   * of the files under review are taken in. Never rejects.
   */
  async turnBegan(turn: string, title: string): Promise<void> {
    this.#turn = turn;
    this.#touched.clear();
    this.#lastTexts.clear();
    this.#differences.clear();
    this.#userMoves.turnBegan();
    this.#reports = new TurnReports();
    this.#changedFiles.turnStarted();
    this.#options.review.turnBegan(turn, title);
    this.#times.begin(Date.now());
    for (const document of vscode.workspace.textDocuments) this.#opened(document);
    const reviewed = this.#options.review.files.map(({ path }) => path);
    await Promise.all(reviewed.map(path => this.#enqueue(path, located => this.#syncWithDisk(located))));
  }

  /**
   * The session's state changed. The turn lasts from {@link turnBegan}, when its prompt still waits, until the agent is
   * idle. When it ends, the files that its tool calls named are checked once more.
   */
  stateChanged(state: SessionState): void {
    const busy = isBusy(state) || state.pendingPrompts.some(({ id }) => id === this.#turn);
    if (!busy) return this.turnEnded();
    if (!this.#times.isBusy) this.#times.begin(Date.now());
  }

  /** The turn or its session has ended. Changes made until now may still be reported for a while. */
  turnEnded(): void {
    if (!this.#times.isBusy) return;
    this.#times.end(Date.now());
    this.#changedFiles.turnEnded();
    const followed = [...this.#reports.paths(), ...this.#options.review.files.map(({ path }) => path)];
    for (const path of followed) this.#work.enqueueOnce("disk", path, located => this.#diskChanged(located));
    const turn = this.#turn;
    this.#comparison = compareWithStart({
      ...this.#options,
      turn,
      isCurrent: () => this.#turn === turn && !this.#store.isDisposed,
      isUsers: path => this.#userMoves.wasDone(path),
      attribute: one => this.#enqueue(one.path, located => this.#differs(located, one)),
    });
  }

  /** Resolves when the last turn is compared with its start, or after a while. */
  async whenCompared(): Promise<void> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), maxComparisonWait);
    const timeout = new Promise<void>(resolve => limit.signal.addEventListener("abort", () => resolve()));
    await Promise.race([this.#comparison, timeout]);
    clearTimeout(timer);
  }

  /** Takes in an event of the agent: reads files when they are first named, and checks them when a call ends. */
  observe(event: SessionEvent, after: SessionState): void {
    const namedPaths = this.#reports.observe(event, after);
    for (const path of namedPaths) {
      this.#work.enqueueOnce("snapshot", path, async located => {
        this.#reports.setResolvedPath(path, located.path);
        await this.#snapshot(located);
      });
    }
    if (!endsToolCall(event)) return;
    for (const path of this.#reports.pathsOfCall(event))
      this.#work.enqueueOnce("disk", path, located => this.#diskChanged(located));
  }

  /** The agent asks for permission to use these files: their current texts are the texts before. */
  snapshotFiles(paths: readonly string[]): void {
    for (const path of paths) void this.#enqueue(path, located => this.#snapshot(located));
  }

  /** Runs an agent's write through Parley, and attributes its changes. */
  async aroundWrite<T>(path: string, content: string, run: () => Promise<T>): Promise<T> {
    const located = await this.#work.locate(path);
    if (!located?.inside) return run();
    const { review } = this.#options;
    // After everything that was reported before.
    await this.#enqueue(path, async one => (review.isTracked(one.path) ? this.#diskChanged(one) : undefined));
    // A file that cannot be read is not followed. If the write fails too, its error tells the agent why.
    const before = await currentTextOf(located.path).catch((thrown: unknown) => {
      this.#options.log.warn(`${located.path} could not be read before a write.`, asError(thrown).message);
      return undefined;
    });
    await this.#options.states?.beforeWrite(located.path);
    if (before === undefined) return run();
    // Some agents write to disk first and send the request afterwards: the text known before counts.
    const known = this.#known(located.path);
    const { touches } = this.#options;
    this.#touch(located.path, known === undefined ? before : known);
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
        // Of unsaved text, VS Code reports every edit, with what the user types at this moment.
        if (openTextOf(located.path)?.dirty) return;
        if (after !== undefined && after !== (last === undefined ? before : last))
          await this.#attributeToAgent(located.path, after);
      });
    }
  }

  /** Resolves when everything reported so far is processed. */
  async settled(): Promise<void> {
    await this.#comparison;
    await this.#work.whenIdle();
  }

  dispose(): void {
    this.#work.end();
    this.#store.dispose();
  }

  /** Whether changes made in the turn can still be reported. */
  #canBeReported(): boolean {
    return this.#times.canBeReported(Date.now());
  }

  async #differs({ path }: LocatedPath, difference: FileDifference): Promise<void> {
    // A link is not the file that it leads to.
    if (path !== difference.path) return this.#linkDiffers(difference.path);
    this.#differences.set(path, difference);
    await this.#diskChanged({ path });
  }

  /** What a link leads to has changed, or it was created. */
  #linkDiffers(path: string): void {
    this.#touch(path, undefined);
    this.#options.states?.written(this.#turn, path);
  }

  #opened(document: vscode.TextDocument): void {
    if (!this.#times.isBusy || document.uri.scheme !== "file") return;
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
    const time = await changeTime(path);
    // The editor keeps the text of a deleted file.
    if (time === undefined) return null;
    const disk = this.#times.isBefore(time) ? await diskText(path) : undefined;
    return typeof disk === "string" && this.#times.isBefore(await changeTime(path)) ? disk : opened;
  }

  /** Changes made before the turn, even if noticed later, are not attributed to the agent. */
  async #syncWithDisk({ path }: LocatedPath): Promise<void> {
    const text = await currentTextOf(path);
    if (text !== undefined) await this.#options.review.replaced(path, text);
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
      const to = await this.#work.locate(newUri.fsPath);
      this.#userMoves.end(oldUri.fsPath);
      this.#userMoves.end(newUri.fsPath);
      if (!to?.inside) return;
      const moved = (path: string): string => to.path + path.slice(from.length);
      for (const path of this.#beneathOrAt(from)) this.#options.review.moved(path, moved(path));
      for (const [path, text] of [...this.#lastTexts]) {
        if (!isAtOrBelow(path, from)) continue;
        this.#lastTexts.set(path, null);
        if (text !== null) this.#lastTexts.set(moved(path), text);
      }
    });
  }

  #removed(uri: vscode.Uri): void {
    this.#userMoves.end(uri.fsPath);
    void this.#enqueue(uri.fsPath, async ({ path }) => {
      if (this.#options.review.acceptOwnChange(path, null)) return;
      for (const one of [path, ...this.#lastTexts.keys()]) if (isAtOrBelow(one, path)) this.#lastTexts.set(one, null);
      for (const one of this.#beneathOrAt(path)) await this.#options.review.replaced(one, null);
    });
  }

  #isFollowed(path: string): boolean {
    return this.#options.review.isTracked(path) || this.#beneathOrAt(path).length > 0;
  }

  /** The tracked files at the path, or in the folder at the path. */
  #beneathOrAt(path: string): readonly string[] {
    return this.#options.review.trackedPaths.filter(one => isAtOrBelow(one, path));
  }

  async #attributeChange({ path }: LocatedPath, seen: DocumentChange): Promise<void> {
    const { review } = this.#options;
    const { text } = seen;
    if (review.acceptOwnChange(path, text)) return;
    const writing = this.#writing.get(path);
    if (writing) {
      // Changes by formatters on save are attributed to the agent.
      // The agent's text may be merged with what the user typed.
      const isAgents = seen.isAgents || text === writing.expected;
      writing.hasReachedEditor ||= isAgents;
      // The editor loads the text from before the write only now.
      if (!writing.hasReachedEditor && text === this.#known(path)) return;
      const isLoaded = seen.clean && text === writing.before;
      if (isAgents || (!seen.isTyped && (writing.hasReachedEditor || isLoaded)))
        return this.#attributeToAgent(path, text);
    }
    if ((await this.#documentChanges.reloadedText(path, seen)) !== undefined) {
      if (this.#diskUnderUnsaved.get(path) === text || (await this.#isAgentChange(path)))
        return this.#attributeToAgent(path, text);
      this.#rememberText(path, text);
      return review.replaced(path, text);
    }
    this.#rememberText(path, text);
    if (seen.reason !== undefined) return review.editorUndoRedo(path, text);
    await review.userChanged(path, seen.edits, text);
  }

  /** Remembers the latest text of a file that is not tracked. */
  #rememberText(path: string, text: string | null): void {
    if (this.#times.isBusy && !this.#options.review.isTracked(path)) this.#lastTexts.set(path, text);
  }

  async #diskChanged({ path }: Pick<LocatedPath, "path">): Promise<void> {
    const { review } = this.#options;
    if (this.#writing.has(path)) return;
    const known = this.#known(path);
    const disk = await diskText(path);
    if (review.acceptOwnChange(path, disk ?? null)) return;
    if (disk === null && (this.#userMoves.includes(path, Date.now()) || review.isMovedAway(path))) return;
    const open = openTextOf(path);
    if (open?.dirty) {
      if (disk !== open.text && disk !== undefined && (await this.#isAgentChange(path)))
        this.#diskUnderUnsaved.set(path, disk);
      return;
    }
    // The editor reloads the document, and reports that.
    if (open && typeof disk === "string" && open.text !== disk) return this.#reloads.request(path);
    if (disk === undefined) return this.#attributeBinary(path);
    if (disk === this.#known(path)) return this.#textUnchanged(path);
    if (disk === null && (await this.#expandMissing(path))) return;
    const isAgents = await this.#isAgentChange(path);
    // A write has begun meanwhile: this is the text before it.
    if (this.#writing.has(path)) return;
    // A decision has been applied meanwhile: this may be the text before it.
    if (this.#known(path) !== known) return this.#diskChanged({ path });
    // So is what has been created or deleted meanwhile.
    if (((await changeTime(path)) === undefined) !== (disk === null)) return this.#diskChanged({ path });
    if (isAgents) return this.#attributeToAgent(path, disk);
    this.#rememberText(path, disk);
    await review.replaced(path, disk);
  }

  /**
   * A path that is not known is missing. If it was a folder, its files are missing. If nothing was there when the turn
   * began, it was temporary. Returns whether the path needs no more attention.
   */
  async #expandMissing(path: string): Promise<boolean> {
    const { review } = this.#options;
    if (this.#known(path) !== undefined || this.#differences.has(path) || !this.#canBeReported()) return false;
    const files = await this.#filesAt(path);
    const isTemporary = files ? files.length === 0 : this.#changedFiles.wasCreated(path);
    if (isTemporary && (await changeTime(path)) === undefined) review.vanished(path);
    const others = files?.filter(one => one !== path) ?? [];
    for (const one of others) void this.#enqueue(one, located => this.#diskChanged(located));
    return isTemporary || others.length > 0;
  }

  /** The disk has the known text. The agent may have changed its line endings, encoding or mode. */
  async #textUnchanged(path: string): Promise<void> {
    if (!this.#options.states || !(await this.#isAgentChange(path))) return;
    this.#touch(path, this.#known(path));
    this.#options.states.written(this.#turn, path);
  }

  /** Notifies of the agent's first change of the file in the turn. */
  #touch(path: string, before: string | null | undefined): void {
    if (this.#touched.has(path)) return;
    this.#touched.add(path);
    this.#options.states?.touched(this.#turn, path, before);
    this.#options.touches.touched({ turn: this.#turn, path, before });
  }

  /** A file that is binary, or too large to be read as text. */
  async #attributeBinary(path: string): Promise<void> {
    if (this.#options.review.isTracked(path) || !(await isFile(path)) || !(await this.#isAgentChange(path))) return;
    const why = vscode.l10n.t("Changed by the agent. The file is binary or too large, so its changes cannot be shown.");
    this.#touch(path, undefined);
    this.#options.review.agentChangedWithoutBase(path, null, this.#turn, why);
    this.#options.states?.written(this.#turn, path);
  }

  /** Whether a change on disk counts as the agent's, because it was made during the turn. */
  async #isAgentChange(path: string): Promise<boolean> {
    if (!this.#canBeReported() && !this.#differences.has(path)) return false;
    // The user moved or deleted it in the editor, and the agent has not changed it since.
    if (this.#known(path) === undefined && this.#userMoves.wasDone(path)) return false;
    const time = await changeTime(path);
    if (time !== undefined) {
      if (!this.#times.isBefore(time)) return this.#times.includes(time);
      // A folder that is moved does not change the times of its files.
      return this.#known(path) === undefined && (await this.#filesAt(path))?.length === 0;
    }
    if (this.#differences.has(path)) return true;
    const latest = await folderChangeTime(path);
    if (latest === undefined || this.#times.isBefore(latest)) return false;
    return this.#times.includes(latest) || this.#reports.isNamed(path);
  }

  /** Attributes the file's new text to the agent. */
  async #attributeToAgent(path: string, after: string | null): Promise<void> {
    const { review, touches } = this.#options;
    const tracked = review.textOf(path);
    const base = tracked === undefined ? await this.#base(path, after) : tracked;
    // The file was moved away meanwhile, by the agent or by a decision.
    if (review.isMovedAway(path) && (await changeTime(path)) === undefined) return;
    this.#touch(path, base);
    if (base === undefined) {
      const why = vscode.l10n.t("Changed by a command. There is no earlier text to compare with.");
      review.agentChangedWithoutBase(path, after, this.#turn, why);
    } else await review.agentChanged(path, base, after, this.#turn);
    this.#lastTexts.delete(path);
    this.#diskUnderUnsaved.delete(path);
    touches.written(path, after);
    this.#options.states?.written(this.#turn, path);
  }

  /** The text before the agent's first edit; undefined if it is not certain. */
  async #base(path: string, after: string | null): Promise<string | null | undefined> {
    const seen = this.#lastTexts.get(path);
    if (seen !== undefined && seen !== after && !this.#reports.containsReportedEdit(path, seen)) return seen;
    const reversed = this.#reports.before(path, after);
    if (reversed !== undefined) return reversed;
    const difference = this.#differences.get(path);
    return difference?.before !== undefined ? difference.before : this.#askStart(path, start => start.textAt(path));
  }

  /** The files at a path when the turn began. Undefined: unknown. */
  #filesAt(path: string): Promise<readonly string[] | undefined> {
    return this.#askStart(path, start => start.filesAt(path));
  }

  async #askStart<T>(path: string, ask: (start: TurnStart) => Promise<T>): Promise<T | undefined> {
    try {
      return await ask(await this.#options.start(this.#turn));
    } catch (thrown) {
      this.#options.log.warn(`The state of ${path} before the turn could not be read.`, asError(thrown).message);
      return undefined;
    }
  }

  #known(path: string): string | null | undefined {
    const tracked = this.#options.review.textOf(path);
    return tracked === undefined ? this.#lastTexts.get(path) : tracked;
  }

  #enqueue(path: string, work: (located: LocatedPath) => Promise<void>): Promise<void> {
    return this.#work.enqueue(path, work);
  }
}
