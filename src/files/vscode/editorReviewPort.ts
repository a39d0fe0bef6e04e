// Applies the decisions of a review, and restores of checkpoints. The texts of files that the user has open change in
// the editor, as one edit. All other changes are written to disk as bytes, so that many files are fast, no tab opens,
// and the editor's own undo neither brings a file back nor takes one away.
import { utimes } from "node:fs/promises";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { forEachLimited } from "../../base/async.ts";
import { asError, Refusal } from "../../base/errors.ts";
import { quotePath, withLineFeeds } from "../../base/text.ts";
import { diskText, rawTextOfBytes } from "../../editor/diskText.ts";
import {
  documentWithTextOf,
  maxReloadWait,
  openDocumentOf,
  reopenIfClosed,
  waitForReload,
  withFileLock,
} from "../../editor/openDocuments.ts";
import { isPlainState, isSameState, plainState, readFileState, writeFileState, type FileState } from "../fileState.ts";
import { Confinement } from "../paths.ts";
import { nodePaths } from "../nodePaths.ts";
import type { AppliedSteps, ApplyOptions, FileTextStep, ReviewPort } from "../ports.ts";
import { removeFolderWithoutFiles } from "../standing.ts";
import { moveFile } from "./moveFile.ts";
import { isNoticed, modificationTime, noteKnownTime, saveUnnoticed } from "./noticedChanges.ts";
import { closeTabs, shownPaths } from "./shownPaths.ts";
import { changedMeanwhile, checkInside, mixedStateAfter, refuseUnsaved, stateAfter } from "./stateSteps.ts";
import { applyTextChanges, hasText, lineEndOf, type TextChange } from "./textFile.ts";

/** Attempts to apply and to save the edits of open files. VS Code refuses an edit if it has just closed a document. */
const maxAttempts = 5;

/** The pause between two attempts (ms). */
const retryDelay = 100;

/** Files that are written at the same time. */
const maxConcurrentFiles = 16;

/** How long to wait until hidden documents have the text that was written below them (ms). */
const maxHiddenReloadWait = 1500;

/** Applies steps to files in these folders, and to files outside that the user allowed. */
export const editorReviewPort = (
  roots: () => readonly string[],
  isAllowedOutside: (path: string) => boolean = () => false,
): ReviewPort => {
  /** Tabs that do not have the new paths of their files yet. */
  const moving = new Set<Promise<void>>();
  return {
    apply: async (steps, options) => {
      await Promise.all(moving);
      return new StepRun(roots(), isAllowedOutside, options ?? {}).apply(steps);
    },
    move: async (from, to) => {
      // The review must learn of the move before the editor reports that the file is gone, so the tab is not awaited.
      const { created, shown } = await moveFile(roots(), from, to);
      moving.add(shown);
      void shown.finally(() => moving.delete(shown));
      return created;
    },
  };
};

/** An edit of a document, and what is needed to check and to complete it. */
interface DocumentStep {
  readonly step: FileTextStep;
  readonly change: TextChange;
  /** The document whose text is edited. */
  readonly document: vscode.TextDocument;
  readonly wasClean: boolean;
  /** What the disk must have after the save, if saving the document does not write it. */
  readonly state?: FileState;
  /** What the disk has now. */
  readonly now?: FileState;
}

class StepRun {
  readonly #roots: readonly string[];
  readonly #isAllowedOutside: (path: string) => boolean;
  readonly #options: ApplyOptions;
  readonly #confinement: Confinement;
  readonly #failed = new Map<string, Error>();
  readonly #replaced = new Map<string, FileState>();
  #done = 0;

  constructor(roots: readonly string[], isAllowedOutside: (path: string) => boolean, options: ApplyOptions) {
    this.#roots = roots;
    this.#isAllowedOutside = isAllowedOutside;
    this.#options = options;
    this.#confinement = new Confinement(nodePaths(), this.#roots);
  }

  async apply(steps: readonly FileTextStep[]): Promise<AppliedSteps> {
    const shown = shownPaths();
    for (const some of inPathOrder(steps)) {
      const inEditor = some.filter(
        step => isText(step) && shown.has(documentWithTextOf(step.path)?.uri.fsPath ?? step.path),
      );
      const onDisk = some.filter(step => !inEditor.includes(step));
      await forEachLimited(onDisk, maxConcurrentFiles, step => this.#attempt(step, () => this.#write(step)));
      await this.#edit(inEditor);
    }
    return { failed: this.#failed, replaced: this.#replaced };
  }

  /** Does the work of one file. A failure is recorded with the file. */
  async #attempt(step: FileTextStep, work: () => Promise<void>): Promise<void> {
    try {
      if (this.#options.signal?.aborted)
        throw new Refusal("cancelled", vscode.l10n.t("It was cancelled before {0}.", quotePath(step.path)));
      await work();
      this.#options.onProgress?.(++this.#done);
    } catch (thrown) {
      this.#failed.set(step.path, asError(thrown));
    }
  }

  async #write(step: FileTextStep): Promise<void> {
    const { path } = step;
    await checkInside(this.#confinement, step, this.#isAllowedOutside);
    const state = await withFileLock([vscode.Uri.file(path)], async () => {
      const now = (await readFileState(path, Infinity)) ?? (await this.#withoutFolder(path));
      if (!now) throw changedMeanwhile(path);
      // A file that is brought back is no change of the text in the editor, which stays there unsaved.
      if (now.kind !== "missing" && !isText(step)) refuseUnsaved(path);
      const after = await stateAfter(step, now);
      await writeFileState(path, after, now);
      this.#keepReplaced(step, now);
      return after;
    });
    // VS Code can keep a document without a tab. The review would take its old text for an edit.
    const document = openDocumentOf(path);
    if (state.kind === "missing") return closeTabs(path);
    if (!document || state.kind !== "file") return;
    const isCurrent = async (one: vscode.TextDocument): Promise<boolean> =>
      one.isDirty || hasText(one, (await diskText(path)) ?? "");
    await waitForReload(document, isCurrent, maxHiddenReloadWait);
  }

  /** A folder without a file does not stand in the way of a file. */
  async #withoutFolder(path: string): Promise<FileState | undefined> {
    return (await removeFolderWithoutFiles(path)) ? { kind: "missing" } : undefined;
  }

  #keepReplaced({ path, before }: FileTextStep, now: FileState): void {
    const isPlain = before === null ? isPlainState(now) : before !== undefined && isSameState(now, plainState(before));
    if (!isPlain) this.#replaced.set(path, now);
  }

  /** Edits the files that are open in the editor, as one edit, and saves those that had no unsaved text. */
  async #edit(steps: readonly FileTextStep[]): Promise<void> {
    let left = steps;
    for (let attempt = 0; attempt < maxAttempts && left.length > 0; attempt++) {
      if (attempt > 0) await delay(retryDelay);
      const prepared: DocumentStep[] = [];
      for (const step of left) await this.#attempt(step, () => this.#prepareOrWrite(step, prepared));
      left = prepared.map(({ step }) => step);
      if (left.length === 0) return;
      this.#done -= left.length;
      const uris = left.map(({ path }) => vscode.Uri.file(path));
      if (await withFileLock(uris, () => this.#applyAndSave(prepared))) return;
    }
    for (const { path } of left) this.#failed.set(path, changedMeanwhile(path));
  }

  /** Applies all edits or none, then saves the documents. Failures to save are recorded. */
  async #applyAndSave(prepared: readonly DocumentStep[]): Promise<boolean> {
    if (!prepared.every(({ document, change }) => hasText(document, change.before))) return false;
    if (!(await applyTextChanges(prepared.map(({ change }) => change)))) return false;
    await Promise.all(prepared.map(one => this.#attempt(one.step, () => this.#complete(one))));
    return true;
  }

  async #complete({ step, change, document, wasClean, state, now }: DocumentStep): Promise<void> {
    const { path } = step;
    if (wasClean && !(await saveRepeatedly(document, change.before))) {
      throw new Refusal(
        "failed",
        vscode.l10n.t("{0} was changed in the editor, but could not be saved.", quotePath(path)),
      );
    }
    if (now) this.#keepReplaced(step, now);
    if (!wasClean) return;
    const time = await modificationTime(path);
    noteKnownTime(document, time);
    const saved = state && (await readFileState(path, Infinity));
    if (!saved || isSameState(saved, state)) return;
    // The user saves the document at the same moment: VS Code empties the file first, and may write another text.
    if (saved.kind !== "file" || !(await hasTextOf(document, saved.bytes))) return;
    await writeFileState(path, state, saved);
    if (state.kind !== "file" || time === undefined) return;
    // VS Code refuses to save a document if its file is newer than the last save that it knows of.
    await utimes(path, Date.now() / 1000, Math.floor(time) / 1000);
    noteKnownTime(document, await modificationTime(path));
  }

  /**
   * Adds the edit of the step to `prepared`. The editor may not reload a file for a long time if its folder was deleted
   * and created again. Then the file is written to disk, because an edit of its old text could not be saved.
   */
  async #prepareOrWrite(step: FileTextStep, prepared: DocumentStep[]): Promise<void> {
    const found = await this.#prepare(step);
    if (found) prepared.push(found);
    else await this.#write(step);
  }

  /**
   * Finds the document of a step. Undefined if only the disk has the expected text.
   * Rejects if the file is not in the expected state.
   */
  async #prepare(step: FileTextStep): Promise<DocumentStep | undefined> {
    const { path, state } = step;
    if (!isText(step)) throw changedMeanwhile(path);
    const { before, after } = step;
    await checkInside(this.#confinement, step, this.#isAllowedOutside);
    const uri = documentWithTextOf(path)?.uri ?? vscode.Uri.file(path);
    const document = await waitForReload(
      await vscode.workspace.openTextDocument(uri),
      // If the disk does not have the expected text either, there is nothing to wait for.
      async one => one.isDirty || (hasText(one, before) ? await isNoticed(one) : (await diskText(path)) !== before),
      maxReloadWait,
    );
    if (!document) return undefined;
    if (!hasText(document, before)) {
      // The user typed in another text, for example before the agent moved the folder of the file. It stays unsaved.
      if (document.isDirty && (await diskText(path)) === before) return undefined;
      throw changedMeanwhile(path);
    }
    const now = await readFileState(path);
    const exact = state ?? (now && (await mixedStateAfter(step, now)));
    // VS Code may not have noticed that the line endings changed on disk.
    const ends = exact ?? (document.isDirty ? undefined : now);
    const eol = ends && (await uniformLineEnd(ends, path));
    return {
      step,
      change: { uri, before, after, ...(eol !== undefined && eol !== document.eol && { eol }) },
      document,
      wasClean: !document.isDirty,
      ...(now && { now }),
      ...(exact && { state: exact }),
    };
  }
}

/** The steps in groups that follow each other: what stands in the place of another path's folder is removed first. */
function inPathOrder(steps: readonly FileTextStep[]): readonly (readonly FileTextStep[])[] {
  const paths = new Set(steps.map(({ path }) => path));
  const isBelowStep = (path: string): boolean => {
    for (let at = dirname(path); at !== dirname(at); at = dirname(at)) if (paths.has(at)) return true;
    return false;
  };
  if (!steps.some(({ path }) => isBelowStep(path))) return [steps];
  const removes = ({ after, state }: FileTextStep): boolean => (state ? state.kind === "missing" : after === null);
  return [steps.filter(removes), steps.filter(step => !removes(step))];
}

/** Whether the file has a text before and after the step. */
const isText = (step: FileTextStep): step is FileTextStep & { readonly before: string; readonly after: string } =>
  typeof step.before === "string" && typeof step.after === "string";

/** The line ending to give a document, if all line endings of the state are the same. */
async function uniformLineEnd(state: FileState, path: string): Promise<vscode.EndOfLine | undefined> {
  const text = state.kind === "file" ? await rawTextOfBytes(state.bytes, path) : undefined;
  return text === undefined ? undefined : lineEndOf(text);
}

/** Whether the bytes have the text of the document. */
async function hasTextOf(document: vscode.TextDocument, bytes: Uint8Array): Promise<boolean> {
  const text = await rawTextOfBytes(bytes, document.uri.fsPath);
  return text !== undefined && withLineFeeds(text) === withLineFeeds(document.getText());
}

/**
 * Saves a document that was just edited until the disk has its text: it may not be marked as unsaved yet, and `save()`
 * also returns false while another save is in progress. `before`: the text before the edit.
 */
async function saveRepeatedly(found: vscode.TextDocument, before: string): Promise<boolean> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await delay(retryDelay);
    const document = await reopenIfClosed(found);
    const { fsPath } = document.uri;
    if (!(await document.save())) await saveUnnoticed(document, async () => (await diskText(fsPath)) === before);
    if ((await diskText(fsPath)) === withLineFeeds(document.getText())) return true;
  }
  return false;
}

const delay = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
