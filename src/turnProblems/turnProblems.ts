// One session's part in the comparison of problems: notes the problems before a turn changes files, and reports the
// difference once the language servers have settled after it.
import { asError } from "../base/errors.ts";
import { jsonEqual } from "../base/jsonEqual.ts";
import { Emitter, DisposableStore, type Event } from "../base/lifecycle.ts";
import type { Clock, Log } from "../base/log.ts";
import { whenProblemsSettle } from "../editorTools/settledProblems.ts";
import { isAtOrBelow } from "../files/nodePaths.ts";
import type { ReviewedFile } from "../review/review.ts";
import type { AgentChange } from "../review/turns/knownTouches.ts";
import { turnBegan, turnEnded } from "../session/activity.ts";
import type { WriteResult } from "../session/agent.ts";
import type { SessionEvent } from "../session/events.ts";
import type { SessionParticipant } from "../session/participant.ts";
import { toolKey, type SessionState } from "../session/state.ts";
import { turnLineEntry } from "../session/turnSummary.ts";
import { storedProblem, type FoundProblem, type ProblemsByFile } from "./foundProblem.ts";
import { listedProblems, problemDifference } from "./problemDifference.ts";
import type { AskedCheck, FileCheck, ProblemReports } from "./problemReports.ts";

export interface TurnProblemsOptions {
  readonly session: string;
  /** Problems of files outside of these folders are not compared. */
  readonly roots: readonly string[];
  readonly reports: ProblemReports;
  /** The first change of each file that an agent of the window makes in a turn. */
  readonly agentChanges: Event<AgentChange>;
  /** The files under review: where an agent moved them from, and whether an agent created them. */
  readonly reviewed: () => readonly Pick<ReviewedFile, "path" | "movedFrom" | "isCreated">[];
  /** Makes a test for files that look like secrets. Their problems can quote them, so they are only counted. Never rejects. */
  readonly secretTest: () => (path: string) => Promise<boolean>;
  readonly report: (event: SessionEvent) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A report that comes this long after the first result still corrects it (ms). Some servers begin to check late. */
const maxCorrection = 10_000;
/** The created and moved files that are opened, so that language servers check them. */
const maxOpened = 50;

/** Kinds of tool calls that change no file. */
const readingKinds: ReadonlySet<string> = new Set(["read", "search", "think", "fetch", "switch_mode"]);

/** What is known of a turn that runs or has ended last. */
interface WatchedTurn {
  /** The problems before the turn changed files. Undefined until they are read. */
  before: Map<string, readonly FoundProblem[]> | undefined;
  /** The open files just before the first change. Undefined until then. */
  open: ReadonlyMap<string, FileCheck> | undefined;
  /** The files that were under review before the turn, with the path that they had before an agent moved them. */
  readonly reviewedBefore: ReadonlyMap<string, string | undefined>;
  /** The files that the turn changed, and those that only others changed meanwhile. */
  readonly changed: Set<string>;
  readonly others: Set<string>;
  /** The files about which something was reported since the first change. */
  readonly reported: Set<string>;
  /** The entry with the line of the turn. Undefined until the turn has ended. */
  entry: string | undefined;
  isSettling: boolean;
  isCompared: boolean;
  /** The event that was reported last. Undefined: none yet. */
  result: SessionEvent | undefined;
  /** The user has edited a file since the turn ended. */
  isEdited: boolean;
  readonly ended: AbortController;
}

export class TurnProblems implements SessionParticipant {
  readonly #options: TurnProblemsOptions;
  readonly #store = new DisposableStore();
  /** Fires for reports about files of the session. */
  readonly #reported = this.#store.add(new Emitter<void>());
  readonly #edited = this.#store.add(new Emitter<void>());
  #turn: WatchedTurn | undefined;
  #isRunning = false;

  constructor(options: TurnProblemsOptions) {
    this.#options = options;
    const { reports, agentChanges } = options;
    this.#store.add(agentChanges(change => this.#fileChanged(change)));
    this.#store.add(reports.onDidReport(paths => this.#handleReport(paths)));
    this.#store.add(
      reports.onDidChangeText(({ path, isUser }) => {
        if (!this.#turn || !this.#isInside(path)) return;
        if (!isUser) return void (this.#isRunning && this.#freeze(this.#turn));
        if (this.#turn.open && !this.#turn.changed.has(path)) this.#turn.others.add(path);
        if (this.#isRunning) return;
        this.#turn.isEdited = true;
        this.#edited.fire();
      }),
    );
  }

  /** A prompt that is sent into the running turn comes without this. */
  async beforeTurn(): Promise<void> {
    if (!this.#isRunning) await this.#begin();
  }

  stateChanged(before: SessionState, after: SessionState): void {
    if (turnBegan(before, after)) {
      // Work that no prompt of the user began has no beforeTurn, nor has a turn right after another one.
      if (!this.#turn || this.#turn.entry !== undefined) void this.#begin();
      this.#isRunning = true;
      // The user may have edited a file while the prompt was on its way.
      if (this.#turn) this.#turn.isEdited = false;
    }
    if (!turnEnded(before, after)) return;
    this.#isRunning = false;
    if (!this.#turn) return;
    this.#turn.entry = turnLineEntry(after);
    this.#settleSoon(this.#turn);
  }

  observe(event: SessionEvent, _: SessionState, after: SessionState): void {
    if (event.type !== "tool" || !this.#isRunning || !this.#turn || this.#turn.open) return;
    const entry = after.entries.get(toolKey(event.toolCallId));
    if (entry?.kind === "tool" && !readingKinds.has(entry.fields.kind ?? "other")) this.#freeze(this.#turn);
  }

  aroundWrite(_path: string, _text: string, next: () => Promise<WriteResult>): Promise<WriteResult> {
    if (this.#turn && this.#isRunning) this.#freeze(this.#turn);
    return next();
  }

  dispose(): void {
    this.#turn?.ended.abort();
    this.#turn = undefined;
    this.#store.dispose();
  }

  /** Never rejects. */
  async #begin(): Promise<void> {
    const last = this.#turn;
    last?.ended.abort();
    const turn: WatchedTurn = {
      ...{ before: undefined, open: undefined, entry: undefined, result: undefined },
      ...{ changed: new Set(), others: new Set(), reported: new Set() },
      reviewedBefore: new Map(
        this.#options.reviewed().map(({ path, movedFrom }) => [this.#options.reports.spelled(path), movedFrom]),
      ),
      ...{ isSettling: false, isCompared: false, isEdited: false },
      ended: new AbortController(),
    };
    this.#turn = turn;
    try {
      // Not from within a change of the state, whose events come first.
      if (last?.isSettling && !last.isCompared) queueMicrotask(() => this.#report(last, { state: "unknown" }));
      const found = new Map<string, readonly FoundProblem[]>();
      for (const [path, problems] of await this.#options.reports.read()) {
        if (this.#isInside(path)) found.set(path, problems);
      }
      // After the first change, it is too late.
      if (!turn.open) turn.before = found;
    } catch (error) {
      this.#options.log.error("The problems before a turn could not be read.", asError(error).stack);
    }
  }

  /** The turn changes files from now on. What is known now is known before that. */
  #freeze(turn: WatchedTurn): void {
    turn.open ??= this.#options.reports.openFiles();
  }

  #fileChanged({ session, path: given }: AgentChange): void {
    const turn = this.#turn;
    if (!turn) return;
    const path = this.#options.reports.spelled(given);
    if (session !== this.#options.session) {
      if (turn.open && !turn.changed.has(path)) turn.others.add(path);
      return;
    }
    if (!this.#isInside(path)) return;
    this.#freeze(turn);
    turn.changed.add(path);
    turn.others.delete(path);
    if (turn.isSettling) this.#reported.fire();
    this.#settleSoon(turn);
  }

  #handleReport(paths: readonly string[]): void {
    const turn = this.#turn;
    if (!turn) return;
    const own = paths.filter(path => this.#isInside(path));
    if (own.length === 0) return;
    for (const path of own) {
      if (turn.open) turn.reported.add(path);
      else void this.#readAgain(turn, path);
    }
    this.#reported.fire();
  }

  /** The turn has changed no file yet. Never rejects. */
  async #readAgain(turn: WatchedTurn, path: string): Promise<void> {
    try {
      const found = await this.#options.reports.readFile(path);
      if (!turn.open) turn.before?.set(path, found);
    } catch (error) {
      this.#options.log.error("The problems of a file could not be read.", asError(error).stack);
    }
  }

  #isInside(path: string): boolean {
    const { roots, reports } = this.#options;
    return roots.some(root => isAtOrBelow(path, reports.spelled(root)));
  }

  #settleSoon(turn: WatchedTurn): void {
    if (turn.entry === undefined || turn.changed.size === 0 || turn.isSettling) return;
    turn.isSettling = true;
    this.#settle(turn)
      .catch((error: unknown) => {
        if (turn.ended.signal.aborted) return;
        this.#options.log.error("The problems of a turn could not be compared.", asError(error).stack);
        this.#report(turn, { state: "unknown" });
      })
      .finally(() => (turn.isSettling = false));
  }

  async #settle(turn: WatchedTurn): Promise<void> {
    const { clock } = this.#options;
    const { signal } = turn.ended;
    const ready = this.#prepare(turn);
    const settled = (): Promise<boolean> =>
      whenProblemsSettle({ onDidChange: this.#reported.event, ready, clock, signal });
    while (!(await settled())) this.#report(turn, { state: "pending" });
    await this.#compare(turn);
    const end = clock.now() + maxCorrection;
    while (await this.#correction(turn, end - clock.now())) {
      await settled();
      if (turn.isEdited) return;
      await this.#compare(turn);
    }
  }

  /** Opens files that the servers may not know, and waits until the servers have read the changed files. Never rejects. */
  async #prepare(turn: WatchedTurn): Promise<void> {
    const { reports, reviewed, log } = this.#options;
    try {
      const changed = [...turn.changed].slice(0, maxOpened);
      const files = reviewed().filter(({ isCreated, movedFrom }) => isCreated === true || movedFrom !== undefined);
      const unknown = new Set(files.map(({ path }) => reports.spelled(path)));
      await reports.open(changed.filter(path => unknown.has(path)));
      await Promise.all(changed.map(path => reports.checkOf(path)));
    } catch (error) {
      log.warn("Changed files could not be prepared to be checked.", asError(error).message);
    }
  }

  /** Resolves with true if a report comes in time, which can correct the result. */
  #correction(turn: WatchedTurn, wait: number): Promise<boolean> {
    const { clock } = this.#options;
    const { signal } = turn.ended;
    if (turn.isEdited || signal.aborted || wait <= 0) return Promise.resolve(false);
    return new Promise(resolve => {
      const store = new DisposableStore();
      const end = (isCorrected: boolean): void => {
        store.dispose();
        resolve(isCorrected);
      };
      const stop = (): void => end(false);
      store.add(clock.after(wait, stop));
      store.add(this.#edited.event(stop));
      store.add(this.#reported.event(() => end(true)));
      signal.addEventListener("abort", stop);
      store.add({ dispose: () => signal.removeEventListener("abort", stop) });
    });
  }

  async #compare(turn: WatchedTurn): Promise<void> {
    const { before, open } = turn;
    if (!before || !open) {
      turn.isCompared = true;
      return this.#report(turn, { state: "unknown" });
    }
    const compared = await this.#compareFiles(turn, before, open);
    if (turn.ended.signal.aborted) return;
    turn.isCompared = true;
    const { added, fixed, checked, unchecked } = compared;
    if (checked === 0 && added.length + fixed === 0) {
      if (unchecked > 0) return this.#report(turn, { state: "unknown", unchecked });
      // What was reported before must not stay.
      if (!turn.result) return;
    }
    const shared = await this.#withoutSecrets(added);
    if (turn.ended.signal.aborted) return;
    const withheld = added.length - shared.length;
    const listed = listedProblems(shared);
    this.#report(turn, {
      ...{ state: "known", added: added.length, fixed },
      ...(withheld > 0 && { withheld }),
      ...(unchecked > 0 && { unchecked }),
      ...(listed.length > 0 && { problems: listed.map(storedProblem) }),
    });
  }

  async #withoutSecrets(problems: readonly FoundProblem[]): Promise<readonly FoundProblem[]> {
    const isSecret = this.#options.secretTest();
    const secrets = new Set<string>();
    for (const path of new Set(problems.map(problem => problem.path))) if (await isSecret(path)) secrets.add(path);
    return problems.filter(({ path }) => !secrets.has(path));
  }

  async #compareFiles(
    turn: WatchedTurn,
    before: ProblemsByFile,
    open: ReadonlyMap<string, FileCheck>,
  ): Promise<FilesDifference> {
    const { reports } = this.#options;
    const checks = new Map<string, AskedCheck>();
    for (const path of turn.changed) {
      turn.ended.signal.throwIfAborted();
      checks.set(path, await reports.checkOf(path));
    }
    const now = await reports.read();
    const added: FoundProblem[] = [];
    let fixed = 0;
    const add = (path: string, from: string): void => {
      const difference = problemDifference(before.get(from) ?? [], now.get(path) ?? []);
      added.push(...difference.added);
      fixed += difference.fixed;
    };
    const origins = this.#origins(turn);
    const openNow = reports.openFiles();
    // A server that checks only open files withdraws its reports about a file that is closed.
    const isWithdrawn = (path: string): boolean => open.has(path) && !openNow.has(path) && !now.has(path);
    const moved = new Set<string>();
    let unchecked = 0;
    let checked = 0;
    for (const [path, check] of checks) {
      const { movedFrom, isNew = false } = origins.get(path) ?? {};
      const from = movedFrom ?? path;
      if (movedFrom !== undefined) moved.add(movedFrom);
      const wasChecked = isNew || wasCheckedBefore(from, before, open, check.isAnswered);
      // A file that is gone has no problems any more.
      const isChecked = !check.exists || (isCheckedNow(path, turn, check) && !isWithdrawn(path));
      if (!check.exists && (!wasChecked || isNew)) continue;
      if (check.isUncheckable && !now.has(path) && !before.has(from)) continue;
      if (!wasChecked || !isChecked) {
        unchecked++;
        continue;
      }
      checked++;
      add(path, from);
    }
    for (const path of turn.reported) {
      if (turn.changed.has(path) || moved.has(path) || turn.others.has(path)) continue;
      if (wasCheckedBefore(path, before, open, true) && !isWithdrawn(path)) add(path, path);
    }
    return { added, fixed, checked, unchecked };
  }

  /** Where files were before the turn, if the turn moved them, and which ones the turn created. */
  #origins({ reviewedBefore }: WatchedTurn): ReadonlyMap<string, FileOrigin> {
    const { reviewed, reports } = this.#options;
    return new Map(
      reviewed().map(file => {
        const path = reports.spelled(file.path);
        const isMoved = file.movedFrom !== undefined && reviewedBefore.get(path) !== file.movedFrom;
        const isNew = file.isCreated === true && !reviewedBefore.has(path);
        return [
          path,
          { isNew, ...(isMoved && file.movedFrom !== undefined && { movedFrom: reports.spelled(file.movedFrom) }) },
        ];
      }),
    );
  }

  #report(turn: WatchedTurn, result: Omit<Extract<SessionEvent, { type: "turnProblems" }>, "type" | "entry">): void {
    if (turn.entry === undefined) return;
    const event: SessionEvent = { type: "turnProblems", entry: turn.entry, ...result };
    if (jsonEqual(turn.result, event)) return;
    turn.result = event;
    this.#options.report(event);
  }
}

interface FileOrigin {
  readonly movedFrom?: string;
  readonly isNew: boolean;
}

interface FilesDifference {
  readonly added: readonly FoundProblem[];
  readonly fixed: number;
  /** The numbers of changed files whose problems are known, and not known. Files that can have none are not counted. */
  readonly checked: number;
  readonly unchecked: number;
}

/** Whether the problems of the file were known before the turn changed files. */
function wasCheckedBefore(
  path: string,
  before: ProblemsByFile,
  open: ReadonlyMap<string, FileCheck>,
  isServed: boolean,
): boolean {
  const check = open.get(path);
  return before.has(path) || check?.isReported === true || (check?.isShown === true && isServed);
}

const isCheckedNow = (path: string, { reported }: WatchedTurn, check: AskedCheck): boolean =>
  (reported.has(path) && (check.isReported || !check.isOpen)) || (check.isShown && check.isAnswered);
