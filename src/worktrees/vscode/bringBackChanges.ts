// Brings changes of a worktree back into the main checkout, where they wait for review like changes of an agent.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import { Sequencer } from "../../base/async.ts";
import { asError, Refusal } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { Emitter, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import { withCancellableProgress } from "../../editor/cancellableProgress.ts";
import {
  setStatusBarMessage,
  showInformationMessage,
  showWarningMessage,
  withProgress,
} from "../../editor/editorUi.ts";
import { isAtOrBelow, nodePaths } from "../../files/nodePaths.ts";
import { Confinement } from "../../files/paths.ts";
import { changedMeanwhile } from "../../files/vscode/stateSteps.ts";
import { gitOf } from "../../git/vscode/gitOf.ts";
import type { AppliedChange } from "../../review/appliedChanges.ts";
import { throwFailures } from "../../review/reviewDecision.ts";
import type { ReviewStore } from "../../review/vscode/reviewStore.ts";
import type { Session } from "../../session/session.ts";
import { isBusy, sessionTitle } from "../../session/state.ts";
import {
  basesOfKept,
  isOpen,
  keepBases,
  listBringBack,
  stepsOf,
  withBases,
  type BringBackEntry,
  type BringBackList,
  type EntrySteps,
} from "../bringBack.ts";
import type { BaseState } from "../fileBases.ts";
import { namedPaths } from "../namedPaths.ts";
import { hasConflict, planFile } from "../planFile.ts";
import type { WorktreeRecord, WorktreeRecords } from "../worktreeRecords.ts";
import { canShowSides, type BothSides, type ShownSides } from "./bothSides.ts";
import { editorTexts } from "./editorTexts.ts";
import type { WorktreeOfSession } from "./mergeCommands.ts";
import { pickChanges, pickHunks } from "./pickChanges.ts";
import { twoSentences } from "../../base/sentences.ts";

export interface BringBackChangesOptions {
  readonly records: WorktreeRecords;
  readonly review: Pick<ReviewStore, "applyChanges"> & { readonly review: Pick<ReviewStore["review"], "turns"> };
  /** The folders whose files are reviewed. */
  readonly roots: () => readonly string[];
  readonly sides: BothSides;
  readonly log: Log;
}

/** What is brought back. */
interface Chosen {
  readonly paths: ReadonlySet<string>;
  /** Some hunks of the only file are wanted. */
  readonly hunks?: ChosenHunks;
}

/** Hunks of a file. They have numbers only in the difference of the two texts that the user saw. */
interface ChosenHunks {
  readonly seen: BringBackEntry;
  readonly isChosen: (hunk: number) => boolean;
}

/** What the review calls changes that come back together. */
type Turn = Parameters<ReviewStore["applyChanges"]>[1];

const newTurn = ({ branch }: WorktreeRecord, session: Session | undefined): Turn => ({
  id: `bring-back:${randomUUID()}`,
  title: t("Brought back from {0}", branch),
  ...(session && { session: { id: session.id, title: sessionTitle(session.state) } }),
});

/** What happened to the entries. */
interface BroughtBack {
  readonly done: readonly BringBackEntry[];
  readonly failed: ReadonlyMap<string, Error>;
  /** The entries with a conflict after the merge. */
  readonly conflicts: readonly BringBackEntry[];
}

/** Files that changed at the same moment are merged again this often. */
const maxAttempts = 3;

export class BringBackChanges implements Disposable {
  readonly #options: BringBackChangesOptions;
  /** Each merge begins with what the one before has left. */
  readonly #running = new Sequencer();
  /** The last turn of single hunks, by the path of the worktree, so that the review lists them together. */
  readonly #turns = new Map<string, { readonly turn: Turn; readonly record: WorktreeRecord }>();
  readonly #changed = new Emitter<void>();
  /** Fires when changes were brought back, or a conflict was settled. */
  readonly onDidChange: Event<void> = this.#changed.event;

  constructor(options: BringBackChangesOptions) {
    this.#options = options;
  }

  /** Asks what to bring back from the worktree of the session, and brings it back. Rejects with a sentence. */
  async run(worktree: WorktreeOfSession): Promise<void> {
    const { session, record, records } = worktree;
    if (!(await this.canBringBack(record)))
      return void showInformationMessage(
        t("Open the folder “{0}” in this window to bring changes back into it.", record.origin),
      );
    const { entries, outside, left, bases } = await withProgress(
      { location: vscode.ProgressLocation.Window, title: t("Comparing the worktree…") },
      // What is brought back or settled at this moment is not listed.
      () => this.#running.queue(() => this.#listed(record)),
    );
    const missing = leftSentence(outside, left);
    if (entries.length === 0) {
      const again = t("List Again");
      const nothing = t("There is nothing to bring back from “{0}”.", record.branch);
      const sentence = missing === "" ? nothing : `${nothing} ${missing}`;
      if (bases.files.size === 0) return void showInformationMessage(sentence);
      const pressed = await showInformationMessage(
        `${sentence} ${t("What was brought back before is not listed.")}`,
        again,
      );
      if (pressed !== again) return;
      await records.bases.write(record.path, { ...bases, files: new Map() });
      return this.run(worktree);
    }
    const title = t("Bring Back Changes of {0}", record.branch);
    const hint = isBusy(session.state)
      ? t("The session is working, so its files can still change")
      : t("Select what to bring back");
    const placeHolder = missing === "" ? hint : twoSentences(hint, missing);
    const show = (entry: BringBackEntry): void => {
      this.#show(record, [entry], { preserveFocus: true, preview: true }).catch((thrown: unknown) => {
        this.#options.log.error("The sides of a file could not be shown.", asError(thrown).message);
      });
    };
    const keepMine = async (entry: BringBackEntry): Promise<readonly BringBackEntry[]> => {
      await this.keepMine({ record, entry });
      return (await this.#listed(record)).entries;
    };
    const picked = await pickChanges(entries, { title, placeHolder }, { showSides: show, keepMine });
    const [only] = picked?.entries ?? [];
    if (!picked || !only) return;
    const isChosen = picked.picksHunks ? await pickHunks(only, title) : undefined;
    if (picked.picksHunks && !isChosen) return;
    const hunks = isChosen && { seen: only, isChosen };
    const paths = new Set(picked.entries.map(({ path }) => path));
    const turn = newTurn(record, session);
    const result = await this.#bringBack(record, () => turn, { paths, ...(hunks && { hunks }) });
    const { done } = result;
    if (done.length > 0)
      session.addNotice(t("Brought back into {0}: {1}", record.origin, namedPaths(done.map(({ path }) => path))));
    await this.#report(record, result);
  }

  /** Whether a folder of this window has the main checkout of the worktree. */
  async canBringBack({ origin }: WorktreeRecord): Promise<boolean> {
    return (await this.#isInside(origin)) || this.#options.roots().some(root => isAtOrBelow(root, origin));
  }

  /** What can be brought back into the folders of this window. Rejects with a sentence. */
  async entries(record: WorktreeRecord): Promise<readonly BringBackEntry[]> {
    return (await this.canBringBack(record)) ? (await this.#listed(record)).entries : [];
  }

  /**
   * Brings a file back, or some of its hunks, without a question. `session`: one that works in the worktree, if it is known.
   * Rejects with a sentence.
   */
  async bringBackFrom(
    record: WorktreeRecord,
    session: Session | undefined,
    seen: BringBackEntry,
    isChosen?: (hunk: number) => boolean,
  ): Promise<void> {
    const paths = new Set([seen.path]);
    const chosen = { paths, ...(isChosen && { hunks: { seen, isChosen } }) };
    const result = await this.#bringBack(record, () => this.#turnOf(record, session), chosen);
    if (result.conflicts.length > 0 || result.failed.size > 0) return this.#report(record, result);
    setStatusBarMessage(t("Brought back from {0}: {1}", record.branch, seen.path));
  }

  /** The turn for a single change. It is the last one while that waits for review and has the same branch and session. */
  #turnOf(record: WorktreeRecord, session: Session | undefined): Turn {
    const { records, review } = this.#options;
    for (const path of this.#turns.keys()) if (!records.known.some(one => one.path === path)) this.#turns.delete(path);
    const last = this.#turns.get(record.path);
    const isCurrent =
      last?.record.branch === record.branch &&
      last.record.created === record.created &&
      last.turn.session?.id === session?.id &&
      review.review.turns.some(({ id }) => id === last.turn.id);
    const turn = last && isCurrent ? last.turn : newTurn(record, session);
    this.#turns.set(record.path, { turn, record });
    return turn;
  }

  /**
   * Keeps the local version of what conflicts in the file that the user saw, so that it is not offered again. Rejects with a
   * sentence.
   */
  async keepMine({ record, entry: seen }: ShownSides): Promise<void> {
    const { records, sides, log } = this.#options;
    const kept = await this.#running.queue(async () => {
      const { entries, bases } = await this.#list(record);
      const entry = entries.find(({ path }) => path === seen.path);
      if (entry && !isSameDifference(seen, entry)) throw changedMeanwhile(join(record.path, seen.path));
      const changed = entry ? basesOfKept(entry) : new Map<string, BaseState>();
      await keepBases(record, withBases(bases, changed), records);
      return [...changed.keys()].map((path): [string, BaseState | undefined] => [path, bases.files.get(path)]);
    });
    sides.settled(record, seen.path);
    this.#changed.fire();
    const undo = t("Undo");
    void showInformationMessage(
      t("Your version of {0} stays. The conflict is not listed again until the worktree changes it.", seen.path),
      undo,
    )
      .then(pressed => (pressed === undo ? this.#restoreBases(record, kept) : undefined))
      .catch((thrown: unknown) => {
        log.error("A conflict could not be listed again.", asError(thrown).message);
        void showWarningMessage(t("The conflict in {0} is not listed again: {1}", seen.path, asError(thrown).message));
      });
  }

  /** Gives files their earlier bases. Undefined: they had none. */
  async #restoreBases(
    record: WorktreeRecord,
    earlier: readonly (readonly [string, BaseState | undefined])[],
  ): Promise<void> {
    await this.#running.queue(async () => {
      const { bases } = await this.#list(record);
      const files = new Map(bases.files);
      for (const [path, base] of earlier) {
        if (base) files.set(path, base);
        else files.delete(path);
      }
      await keepBases(record, { ...bases, files }, this.#options.records);
    });
    this.#changed.fire();
  }

  async #listed(record: WorktreeRecord): Promise<BringBackList & { readonly outside: number }> {
    const list = await this.#list(record);
    const open = list.entries.filter(isOpen);
    const entries: BringBackEntry[] = [];
    for (const entry of open) {
      const paths = [entry.path, entry.from ?? entry.path].map(path => join(record.origin, path));
      const inside = await Promise.all(paths.map(path => this.#isInside(path)));
      if (inside.every(each => each)) entries.push(entry);
    }
    return { ...list, entries, outside: open.length - entries.length };
  }

  #list(record: WorktreeRecord): Promise<BringBackList> {
    const git = gitOf(vscode.Uri.file(record.origin));
    if (!git) throw new Error(t("Git was not found. Worktrees need it."));
    return listBringBack(record, { git, records: this.#options.records, texts: editorTexts }).catch(
      (thrown: unknown) => {
        throw new Error(t("Git cannot compare the worktree with its base: {0}", asError(thrown).message));
      },
    );
  }

  async #isInside(path: string): Promise<boolean> {
    return (await new Confinement(nodePaths(), this.#options.roots()).locate(path)).inside;
  }

  #bringBack(record: WorktreeRecord, turn: () => Turn, chosen: Chosen): Promise<BroughtBack> {
    return this.#running.queue(() => this.#merge(record, turn(), chosen)).finally(() => this.#changed.fire());
  }

  /** The texts can have changed since they were listed, so that they are merged now. */
  async #merge(record: WorktreeRecord, turn: Turn, { paths, hunks }: Chosen): Promise<BroughtBack> {
    const done = new Map<string, BringBackEntry>();
    let failed: ReadonlyMap<string, Error> = new Map();
    let wanted = paths;
    for (let attempt = 0; attempt < maxAttempts && wanted.size > 0; attempt++) {
      const list = await this.#list(record);
      const entries = list.entries.filter(({ path }) => wanted.has(path));
      const applied = await this.#apply(record, entries, turn, hunks);
      failed = applied.failed;
      for (const entry of applied.done) done.set(entry.path, entry);
      await keepBases(record, withBases(list.bases, applied.bases), this.#options.records);
      const isCancelled = [...failed.values()].some(one => one instanceof Refusal && one.kind === "cancelled");
      wanted = new Set(isCancelled ? [] : failed.keys());
    }
    const { entries } = await this.#list(record);
    // The hunks that were not selected are no conflicts.
    const hasNone = hunks && (planFile(hunks.seen, hunks.isChosen)?.places ?? []).length === 0;
    const conflicts = hasNone
      ? []
      : entries.filter(one => paths.has(one.path) && !failed.has(one.path) && hasConflict(one.plan));
    return { done: [...done.values()], failed, conflicts };
  }

  /** Applies the steps of entries. A file that was moved is removed only after it is at its new path. */
  async #apply(
    record: WorktreeRecord,
    entries: readonly BringBackEntry[],
    turn: Turn,
    hunks: ChosenHunks | undefined,
  ): Promise<{
    readonly done: readonly BringBackEntry[];
    readonly failed: ReadonlyMap<string, Error>;
    readonly bases: ReadonlyMap<string, BaseState>;
  }> {
    const planned: { readonly entry: BringBackEntry; readonly steps: EntrySteps }[] = [];
    const failed = new Map<string, Error>();
    for (const entry of entries)
      try {
        if (hunks && !isSameDifference(hunks.seen, entry)) throw changedMeanwhile(join(record.origin, entry.path));
        planned.push({ entry, steps: await stepsOf(record, entry, editorTexts, hunks?.isChosen) });
      } catch (thrown) {
        failed.set(entry.path, asError(thrown));
      }
    const apply = async (of: (steps: EntrySteps, entry: BringBackEntry) => EntrySteps["steps"]): Promise<void> => {
      const rows = planned
        .filter(({ entry }) => !failed.has(entry.path))
        .flatMap(({ entry, steps }) => of(steps, entry).map(step => ({ ...step, what: whatOf(entry), entry })));
      if (rows.length === 0) return;
      const changes: readonly AppliedChange[] = rows.map(({ entry: _, ...change }) => change);
      const applied = await withCancellableProgress(t("Bringing changes back"), changes.length, options =>
        this.#options.review.applyChanges(changes, turn, options),
      );
      for (const { entry, path } of rows) {
        const error = applied.failed.get(path);
        if (error) failed.set(entry.path, error);
      }
    };
    await apply(({ steps }, { from }) => (from === undefined ? steps : steps.slice(1)));
    await apply(({ steps }, { from }) => (from === undefined ? [] : steps.slice(0, 1)));
    const applied = planned.filter(({ entry }) => !failed.has(entry.path));
    return {
      done: applied.filter(({ steps }) => steps.steps.length > 0).map(({ entry }) => entry),
      failed,
      bases: new Map(applied.flatMap(({ steps }) => [...steps.bases])),
    };
  }

  async #report(record: WorktreeRecord, { done, failed, conflicts }: BroughtBack): Promise<void> {
    const { length } = done;
    const brought =
      length === 0
        ? t("No file was changed.")
        : length === 1
          ? t("1 file was brought back. Its changes wait for your review.")
          : t("{0} files were brought back. Their changes wait for your review.", length);
    if (conflicts.length > 0) {
      const kept =
        conflicts.length === 1
          ? t("1 file conflicts with your changes, which stay: {0}", conflicts[0]?.path ?? "")
          : t("{0} files conflict with your changes, which stay.", conflicts.length);
      const show = t("Show Conflicts");
      const buttons = conflicts.some(canShowSides) ? [show] : [];
      void showWarningMessage(`${brought} ${kept}`, ...buttons)
        .then(pressed => (pressed === show ? this.#show(record, conflicts) : undefined))
        .catch((thrown: unknown) => {
          this.#options.log.error("Conflicts could not be shown.", asError(thrown).message);
        });
    } else if (length > 0) {
      const review = t("Review Changes");
      void showInformationMessage(brought, review)
        .then(pressed => (pressed === review ? vscode.commands.executeCommand("parley.reviewChanges") : undefined))
        .catch((thrown: unknown) => {
          this.#options.log.error("The changes could not be shown.", asError(thrown).message);
        });
    }
    throwFailures(failed);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #show(
    record: WorktreeRecord,
    entries: readonly BringBackEntry[],
    options?: vscode.TextDocumentShowOptions,
  ): Promise<void> {
    return this.#options.sides.show(record, entries, options);
  }
}

/** Whether the worktree still has the same changes, so that their numbers are the same. */
const isSameDifference = (a: BringBackEntry, b: BringBackEntry): boolean =>
  a.base.text === b.base.text && a.theirs.text === b.theirs.text;

function leftSentence(outside: number, left: readonly string[]): string {
  const sentences = [
    ...(outside === 1 ? [t("1 file is outside of the folders of this window, and stays in the worktree.")] : []),
    ...(outside > 1
      ? [t("{0} files are outside of the folders of this window, and stay in the worktree.", outside)]
      : []),
    ...(left.length > 0
      ? [t("Other repositories and files that are too large stay in the worktree: {0}", namedPaths(left))]
      : []),
  ];
  return sentences.join(" ");
}

/** What the change of a file is if its text is the same, as a sentence. */
function whatOf({ kind, local, theirs }: BringBackEntry): string {
  if (kind === "link") return t("A symbolic link was brought back from a worktree.");
  if (kind === "binary") return t("A file that is no text was brought back from a worktree.");
  const [own, other] = [local.state, theirs.state];
  if (own.kind !== "file" || other.kind !== "file" || own.executable === other.executable)
    return t("Line endings or the encoding were brought back from a worktree, and no text.");
  return other.executable
    ? t("The worktree made the file executable.")
    : t("The worktree made the file not executable.");
}
