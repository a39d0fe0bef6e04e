// The user's actions in a review: deciding on hunks, moving between them, opening diffs. None of them runs without a
// request.
import { basename } from "node:path";
import * as vscode from "vscode";
import { Refusal } from "../../base/errors.ts";
import { withCancellableProgress } from "../../editor/cancellableProgress.ts";
import type { Review, ReviewedFile, ReviewTarget, UndoLoss } from "../review.ts";
import {
  anchorLine,
  changeRows,
  countFiles,
  hunksBetween,
  adjacentHunk,
  agentTurns,
  nextFile,
  reviewTargetOf,
  type FileRow,
  type SessionRow,
  type Side,
  type HunkLocation,
  type TurnRow,
  type CursorLocation,
} from "../reviewPresentation.ts";
import { showQuickPick, showWarningMessage } from "../../editor/editorUi.ts";
import { openDiff, openDiffs } from "../../editor/editorItems.ts";
import type { BaseDocuments } from "./baseDocuments.ts";
import { peekHunk } from "./peekHunk.ts";
import { turnsOf } from "../trackedFile.ts";
import { sessionRowTitle } from "./changesTree.ts";
import { reviewTabTitle } from "./reviewTabs.ts";

/** Asks the user to confirm. `answer` is the label of the button, `detail` has the lines below the question. */
export type ConfirmDialog = (question: string, answer: string, detail: readonly string[]) => PromiseLike<boolean>;

const confirmInEditor: ConfirmDialog = async (question, answer, detail) =>
  (await showWarningMessage(question, { modal: true, detail }, answer)) === answer;

/** Asks the user to choose one of the answers, which are the labels of buttons. Undefined: cancelled. */
export type ChooseDialog = (question: string, answers: readonly string[]) => PromiseLike<string | undefined>;

const chooseInEditor: ChooseDialog = (question, answers) => showWarningMessage(question, { modal: true }, ...answers);

export interface ReviewActionsOptions {
  readonly review: Review;
  readonly bases: BaseDocuments;
  /** Shows a short message, also to screen readers. */
  readonly announce: (words: string) => void;
  readonly confirm?: ConfirmDialog;
  readonly choose?: ChooseDialog;
}

/** Hunks on one side of the active editor. */
export interface HunksAtCursor {
  readonly file: ReviewedFile;
  readonly side: Side;
  readonly ids: readonly string[];
}

/** Undoing changes in more files than this requires a confirmation. */
const maxUnconfirmedFiles = 10;

type DecisionKind = "keep" | "undo";

export class ReviewActions {
  readonly #options: ReviewActionsOptions;
  readonly #review: Review;

  constructor(options: ReviewActionsOptions) {
    this.#options = options;
    this.#review = options.review;
  }

  /** The reviewed file in the active editor, and the side of the diff. */
  fileInEditor(): { readonly file: ReviewedFile; readonly side: Side } | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    const side = uri && this.#sideOf(uri);
    const file = side && this.#review.file(uri.fsPath);
    return file && { file, side };
  }

  /** The hunks that the cursors and selections of the active editor touch. */
  hunksAtCursor(): HunksAtCursor | undefined {
    const shown = this.fileInEditor();
    const selections = vscode.window.activeTextEditor?.selections ?? [];
    if (!shown) return undefined;
    const { file, side } = shown;
    const hunks = selections.flatMap(({ start, end }) => {
      // A selection of whole lines ends at the start of the next line.
      const last = end.line > start.line && end.character === 0 ? end.line - 1 : end.line;
      return hunksBetween(file.changes, start.line, last, side);
    });
    return { file, side, ids: [...new Set(hunks.map(({ id }) => id))] };
  }

  /** Decides, and announces when nothing is left. Rejects with a sentence if the decision fails. */
  async decide(decision: DecisionKind, target: ReviewTarget): Promise<void> {
    const before = this.#review.files.length;
    if (before === 0) return this.#options.announce(vscode.l10n.t("There are no changes to review."));
    if (decision === "keep") await this.#review.keep(target);
    else if (!(await this.#undo(target))) return;
    if (this.#review.files.length === 0) this.#options.announce(vscode.l10n.t("All changes reviewed."));
  }

  /** Undoes what can be undone. False: nothing was undone. */
  async #undo(target: ReviewTarget): Promise<boolean> {
    const files = countFiles(this.#review, target);
    if (files === 0) {
      this.#options.announce(
        vscode.l10n.t("All other changes were made meanwhile, perhaps by you. You can undo them file by file."),
      );
      return false;
    }
    const losses = await this.#review.undoLosses(target);
    if (losses.length > 0 && losses.length === files) {
      throw new Refusal("failed", `${vscode.l10n.t("Nothing was changed.")} ${lossLines(losses).join(" ")}`);
    }
    const chosen = await this.#chooseOfTurn(target);
    if (!chosen) return false;
    const many = files - losses.length > maxUnconfirmedFiles;
    const deleted = this.#deletedBy(target, losses);
    const needsConfirmation = many || losses.length > 0 || (target.kind === "all" && deleted.length > 0);
    if (needsConfirmation && !(await this.#confirmUndo(files - losses.length, losses, deleted))) return false;
    const title = vscode.l10n.t("Undoing the agent's changes");
    return this.#reportCancel(
      withCancellableProgress(title, files, options => this.#review.undo(chosen, options)).then(() => true),
    );
  }

  /** Before a turn is undone: says what it would undo of other turns, and offers to keep that. Undefined: cancelled. */
  async #chooseOfTurn(target: ReviewTarget): Promise<ReviewTarget | undefined> {
    if (target.kind === "turns") return this.#chooseOfSession(target);
    const shared = target.kind === "turn" ? this.#review.sharedTurn(target.turn) : undefined;
    if (!shared || target.kind !== "turn") return target;
    const question =
      shared.hunks === 1
        ? vscode.l10n.t(
            "1 change of this turn also has text of other turns. Undoing it restores the text before all of them.",
          )
        : vscode.l10n.t(
            "{0} changes of this turn also have text of other turns. Undoing them restores the text before all of them.",
            shared.hunks,
          );
    const both = vscode.l10n.t("Undo All of These Turns' Text");
    const only = vscode.l10n.t("Undo Only This Turn");
    const choose = this.#options.choose ?? chooseInEditor;
    const answer = await choose(question, shared.isEarlierKnown ? [only, both] : [both]);
    if (answer === undefined) return undefined;
    return answer === only ? { ...target, keepsEarlier: true } : target;
  }

  /** Before the turns of a session are undone: says what that would undo of other sessions. Undefined: cancelled. */
  async #chooseOfSession(
    target: Extract<ReviewTarget, { kind: "turns" }>,
  ): Promise<Extract<ReviewTarget, { kind: "turns" }> | undefined> {
    const shared = this.#review.sharedTurn(...target.turns);
    if (!shared) return target;
    const question =
      shared.hunks === 1
        ? vscode.l10n.t(
            "1 change of this session also has text of other sessions. Undoing it restores the text before all of them.",
          )
        : vscode.l10n.t(
            "{0} changes of this session also have text of other sessions. Undoing them restores the text before all of them.",
            shared.hunks,
          );
    const all = vscode.l10n.t("Undo All of These Sessions' Text");
    const choose = this.#options.choose ?? chooseInEditor;
    return (await choose(question, [all])) === all ? target : undefined;
  }

  /** The files that the undo deletes, because the agent created them. */
  #deletedBy(target: ReviewTarget, losses: readonly UndoLoss[]): readonly string[] {
    if (target.kind === "file" || target.kind === "hunks") return [];
    const turns = target.kind === "all" ? undefined : turnsOf(target);
    const left = new Set(losses.map(({ path }) => path));
    return this.#review.files
      .filter(({ isCreated, isMeanwhile }) => isCreated && !isMeanwhile)
      .filter(file => !turns || file.turns.some(turn => turns.includes(turn)))
      .map(({ path }) => path)
      .filter(path => !left.has(path));
  }

  /** Asks, with the files that are deleted and everything that cannot be brought back. */
  #confirmUndo(files: number, losses: readonly UndoLoss[], deleted: readonly string[]): PromiseLike<boolean> {
    const question =
      files === 1
        ? vscode.l10n.t("Undo the agent's changes in 1 file? “Undo Last Review Decision” restores them.")
        : vscode.l10n.t("Undo the agent's changes in {0} files? “Undo Last Review Decision” restores them.", files);
    const confirm = this.#options.confirm ?? confirmInEditor;
    const blocks = [deleted.length > 0 ? deletionLines(deleted) : [], losses.length > 0 ? lossLines(losses) : []];
    const detail = blocks.filter(block => block.length > 0).flatMap((block, at) => (at > 0 ? ["", ...block] : block));
    return confirm(question, vscode.l10n.t("Undo Changes"), detail);
  }

  /** The work, where Cancel is no error: the files that were changed before it are one decision. */
  async #reportCancel(work: PromiseLike<boolean>): Promise<boolean> {
    try {
      return await work;
    } catch (thrown) {
      if (!(thrown instanceof Refusal && thrown.kind === "cancelled")) throw thrown;
      this.#options.announce(thrown.message);
      return false;
    }
  }

  /**
   * Decides on one hunk, or on those at the cursor if none is given. The cursor then moves to the next hunk in the
   * file. A line, 0-based, may be given instead.
   */
  async decideHunks(decision: DecisionKind, named?: HunkLocation, line?: FileLine): Promise<void> {
    if (named) return this.decide(decision, { kind: "hunks", path: named.path, ids: [named.id] });
    if (line) {
      const file = this.#review.file(line.path);
      const { line: first, last = first } = line;
      const ids = file ? hunksBetween(file.changes, first, last).map(({ id }) => id) : [];
      if (!file || ids.length === 0) return this.#announceNoChange();
      return this.decide(decision, { kind: "hunks", path: file.path, ids });
    }
    const { file, ids = [] } = this.hunksAtCursor() ?? {};
    if (!file || ids.length === 0) return this.#announceNoChange();
    const next = adjacentHunk([file], this.#cursorLocation(), "next");
    await this.decide(decision, { kind: "hunks", path: file.path, ids });
    if (next && !ids.includes(next.id)) this.#select(next);
  }

  #announceNoChange(): void {
    this.#options.announce(vscode.l10n.t("There is no change here to review."));
  }

  /** Decides on a file: a row of the tree, a path, or the file in the active editor. */
  async decideFile(decision: DecisionKind, named?: FileRow | string): Promise<void> {
    if (typeof named === "object") return this.decide(decision, reviewTargetOf(named));
    const path = named ?? this.fileInEditor()?.file.path;
    if (path === undefined) return this.#announceNoChange();
    return this.decide(decision, { kind: "file", path });
  }

  /**
   * Marks a file as reviewed, or takes the mark away: a row of the tree, or the file in the editor. Undefined: the file gets
   * the mark if it has none.
   */
  markReviewed(isReviewed: boolean | undefined, named?: FileRow | ReviewedFile): void {
    const file = named && "file" in named ? named.file : (named ?? this.fileInEditor()?.file);
    if (!file) return this.#announceNoChange();
    if (file.unknown !== undefined) {
      return this.#options.announce(
        vscode.l10n.t("The text of this file is not known, so it cannot be marked as reviewed."),
      );
    }
    this.#review.markReviewed(file.path, isReviewed ?? !file.isReviewed);
    const { files } = this.#review;
    const reviewed = files.filter(each => each.isReviewed).length;
    this.#options.announce(vscode.l10n.t("{0} of {1} files are marked as reviewed.", reviewed, files.length));
  }

  /** Decides on a turn: a row of the tree, or one that the user picks. */
  async decideTurn(decision: DecisionKind, row?: Pick<TurnRow, "id">): Promise<void> {
    const title =
      decision === "keep" ? vscode.l10n.t("Keep the Changes of a Turn") : vscode.l10n.t("Undo the Changes of a Turn");
    const turn = row ?? (await this.#pickTurn(title));
    if (turn) await this.decide(decision, { kind: "turn", turn: turn.id });
  }

  /** Decides on the changes of a session: a row of the tree, or one that the user picks. */
  async decideSession(decision: DecisionKind, row?: SessionRow): Promise<void> {
    const title =
      decision === "keep"
        ? vscode.l10n.t("Keep the Changes of a Session")
        : vscode.l10n.t("Undo the Changes of a Session");
    const session = row ?? (await this.#pickSession(title));
    if (session) await this.decide(decision, reviewTargetOf(session));
  }

  /** All changes are those of one session, unless the tree shows several. */
  async #pickSession(title: string): Promise<SessionRow | undefined> {
    const rows = changeRows(this.#review)
      .filter(row => row.kind === "session")
      .filter(row => !row.isMeanwhile);
    if (rows.length === 0) {
      const turns = agentTurns(this.#review);
      if (turns.length === 0) this.#options.announce(vscode.l10n.t("There are no changes to review."));
      const [turn] = turns;
      const counts = { added: 0, removed: 0 };
      return (
        turn && { kind: "session", id: "", title: turn.title, turns: turns.map(({ id }) => id), rows: [], ...counts }
      );
    }
    const picks = rows.map(row => {
      const files = countFiles(this.#review, reviewTargetOf(row));
      const description = files === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", files);
      return { label: sessionRowTitle(row), description, row };
    });
    return (await showQuickPick(picks, { title }))?.row;
  }

  async undoLast(): Promise<void> {
    const title = vscode.l10n.t("Undoing the last review decision");
    const files = this.#review.lastDecisionSize;
    if (files === 0) return this.#options.announce(vscode.l10n.t("There is no review decision to undo."));
    await this.#reportCancel(withCancellableProgress(title, files, options => this.#review.undoLast(options)));
  }

  /** Goes to the hunk after or before the given one or the cursor, and continues with other files. */
  async goToChange(direction: "next" | "previous", from?: HunkLocation): Promise<void> {
    const file = from && this.#review.file(from.path);
    const hunk = file?.changes.hunks.find(({ id }) => id === from?.id);
    const at = file && hunk ? { path: file.path, line: anchorLine(hunk) } : this.#cursorLocation();
    const stop = adjacentHunk(this.#review.files, at, direction);
    if (!stop) return this.#options.announce(vscode.l10n.t("There are no changes to review."));
    await this.open(stop);
    this.#announcePosition(stop);
  }

  /** Goes to the first hunk of the next file, and around again. */
  async goToNextFile(): Promise<void> {
    const stop = nextFile(this.#review.files, this.#cursorLocation()?.path);
    if (!stop) return this.#options.announce(vscode.l10n.t("There are no changes in other files."));
    await this.open(stop);
    this.#announcePosition(stop);
  }

  /** A menu of the editor's title cannot show changing text, so the status bar does. */
  #announcePosition({ path, id }: HunkLocation): void {
    const { hunks } = this.#review.file(path)?.changes ?? { hunks: [] };
    const position = hunks.findIndex(hunk => hunk.id === id) + 1;
    if (position > 0)
      this.#options.announce(vscode.l10n.t("Change {0} of {1} in {2}", position, hunks.length, basename(path)));
  }

  /** Opens a file at a hunk, by default the first one. Opens a diff if the file no longer exists. */
  async open(place: HunkLocation | FileRow): Promise<void> {
    const file = this.#review.file(pathOf(place));
    if (!file) return this.#announceNoChange();
    const { changes } = file;
    if (changes.text === null) return this.openDiff(file.path);
    const id = "id" in place ? place.id : place.hunks[0]?.id;
    if (id !== undefined && this.#select({ path: file.path, id })) return;
    const hunk = changes.hunks.find(each => each.id === id);
    const line = hunk ? anchorLine(hunk) : undefined;
    const options = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    await vscode.window.showTextDocument(vscode.Uri.file(file.path), { preview: true, ...options });
  }

  /** Shows the previous text of a hunk below its line. */
  async peek(named?: HunkLocation, line?: FileLine): Promise<void> {
    const cursor = named || line ? undefined : this.hunksAtCursor();
    const file = cursor?.file ?? this.#review.file(named?.path ?? line?.path ?? "");
    const id = named?.id ?? cursor?.ids[0] ?? (file && line && hunksBetween(file.changes, line.line, line.line)[0]?.id);
    const hunk = file?.changes.hunks.find(each => each.id === id);
    if (!file || !hunk) return this.#announceNoChange();
    const { changes, path } = file;
    if (changes.base === null)
      return this.#options.announce(vscode.l10n.t("This file is new, so it has no earlier text."));
    if (changes.text === null) return this.openDiff(path);
    if (hunk.base.from === hunk.base.to)
      return this.#options.announce(vscode.l10n.t("No lines were removed here, so there is no earlier text."));
    await peekHunk(this.#options.bases, this.#review, { path, id: hunk.id }, this.#editorOf(path));
  }

  /** The active editor, if it shows this file on its own. */
  #editorOf(path: string): vscode.TextEditor | undefined {
    const { activeTextEditor, tabGroups } = vscode.window;
    const shown = this.fileInEditor();
    const isDiff = tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff;
    const isAlone = activeTextEditor?.viewColumn !== undefined && !isDiff;
    return isAlone && shown?.side === "text" && shown.file.path === path ? activeTextEditor : undefined;
  }

  /** Opens a file's diff: the text before on the left, the file itself on the right. */
  async openDiff(named?: string, options: vscode.TextDocumentShowOptions = { preview: true }): Promise<void> {
    const path = named ?? this.fileInEditor()?.file.path;
    const file = path === undefined ? undefined : this.#review.file(path);
    if (!file) return this.#announceNoChange();
    if (file.unknown !== undefined) throw new Error(file.unknown);
    const { bases } = this.#options;
    const right = file.changes.text === null ? bases.emptyDocument(file.path) : vscode.Uri.file(file.path);
    const title = vscode.l10n.t("{0} (agent's changes)", basename(file.path));
    await openDiff(bases.baseUri(file.path), right, title, options);
  }

  /** Opens all changes to review, or those of one turn, in one multi-file diff. */
  async review(turn?: { readonly id: string; readonly title: string }): Promise<void> {
    const { bases, announce } = this.#options;
    const files = this.#review.files.filter(file => !turn || file.turns.includes(turn.id));
    if (files.length === 0) return announce(vscode.l10n.t("There are no changes to review."));
    const known = files.filter(({ unknown }) => unknown === undefined);
    const [unknown] = files.flatMap(file => file.unknown ?? []);
    if (known.length === 0) throw new Error(unknown);
    const resources = known.map(({ path, changes }) => {
      const uri = vscode.Uri.file(path);
      const left = changes.base === null ? undefined : bases.baseUri(path, turn?.id);
      return [uri, left, changes.text === null ? undefined : uri] as const;
    });
    await openDiffs(reviewTabTitle(turn), resources);
  }

  async reviewTurn(row?: TurnRow): Promise<void> {
    const turn = row ?? (await this.#pickTurn(vscode.l10n.t("Review the Changes of a Turn")));
    if (turn) await this.review(turn);
  }

  async #pickTurn(title: string): Promise<{ readonly id: string; readonly title: string } | undefined> {
    const turns = agentTurns(this.#review);
    if (turns.length === 0) this.#options.announce(vscode.l10n.t("There are no changes to review."));
    if (turns.length < 2) return turns[0];
    const picks = turns.toReversed().map(turn => {
      const files = countFiles(this.#review, { kind: "turn", turn: turn.id });
      const description = files === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", files);
      return { label: turn.title, description, turn };
    });
    return (await showQuickPick(picks, { title }))?.turn;
  }

  #cursorLocation(): CursorLocation | undefined {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    const { uri } = editor.document;
    const side = this.#sideOf(uri);
    if (!side) return undefined;
    // In the review's spelling.
    const path = this.#review.file(uri.fsPath)?.path ?? uri.fsPath;
    return { path, line: editor.selection.active.line, side };
  }

  #sideOf(uri: vscode.Uri): Side | undefined {
    if (uri.scheme === "file") return "text";
    return this.#options.bases.isBaseDocument(uri) ? "base" : undefined;
  }

  /** Moves the cursor of the active editor to a hunk, if it shows that file. */
  #select({ path, id }: HunkLocation): boolean {
    const shown = this.fileInEditor();
    const hunk = shown?.file.changes.hunks.find(each => each.id === id);
    const editor = vscode.window.activeTextEditor;
    if (!editor || !hunk || shown?.file.path !== path) return false;
    const place = new vscode.Position(anchorLine(hunk, shown.side), 0);
    editor.selection = new vscode.Selection(place, place);
    editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    return true;
  }
}

/** A line of a file, 0-based. */
export interface FileLine {
  readonly path: string;
  readonly line: number;
  /** The last line, if there are several. */
  readonly last?: number;
}

const pathOf = (place: HunkLocation | FileRow): string => ("path" in place ? place.path : place.file.path);

/** The most files that a message names. */
const maxNamedFiles = 10;

function deletionLines(paths: readonly string[]): readonly string[] {
  const names = paths.slice(0, maxNamedFiles).map(path => vscode.workspace.asRelativePath(path));
  const more = paths.length - names.length;
  return [
    paths.length === 1
      ? vscode.l10n.t("The agent created this file. It will be deleted:")
      : vscode.l10n.t("The agent created these files. They will be deleted:"),
    ...names,
    ...(more > 0 ? [vscode.l10n.t("and {0} more", more)] : []),
  ];
}

function lossLines(losses: readonly UndoLoss[]): readonly string[] {
  const rows = losses.slice(0, maxNamedFiles).map(({ path, why }) => `${basename(path)}: ${why}`);
  const more = losses.length - rows.length;
  return [
    vscode.l10n.t("These files cannot be undone and stay as they are:"),
    ...rows,
    ...(more > 0 ? [vscode.l10n.t("{0} more files", more)] : []),
  ];
}
