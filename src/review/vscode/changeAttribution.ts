// Attributes changes of files to the agent (through Parley or on disk), the user, or others, finds the text before the
// agent's first change, and reports both to the review. VS Code does not report authors, so they are derived here.
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { SessionEvent } from "../../session/events.ts";
import { toolKey, type SessionState } from "../../session/state.ts";
import { endsToolCall } from "../../session/toolCalls.ts";
import type { LocatedPath } from "../../files/paths.ts";
import type { FactAuthor, FactEdit, FactSink } from "../../history/facts.ts";
import { stateFacts, toolFact } from "../../history/sessionFacts.ts";
import { linkOnPath } from "../../files/standing.ts";
import type { WindowReview } from "../windowReview.ts";
import type { ChangedStates, TouchListener } from "../changeListeners.ts";
import { factAuthorOf, otherAuthor, whyOf, withoutBaseSentence } from "../changeSentences.ts";
import { OutsideFiles } from "../turns/outsideFiles.ts";
import type { FileDifference, TurnStart } from "../turns/turnStart.ts";
import type { UnfinishedTurn } from "../turns/unfinishedTurn.ts";
import { SavedElsewhere } from "../../history/vscode/savedElsewhere.ts";
import { GitChanges } from "../../history/vscode/gitChanges.ts";
import { isTurnRunning, type RunningTurns } from "../../history/runningTurns.ts";
import { TurnTexts } from "../turns/turnTexts.ts";
import { reviewedPaths, trackedAt } from "../reviewedPaths.ts";
import { AgentWrites } from "./agentWrites.ts";
import { ChangeTurns } from "./changeTurns.ts";
import { ChangeAuthor, turnOf, type DatedAuthor } from "./changeAuthor.ts";
import { DocumentChanges, documentFact, type DocumentChange } from "./documentChanges.ts";
import { DocumentReloads } from "./documentReloads.ts";
import { ReplacedPaths, standingText } from "./replacedPaths.ts";
import { FileWork } from "./fileWork.ts";
import { LateReports } from "../turns/lateReports.ts";
import { OpenedTexts } from "./openedTexts.ts";
import { compareWithStart, maxComparisonWait, settledOrLate } from "../turnComparison.ts";
import type { TurnSession } from "../review.ts";
import { UnsavedDeletions } from "./unsavedDeletions.ts";
import { UserFileOperations } from "./userFileOperations.ts";
import { changeTime, diskText, folderChangeTime, isFile, settledDiskText } from "../../editor/diskText.ts";
import { currentTextOf, openTextOf } from "../../editor/openDocuments.ts";
import { ChangedFiles } from "../../files/vscode/changedFiles.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";

export interface ChangeAttributionOptions {
  readonly review: WindowReview;
  readonly fileEvents: FileEvents;
  readonly roots: () => readonly string[];
  readonly onDidChangeRoots: Event<void>;
  readonly touches: TouchListener;
  /** Keeps the exact states of files. */
  readonly states?: ChangedStates;
  readonly facts: FactSink;
  /** What is known of the files when the turn began. */
  readonly start: (turn: string) => Promise<TurnStart>;
  /** The folder in which windows tell each other what they saved. Without it, they don't. */
  readonly savesFolder?: string;
  /** How long a turn waits for the comparison of the one before, in milliseconds. Default: {@link maxComparisonWait}. */
  readonly comparisonWait?: number;
  /** A turn has ended. `compared` resolves when its end is compared with its start. */
  readonly onTurnEnded?: (turn: string, compared: Promise<void>) => void;
  readonly log: Log;
}

/** How often a file is read at most that changes while its author is found out. Programs can write a file all the time. */
const maxDiskReads = 5;

export class ChangeAttribution implements Disposable {
  /** The files outside the folders that are followed. */
  readonly outside: OutsideFiles;
  readonly #options: ChangeAttributionOptions;
  readonly #store = new DisposableStore();
  readonly #changedFiles: ChangedFiles;
  readonly #documentChanges: DocumentChanges;
  readonly #work: FileWork;
  readonly #userOperations: UserFileOperations;
  readonly #texts: TurnTexts;
  readonly #times: RunningTurns;
  readonly #author: ChangeAuthor;
  readonly #git: GitChanges;
  readonly #opened: OpenedTexts;
  readonly #writes: AgentWrites;
  /** Texts that the agent wrote to disk and that the editor has not loaded, for example because of unsaved changes. */
  readonly #notLoaded = new Map<string, string | null>();
  readonly #turns: ChangeTurns;
  /** The files that waited for review when the turn began, also at the paths from which they were moved. */
  #reviewedBefore: ReadonlySet<string> = new Set();
  readonly #replacedPaths: ReplacedPaths;
  readonly #lateReports: LateReports;
  #comparison: Promise<void> = Promise.resolve();
  readonly #reloads: DocumentReloads;
  readonly #unsavedDeletions: UnsavedDeletions;

  constructor(options: ChangeAttributionOptions) {
    this.#options = options;
    options.facts.note({ type: "windowBegan" });
    this.#reloads = new DocumentReloads(options.log, path => this.#pathChanged(path));
    this.#work = new FileWork({
      ...options,
      isFollowedOutside: path => this.outside.has(path),
      isKnown: path => this.#known(path) !== undefined || options.review.tracked.has(path),
    });
    this.#texts = new TurnTexts(options);
    this.#unsavedDeletions = new UnsavedDeletions({ ...options, texts: this.#texts });
    this.#times = this.#texts.turns;
    this.outside = this.#store.add(
      new OutsideFiles({
        watchFile: (path, listener) => options.fileEvents.watchFile(path, listener),
        onChanged: path => this.#pathChanged(path),
        isReviewed: path => options.review.tracked.has(path),
      }),
    );
    this.#lateReports = new LateReports({ ...options, texts: this.#texts, turnOf: path => this.#turns.of(path) });
    this.#userOperations = this.#store.add(
      new UserFileOperations({ ...options, texts: this.#texts, work: this.#work }),
    );
    this.#git = new GitChanges(options.log);
    this.#author = new ChangeAuthor({
      ...options,
      git: this.#git,
      elsewhere:
        options.savesFolder === undefined
          ? undefined
          : this.#store.add(new SavedElsewhere({ ...options, folder: options.savesFolder })),
      turns: this.#times,
      texts: this.#texts,
      isUsers: path => this.#known(path) === undefined && this.#userOperations.moves.isUsers(path, Date.now()),
      isKnown: path => typeof this.#known(path) === "string",
    });
    this.#writes = new AgentWrites({
      ...options,
      work: this.#work,
      outside: this.outside,
      texts: this.#texts,
      known: path => this.#known(path),
      touch: (path, before, turn) => this.#turns.touch(path, before, turn),
      diskChanged: path => this.#diskChanged({ path }),
      attributeToAgent: (path, after, turn) => this.#attributeToAgent(path, after, turn),
      author: this.#author,
    });
    this.#turns = new ChangeTurns({
      ...options,
      turns: this.#times,
      author: this.#author,
      writing: path => this.#writes.turnOf(path),
    });
    this.#replacedPaths = new ReplacedPaths({
      ...options,
      turns: this.#turns,
      known: path => this.#known(path),
      turnOfAgent: (path, touch) => this.#turnOfAgent(path, touch),
    });
    this.#opened = this.#store.add(
      new OpenedTexts({
        ...options,
        times: this.#times,
        texts: this.#texts,
        author: this.#author,
        known: path => this.#known(path),
        isWanted: path => this.#isWanted(path),
        isWriting: path => this.#writes.pending.has(path),
        attributeToAgent: (path, text) => this.#attributeToAgent(path, text),
        enqueue: (path, work) => this.#work.enqueue(path, work),
      }),
    );
    this.#store.add(
      options.onDidChangeRoots(() => {
        options.facts.note({ type: "foldersReplaced", folders: options.roots() });
        this.#work.rootsChanged();
      }),
    );
    this.#documentChanges = this.#store.add(
      new DocumentChanges({
        isWanted: path => options.review.files.length > 0 || this.#isWanted(path),
        onDirtied: path => options.facts.note({ type: "documentDirtied", path }),
        onChange: (path, seen) => {
          options.facts.note(documentFact(path, seen));
          void this.#work.enqueueDocumentChange(path, located => this.#attributeChange(located, seen, path));
        },
      }),
    );
    this.#changedFiles = this.#store.add(
      new ChangedFiles({
        ...options,
        isWanted: path => this.#isWanted(path),
        isFollowed: path => this.#isFollowed(path) || this.#texts.reports.isNamed(path) || this.#texts.last.has(path),
        onChanged: path => this.#pathChanged(path),
        onCommitted: (path, text) =>
          void this.#work.enqueue(path, async located => {
            options.facts.note({ type: "committed", path: located.path, text });
            await options.review.committed(located.path, text);
          }),
        trackedPaths: () => reviewedPaths(this.#options.review),
      }),
    );
  }

  /** The turn that began last. */
  get turn(): string {
    return this.#texts.turn;
  }

  /** The turns that run, the first one first. */
  get busyTurns(): readonly string[] {
    return this.#times.busy;
  }

  /** The turn whose start has the texts before the changes of the turn. */
  startOf(turn: string): string {
    return this.#turns.startOf(turn);
  }

  /**
   * A turn of the session is about to begin: the current texts of open files are the texts before it. Resolves when changes
   * by others of the tracked files are taken in. Never rejects.
   */
  async turnBegan(turn: string, title: string, session?: TurnSession): Promise<void> {
    const { review, facts } = this.#options;
    facts.note({ type: "turnBegan", turn, title, session: session?.id ?? "", sessionTitle: session?.title ?? "" });
    const isAlone = this.#texts.begin(turn, session?.id ?? "", Date.now(), session?.ownFolder);
    if (isAlone) {
      this.#turns.turnBegan();
      this.#git.turnBegan();
      this.#userOperations.moves.turnBegan();
      this.#changedFiles.turnStarted();
      review.turnBegan(turn, title, session);
    } else review.nameTurn(turn, title, session);
    this.#opened.turnBegan();
    const reviewed = reviewedPaths(review);
    if (isAlone) this.#reviewedBefore = new Set([...reviewed, ...review.files.flatMap(one => one.movedFrom ?? [])]);
    await Promise.all([
      // While another turn runs, what has changed can be its change.
      ...[...new Set([...reviewed, ...review.tracked.keys()])].map(path =>
        this.#work.enqueue(path, located => (isAlone ? this.#syncWithDisk(located) : this.#diskChanged(located))),
      ),
      // Nothing else knows the texts of these files at the start of the turn.
      ...this.outside.paths.map(path => this.#writes.allowedOutside(path)),
    ]);
  }

  /**
   * The state of the session changed. Its turn lasts from {@link turnBegan}, when its prompt still waits, until the agent is
   * idle. When it ends, the files that its tool calls named are checked once more.
   */
  stateChanged(state: SessionState, session = "", before = state): void {
    for (const fact of stateFacts(before, state, session)) this.#options.facts.note(fact);
    this.#times.stateChanged(before, state, session, Date.now());
    const running = this.#times.of(session);
    if (!running) return;
    if (!isTurnRunning(state, running.turn)) return this.turnEnded(session);
    if (!running.times.isBusy) running.times.begin(Date.now());
  }

  /** The session has ended, and so has its turn. */
  sessionEnded(session: string): void {
    this.turnEnded(session);
    this.#options.facts.note({ type: "sessionEnded", session });
    this.#times.sessionEnded(session, Date.now());
  }

  /** The turn of the session has ended. Changes made until now may still be reported for a while. */
  turnEnded(session = ""): void {
    const running = this.#times.of(session);
    if (!running?.times.isBusy) return;
    running.times.end(Date.now());
    this.#options.facts.note({ type: "turnEnded", turn: running.turn });
    running.reports.turnEnded(Date.now());
    this.#changedFiles.turnEnded();
    const reviewed = this.#options.review.files.map(({ path }) => path);
    const followed = [...running.reports.paths(), ...reviewed, ...this.outside.paths];
    for (const path of followed) this.#work.enqueueOnce("disk", path, located => this.#diskChanged(located));
    running.times.beginComparison();
    const compared = this.#compare(running.turn, one => this.#isDifferent(one)).finally(() =>
      running.times.endComparison(),
    );
    this.#options.onTurnEnded?.(running.turn, compared);
  }

  /** Compares the disk with the starts of the turns of an earlier window. */
  resumeComparison(turns: readonly UnfinishedTurn[]): void {
    for (const { turn, title, began, ended = began, session } of turns) {
      this.#options.facts.note({ type: "turnResumed", turn, session: session?.id ?? "", began, ended });
      this.#texts.addEnded(turn, session?.id ?? "", began, ended);
      this.#options.review.turnBegan(turn, title, session);
    }
    for (const { turn, began, ended = began } of turns) {
      void this.#compare(turn, async one => {
        // The folder has the time of the last change in it.
        const time = one.is === undefined ? await folderChangeTime(one.path) : ended;
        if (time !== undefined && this.#times.includes(time)) await this.#isDifferent(one);
      });
    }
  }

  #compare(turn: string, attribute: (difference: FileDifference) => Promise<void>): Promise<void> {
    const different = new Set<string>();
    const compared = compareWithStart({
      ...this.#options,
      turn,
      isCurrent: () => this.#times.has(turn) && !this.#store.isDisposed,
      isUsers: path => this.#userOperations.moves.isUsers(path, Date.now()),
      attribute: one => {
        const { path, before, is } = one;
        different.add(path);
        const known = { turn, isGone: is === undefined, ...(before !== undefined && { text: before }) };
        this.#options.facts.note({ type: "compared", path, ...known });
        return attribute(one);
      },
      whenLoaded: async () => {
        await this.#reloads.whenIdle();
        await this.#work.whenIdle();
        await this.#checkTemporary(different);
      },
    });
    this.#comparison = Promise.all([this.#comparison, compared]).then(() => undefined);
    return compared;
  }

  /**
   * A file that the turn created and deleted is no difference between its start and its end. VS Code may report the
   * deletion of its folder late, or never.
   */
  async #checkTemporary(different: ReadonlySet<string>): Promise<void> {
    const others = this.#options.review.files.filter(({ path }) => !different.has(path));
    await Promise.all(
      others.map(async ({ path }) => {
        if ((await changeTime(path)) === undefined) await this.#work.enqueue(path, one => this.#diskChanged(one));
      }),
    );
  }

  /** Resolves when the turns that ended are compared with their starts, or after a while. */
  whenCompared = (): Promise<void> =>
    settledOrLate(this.#comparison, this.#options.comparisonWait ?? maxComparisonWait);

  /** Takes in an event of an agent: reads files when they are first named, and checks them when a call ends. */
  observe(event: SessionEvent, after: SessionState, session = ""): void {
    const reported = toolFact(event, after, session);
    if (reported) this.#options.facts.note(reported);
    const namedPaths = this.#times.observe(event, after, session, Date.now());
    for (const path of namedPaths) {
      this.#work.enqueueOnce("snapshot", path, async located => {
        this.#texts.reports.setResolvedPath(path, located.path);
        this.#noteTool(located.path, event, after, session);
        await this.#snapshot(located);
        await this.#turns.reported(located.path);
      });
    }
    if (event.type === "tool" || event.type === "terminal") {
      for (const path of this.#turns.openPaths)
        this.#work.enqueueOnce("explain", path, located => this.#turns.reported(located.path));
    }
    if (!endsToolCall(event)) return;
    for (const path of this.#times.pathsOfCall(event, session)) {
      this.#work.enqueueOnce("disk", path, async located => {
        await this.#diskChanged(located);
        await this.#turns.reported(located.path);
      });
    }
  }

  /** The agent asks for permission to use these files: their current texts are the texts before. */
  snapshotFiles(paths: readonly string[]): void {
    for (const path of paths) void this.#work.enqueue(path, located => this.#snapshot(located));
  }

  /** Runs a write of the session's agent through Parley, and attributes its changes. */
  aroundWrite<T>(path: string, content: string, run: () => Promise<T>, session = ""): Promise<T> {
    return this.#writes.around(path, content, this.#times.lastOf(session) ?? this.turn, run);
  }

  /** The user allowed the agent to write a file outside the folders. `path`: resolved. Never rejects. */
  allowedOutside(path: string): Promise<void> {
    this.#options.facts.note({ type: "allowedOutside", path });
    return this.#writes.allowedOutside(path);
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

  /** A tool call named the file, or has reported again. */
  #noteTool(path: string, event: SessionEvent, after: SessionState, session: string): void {
    if (event.type !== "tool" && event.type !== "toolChunk") return;
    const { toolCallId } = event;
    const entry = after.entries.get(toolKey(toolCallId));
    const { title, kind, status } = entry?.kind === "tool" ? entry.fields : {};
    const known = { ...(title && { title }), ...(kind && { kind }), ...(status && { status }) };
    this.#options.facts.note({ type: "toolNamed", path, session, toolCallId, ...known });
  }

  #noteAuthor(
    path: string,
    author: FactAuthor,
    text: string | null | undefined,
    known: { readonly edits?: readonly FactEdit[]; readonly why?: string } = {},
  ): void {
    this.#options.facts.note({ type: "attributed", path, author, ...(text !== undefined && { text }), ...known });
  }

  /** Whether changes of the file can be the agent's, or are needed to know the text before its changes. */
  #isWanted(path: string): boolean {
    const { reports, last } = this.#texts;
    const now = Date.now();
    return this.#times.canBeReported(now) || this.#isFollowed(path) || last.has(path) || reports.isRunning(path, now);
  }

  #isDifferent(difference: FileDifference): Promise<void> {
    const { path, isFolder } = difference;
    return this.#work.enqueueAt(path, async () => {
      this.#texts.differences.set(path, difference);
      await (isFolder ? this.#replacedPaths.folderGone(path) : this.#diskChanged({ path }));
    });
  }

  /**
   * The turn that made the last change of the file, as `touch` returns it. Undefined: no agent did, or the user has
   * decided on the change, possibly at this moment.
   */
  async #turnOfAgent(path: string, touch: () => Promise<string>): Promise<string | undefined> {
    const { review } = this.#options;
    const decidedAt = review.decided.decidedAt(path);
    if (!(await this.#author.needsReview(path))) return undefined;
    const turn = await touch();
    return review.decided.decidedAt(path) === decidedAt ? turn : this.#turnOfAgent(path, touch);
  }

  /** Changes made before the turn, even if noticed later, are not attributed to the agent. */
  async #syncWithDisk({ path }: LocatedPath): Promise<void> {
    const open = openTextOf(path);
    if (!open?.dirty && (await linkOnPath(path, this.#options.roots())) !== undefined) return;
    const text = open?.dirty ? open.text : await settledDiskText(path);
    if (text === undefined) return;
    if (!open?.dirty) {
      this.#options.facts.note({ type: "diskSeen", path, text, isBeforeTurn: true });
      if (this.#known(path) !== text) this.#noteAuthor(path, { kind: "others" }, text);
    }
    await this.#options.review.replaced(path, text);
  }

  /** The agent names the file: its current text is the text before, unless the agent has already changed it. */
  async #snapshot({ path }: LocatedPath): Promise<void> {
    const { review } = this.#options;
    if (review.textOf(path) !== undefined) return this.#diskChanged({ path });
    const text = await currentTextOf(path);
    if (text !== undefined) this.#options.facts.note({ type: "textSeen", path, text });
    if (text === undefined || (await this.#lateReports.use(path, text))) return;
    if (this.#texts.reports.containsReportedEdit(path, text) && (await this.#author.needsReview(path)))
      return this.#attributeToAgent(path, text);
    if (this.#texts.last.has(path) || review.tracked.has(path)) return;
    const before = await this.#author.textBefore(path, text);
    if (before !== undefined) this.#texts.last.set(path, before);
    if (before !== text) await this.#attributeToAgent(path, text);
  }

  /** When a folder is deleted, only the folder is reported. */
  #pathChanged(path: string): void {
    for (const one of new Set([path, ...trackedAt(this.#options.review, path)]))
      void this.#work.enqueue(one, located => this.#diskChanged(located));
  }

  #isFollowed(path: string): boolean {
    return this.#options.review.tracked.has(path) || trackedAt(this.#options.review, path).length > 0;
  }

  /** `opened`: the path of the document, which can be a link to the file. */
  async #attributeChange({ path }: LocatedPath, seen: DocumentChange, opened: string): Promise<void> {
    const { review } = this.#options;
    const { text } = seen;
    if (review.acceptOwnChange(path, text)) return;
    const author = this.#writes.pending.authorOf(path, seen, this.#known(path));
    if (author === "agent") return this.#attributeToAgent(path, text);
    if (author === "nobody" || (await this.#unsavedDeletions.isDeleted(path))) return;
    if (await this.#documentChanges.isReload(path, seen)) {
      // A link has replaced the file of the document.
      if (opened !== path && this.#known(opened) !== undefined) return this.#pathChanged(opened);
      if ((await linkOnPath(path, this.#options.roots())) !== undefined) return this.#diskChanged({ path });
      const isNotLoaded = this.#notLoaded.get(path) === text;
      const isReverted = !isNotLoaded && this.#texts.onDisk.get(path) === text;
      // The editor loads a text with other line endings in two steps. This one is reported after the decision that wrote it.
      if (isReverted && seen.document.version > seen.version && (await diskText(path)) !== text) return;
      this.#texts.onDisk.set(path, text);
      if (isReverted) return this.#reverted(path, text);
      const known = this.#known(path);
      const isSame = await this.#documentChanges.isSameInOtherEncoding(seen, known);
      const found = await this.#author.of(path);
      if (!isSame && (isNotLoaded || turnOf(found) !== undefined)) {
        // The editor can load a text long after a decision of the user wrote it, or after it was read from disk.
        if (text === known && !isNotLoaded) return this.#takeBack(path, text);
        return this.#attributeToAgent(path, text, undefined, found);
      }
      this.#opened.remember(path, text);
      if (text !== known) this.#noteAuthor(path, isSame ? { kind: "editor" } : otherAuthor(found), text, whyOf(found));
      return review.replaced(path, text);
    }
    this.#opened.remember(path, text);
    this.#texts.unsure.delete(path);
    this.#noteAuthor(path, { kind: seen.reason === undefined ? "user" : "editor" }, text, { edits: seen.edits });
    if (seen.reason !== undefined) return review.editorUndoRedo(path, text);
    await review.userChanged(path, seen.edits, text);
  }

  /** The user discarded unsaved text, so the file has the text on disk again. */
  async #reverted(path: string, text: string): Promise<void> {
    this.#noteAuthor(path, { kind: "editor" }, text);
    this.#opened.remember(path, text);
    await this.#options.review.editorUndoRedo(path, text);
  }

  async #diskChanged({ path }: Pick<LocatedPath, "path">, attempts = maxDiskReads): Promise<void> {
    const { review } = this.#options;
    if (this.#writes.pending.has(path) || (await this.#replacedPaths.isGoneFolder(path))) return;
    const { turn } = this;
    const known = this.#known(path);
    const decisions = review.decided.countOf(path);
    const isChanged = (): boolean =>
      this.#known(path) !== known || this.turn !== turn || review.decided.countOf(path) !== decisions;
    const link = await linkOnPath(path, this.#options.roots());
    if (link === path) {
      this.#options.facts.note({ type: "diskSeen", path, is: "link" });
      return this.#replacedPaths.linkChanged(path);
    }
    const time = await changeTime(path);
    const disk = await standingText(path, link, typeof known === "string" || this.#texts.differences.has(path));
    const isNoFile = disk === undefined && !(await isFile(path));
    const seen = { ...(disk !== undefined && { text: disk }), ...(isNoFile && { is: "folder" as const }) };
    this.#options.facts.note({ type: "diskSeen", path, ...seen });
    // The user can have saved this text. The changes of the document come first.
    if (this.#work.hasDocumentChange(path)) return void this.#work.enqueue(path, located => this.#diskChanged(located));
    if (disk !== null) this.#texts.deleted.delete(path);
    const isOwn = review.acceptOwnChange(path, disk ?? null);
    if (disk !== null) await this.#unsavedDeletions.end(path);
    if (isOwn) return;
    if (disk === null && (this.#userOperations.moves.includes(path, Date.now()) || review.isMovedAway(path))) return;
    const open = openTextOf(path);
    if (open?.dirty) {
      const isNew = disk !== open.text && disk !== this.#texts.onDisk.get(path);
      if (!isNew || disk === undefined || !(await this.#author.needsReview(path))) return;
      this.#notLoaded.set(path, disk);
      if (disk !== null || known === null) return;
      await this.#unsavedDeletions.begin(path);
    }
    // The editor reloads the document, and reports that, perhaps long after the turn.
    if (open && typeof disk === "string" && this.#reloads.isAwaited(path, open.text, disk)) {
      if (disk !== known && (await this.#author.needsReview(path))) this.#notLoaded.set(path, disk);
      return;
    }
    if (disk === undefined) return this.#replacedPaths.binaryChanged(path);
    if (disk === this.#known(path)) {
      this.#texts.onDisk.set(path, disk);
      return this.#takeBack(path, disk);
    }
    // A decision has been applied or a turn has begun meanwhile: this may be the text before it.
    if (isChanged()) return this.#diskChanged({ path });
    // The disk has not changed: the user discarded unsaved text. Of a file without a known text, other bytes can differ.
    const isFollowed = known !== undefined || review.tracked.has(path);
    if (disk !== null && isFollowed && disk === this.#texts.onDisk.get(path))
      return known === undefined ? this.#textUnchanged(path) : this.#reverted(path, disk);
    if (disk === null && (await this.#expandMissing(path))) return;
    const author = await this.#author.of(path);
    const isAgents = this.#notLoaded.get(path) === disk || turnOf(author) !== undefined;
    // The author is that of a later change than the one with this text.
    if (attempts > 1 && (await changeTime(path)) !== time) return this.#diskChanged({ path }, attempts - 1);
    // A write has begun meanwhile: this is the text before it.
    if (this.#writes.pending.has(path)) return;
    // So is what has been created or deleted meanwhile.
    const isReplaced = await this.#isReplaced(path, disk);
    if (isReplaced || isChanged()) return this.#diskChanged({ path });
    this.#texts.onDisk.set(path, disk);
    if (isAgents) return this.#attributeToAgent(path, disk, undefined, author);
    if (this.#texts.reports.isLeft(path) && known !== undefined && !this.#texts.unsure.has(path))
      this.#texts.unsure.set(path, known);
    this.#opened.remember(path, disk);
    this.#noteAuthor(path, otherAuthor(author), disk, whyOf(author));
    await review.replaced(path, disk);
  }

  /** A change that was attributed to others is the agent's, because a tool call has reported since that it still ran. */
  async #takeBack(path: string, text: string | null): Promise<void> {
    const { unsure, last } = this.#texts;
    const before = unsure.get(path);
    if (before === undefined || before === text || !(await this.#author.isToolCall(path)))
      return this.#textUnchanged(path);
    unsure.delete(path);
    if (!this.#options.review.tracked.has(path)) last.set(path, before);
    else if (before === null) await this.#options.review.replaced(path, null);
    else await this.#options.review.editorUndoRedo(path, before);
    await this.#attributeToAgent(path, text);
  }

  /**
   * A path that is not known is missing. If it was a folder, its files are missing. If nothing was there when the turn
   * began, it was temporary. Returns whether the path needs no more attention.
   */
  async #expandMissing(path: string): Promise<boolean> {
    const { review } = this.#options;
    if (this.#known(path) !== undefined || this.#texts.differences.has(path)) return false;
    if (!this.#times.canBeReported(Date.now())) return false;
    const files = await this.#texts.filesAt(path);
    const isTemporary = files ? files.length === 0 : this.#changedFiles.wasCreated(path);
    const isOfTurn = !this.#reviewedBefore.has(path);
    if (isTemporary && isOfTurn && (await changeTime(path)) === undefined) review.vanished(path);
    const others = files?.filter(one => one !== path) ?? [];
    const { first } = this.#times;
    // A folder was no file, either.
    const wasNoFile = isTemporary || others.length > 0;
    if (wasNoFile) this.#options.facts.note({ type: "startKnown", path, turn: first, text: null });
    for (const one of others) void this.#work.enqueue(one, located => this.#diskChanged(located));
    return wasNoFile;
  }

  /** The disk has the known text. The agent may have changed its line endings, encoding or mode. */
  async #textUnchanged(path: string): Promise<void> {
    // Where there is no file, only the state of one that was moved away is known.
    if (!this.#options.states || this.#known(path) === null) return;
    const turn = await this.#turnOfAgent(path, () => this.#turns.touchUnchanged(path, this.#known(path)));
    if (turn !== undefined) this.#options.states.written(turn, path);
  }

  /** Attributes the file's new text to the agent of the turn, or to the one that changed the file last. */
  async #attributeToAgent(path: string, after: string | null, writing?: string, author?: DatedAuthor): Promise<void> {
    const { review, touches } = this.#options;
    const decisions = review.decided.countOf(path);
    const turn = writing ?? (await this.#turns.of(path, author));
    const tracked = review.textOf(path);
    const base = tracked === undefined ? await this.#baseOf(path, after, turn) : tracked;
    const isReplaced = base === undefined && !openTextOf(path)?.dirty && (await this.#isReplaced(path, after));
    const isMissing = (await changeTime(path)) === undefined;
    // Nothing is awaited from here on: the file was moved away meanwhile, by the agent or by a decision.
    if (isMissing && review.isMovedAway(path)) return;
    // A decision has replaced the text meanwhile, or accepted it. A write of the agent through Parley comes after it.
    const isDecided = review.decided.countOf(path) !== decisions && (base === undefined || writing === undefined);
    const isUnsaved = this.#writes.pending.has(path) || openTextOf(path)?.dirty === true;
    if (isReplaced || (isDecided && (base === undefined || !isUnsaved))) return this.#diskChanged({ path });
    // The disk does not have the text of an unsaved document.
    if (isDecided) return this.#attributeToAgent(path, after, writing, author);
    this.#noteAuthor(path, factAuthorOf(turn), after, whyOf(author));
    this.#turns.touch(path, base, turn);
    if (base === undefined) {
      this.#lateReports.noticed(path, turn);
      review.agentChangedWithoutBase(path, after, turn, withoutBaseSentence(turn));
      if (after === null) this.#texts.deleted.add(path);
    } else await review.agentChanged(path, base, after, turn);
    this.#texts.last.delete(path);
    this.#notLoaded.delete(path);
    touches.written(path, after, turn);
    this.#options.states?.written(turn, path);
  }

  /** The text before the agent's changes. Undefined if it is not certain, or if no text stood there. */
  #baseOf(path: string, after: string | null, turn: string): Promise<string | null | undefined> {
    // The start of this turn has what an earlier turn wrote, and that change still waits for review.
    const isOfEarlierTurn = this.#reviewedBefore.has(path) && this.#options.review.file(path)?.unknown !== undefined;
    return isOfEarlierTurn ? Promise.resolve(undefined) : this.#texts.base(path, after, this.#turns.startOf(turn));
  }

  /** Whether something else than a file with a text, or than nothing if that is null, stands at the path now. */
  async #isReplaced(path: string, text: string | null): Promise<boolean> {
    const link = await linkOnPath(path, this.#options.roots());
    if (link === path) return true;
    const isMissing = link !== undefined || !(await isFile(path));
    return isMissing !== (text === null);
  }

  #known(path: string): string | null | undefined {
    const tracked = this.#options.review.textOf(path);
    return tracked === undefined ? this.#texts.last.get(path) : tracked;
  }
}
