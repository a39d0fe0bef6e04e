// The user's actions on comments: writing, sending, discarding and resolving them, and going to them.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { normalizeText, withLineFeeds } from "../../base/text.ts";
import { showErrorMessage, showInformationMessage, showQuickPick } from "../../editor/editorUi.ts";
import type { EditorComments } from "../../editor/editorComments.ts";
import { currentTextOf, openDocumentOf } from "../../editor/openDocuments.ts";
import type { LineRange } from "../../review/hunk.ts";
import { planAddress } from "../../session/planAddress.ts";
import { CommentsNotSent, type CommentSender } from "../commentSender.ts";
import {
  answeringSession,
  conversationOf,
  isAwaited,
  newComment,
  withRemark,
  withRemarkText,
  withoutCollected,
  type LineComment,
} from "../lineComment.ts";
import type { LineComments } from "../lineComments.ts";
import { hunkAt, isBeforeOneTurn, type CommentedReview } from "../reviewedComments.ts";
import { problemsAt } from "./askAtSelection.ts";
import { placeOf } from "./commentRows.ts";
import type { CommentThreads } from "./commentThreads.ts";

/** VS Code passes this to the commands below the text box of a thread. */
export type WrittenRemark = Pick<vscode.CommentReply, "thread" | "text">;

/** The sessions, as comments use them. */
export interface CommentSessions {
  /** The session that the chat shows. Undefined: it shows none. */
  readonly shown: () => string | undefined;
  /** Whether there is such a session. */
  readonly has: (id: string) => boolean;
  /** Ends the work on a prompt of a session. Returns whether there was any. */
  readonly stop: (id: string | undefined, prompt: string) => boolean;
  /** The session for a question at the selection. Rejects with a sentence if none can start. */
  readonly forQuestion: () => Promise<string>;
  /** Asks the user for a session. Undefined: cancelled. Rejects with a sentence if none can start. */
  readonly choose: () => Promise<string | undefined>;
  /** Shows a session in the chat. */
  readonly show: (id: string) => Promise<void>;
}

export interface CommentActionsOptions {
  readonly editor: EditorComments;
  readonly comments: LineComments;
  readonly threads: CommentThreads;
  readonly sender: CommentSender;
  readonly review: CommentedReview;
  readonly sessions: CommentSessions;
  /** Whether an agent works on a comment, or will. */
  readonly isWorking: (comment: LineComment) => boolean;
  /** Shows a short message, also to screen readers. */
  readonly announce: (words: string) => void;
  readonly log: Log;
}

export class CommentActions {
  readonly #options: CommentActionsOptions;

  constructor(options: CommentActionsOptions) {
    this.#options = options;
  }

  /**
   * Opens a text box at the selected lines of the active editor, or at these lines. Lines that have a comment show it.
   * `isInlineDiff`: the editor is a part of an inline diff, whose left side shows no comments.
   */
  async commentOnLines(lines?: LineRange, isInlineDiff = false): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const { announce } = this.#options;
    if (!editor) return announce(vscode.l10n.t("Open a file to comment on its lines."));
    if (isBaseDocument(editor.document.uri) && (isInlineDiff || showsInlineDiff()))
      return announce(vscode.l10n.t("Removed lines can have comments in a side-by-side diff only."));
    if (!this.#options.editor.canHaveComments(editor.document))
      return announce(
        vscode.l10n.t(
          "You can comment on files of the workspace, on the text before their changes in a diff, and on plans.",
        ),
      );
    if (needsGutter())
      return announce(
        vscode.l10n.t("This version of VS Code opens a comment here only with the + beside a line number."),
      );
    const place = lines ?? linesOf(editor.document, editor.selection);
    const thread = this.#openThreadAt(editor.document.uri, place);
    if (!thread) return this.#options.editor.openTextBox(editor.document, place);
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    const { end } = thread.range ?? editor.selection;
    editor.selection = new vscode.Selection(end, end);
    // The oldest supported version may lack it.
    const commands = await vscode.commands.getCommands(true);
    if (commands.includes("workbench.action.focusCommentOnCurrentLine"))
      await vscode.commands.executeCommand("workbench.action.focusCommentOnCurrentLine");
  }

  /**
   * The thread at lines that have a comment already. A resolved one makes room, because VS Code opens no text box at a line with
   * a thread.
   */
  #openThreadAt(uri: vscode.Uri, { from, to }: LineRange): vscode.CommentThread | undefined {
    const { comments, threads } = this.#options;
    const isAtLastLine = ({ lines }: LineComment): boolean =>
      Math.max(lines.from, lines.to - 1) === Math.max(from, to - 1);
    const there = comments.all.filter(one => one.uri === uri.toString() && isAtLastLine(one));
    for (const { id, isResolved } of there) if (isResolved) comments.remove(id);
    const open = there.find(({ isResolved }) => !isResolved);
    return open && threads.get(open.id);
  }

  /** Adds the remark to its thread, and sends it at once if `isSent`. */
  async write({ thread, text }: WrittenRemark, isSent: boolean): Promise<void> {
    if (text.trim() === "") return;
    const { comments, announce } = this.#options;
    const id = this.#options.threads.idOf(thread) ?? (await this.#newComment(thread));
    comments.change(id, one => withRemark(one, { id: randomUUID(), text: text.trim(), at: Date.now() }));
    // VS Code empties the text box when this command ends, so it does not wait for an agent that starts.
    if (isSent) return this.#sendSoon([id]);
    const { length } = comments.collected;
    announce(
      length === 1
        ? vscode.l10n.t("1 comment is waiting. “Send Comments” sends it.")
        : vscode.l10n.t("{0} comments are waiting. “Send Comments” sends them together.", length),
    );
  }

  /** Sends all collected comments, or this one. */
  send(id?: string): void {
    const ids = id === undefined ? this.#options.comments.collected.map(one => one.id) : [id];
    if (ids.length === 0) return this.#options.announce(vscode.l10n.t("There are no comments to send."));
    this.#sendSoon(ids);
  }

  /** Discards a comment with its answers. A message offers to bring it back. */
  async discard(id: string): Promise<void> {
    await this.#discard([id], () => undefined);
  }

  /** Discards all remarks that are not sent. A message offers to bring them back. */
  async discardCollected(): Promise<void> {
    const { comments, announce } = this.#options;
    const ids = comments.collected.map(({ id }) => id);
    if (ids.length === 0) return announce(vscode.l10n.t("There are no comments to discard."));
    await this.#discard(ids, withoutCollected);
  }

  /** `rest`: the part of a comment that stays. Undefined: none of it. */
  async #discard(ids: readonly string[], rest: (comment: LineComment) => LineComment | undefined): Promise<void> {
    const { comments } = this.#options;
    const discarded = ids.flatMap(id => {
      const comment = comments.get(id);
      return comment ? [{ comment, text: comments.textOf(comment.uri) }] : [];
    });
    if (discarded.length === 0) return;
    for (const { comment } of discarded) {
      const kept = rest(comment);
      if (kept) comments.change(comment.id, () => kept);
      else comments.remove(comment.id);
    }
    const undo = vscode.l10n.t("Undo");
    const text =
      discarded.length === 1
        ? vscode.l10n.t("The comment was discarded.")
        : vscode.l10n.t("{0} comments were discarded.", discarded.length);
    if ((await showInformationMessage(text, undo)) !== undo) return;
    for (const one of discarded) await this.#putBack(one.comment, one.text);
  }

  /** `before`: the text of its document when the comment was discarded. */
  async #putBack(comment: LineComment, before: string | undefined): Promise<void> {
    const { comments } = this.#options;
    const now = await textOfUri(vscode.Uri.parse(comment.uri, true));
    const kept = comments.get(comment.id);
    if (!kept) return comments.putBack(comment, before, now);
    const known = new Set(kept.remarks.map(({ id }) => id));
    const missing = comment.remarks.filter(({ id }) => !known.has(id));
    comments.change(comment.id, one => missing.reduce(withRemark, one));
  }

  /** The user chooses the session that gets a comment. */
  async changeSession(id: string): Promise<void> {
    const session = await this.#options.sessions.choose();
    if (session !== undefined) this.#options.comments.change(id, one => ({ ...one, session }));
  }

  /** The comment needs no more work. */
  resolve(id: string): void {
    const { comments, announce } = this.#options;
    const isCollected = comments.collected.some(one => one.id === id);
    comments.change(id, one => ({ ...one, isResolved: true }));
    if (isCollected) announce(vscode.l10n.t("The comment was resolved without sending your last reply."));
  }

  /** Shows a remark as a text box. */
  edit(key: string): void {
    this.#setEditing(key, true);
  }

  /** Ends the editing of a remark, with its text or as it was. */
  endEdit(key: string, text?: string): void {
    const { comments, announce } = this.#options;
    const comment = this.#ofRemark(key);
    if (!comment) return;
    const { id } = comment;
    const isSent = comment.remarks.some(one => one.id === key && one.prompt !== undefined);
    if (text !== undefined && isSent)
      announce(vscode.l10n.t("The comment was sent before you saved it, so the agent has its earlier text."));
    else if (text !== undefined && text.trim() !== "")
      comments.change(id, one => withRemarkText(one, key, text.trim()));
    this.#setEditing(key, false);
    this.#options.threads.showAgain(id);
  }

  /** Stops the work on a comment, or on one that the user picks. */
  async stop(id?: string): Promise<void> {
    const chosen = id ?? (await this.#pickWorking());
    const comment = chosen === undefined ? undefined : this.#options.comments.get(chosen);
    if (!comment) return;
    const { sessions, announce } = this.#options;
    const stopped = comment.remarks
      .filter(isAwaited)
      .map(one => sessions.stop(answeringSession(comment, one), one.prompt ?? ""));
    if (!stopped.includes(true)) announce(vscode.l10n.t("No agent is working on this comment."));
  }

  async #pickWorking(): Promise<string | undefined> {
    const working = this.#options.comments.all.filter(this.#options.isWorking);
    if (working.length === 0) this.#options.announce(vscode.l10n.t("No agent is working on a comment."));
    if (working.length < 2) return working[0]?.id;
    const picks = working.map(comment => ({
      label: comment.remarks.at(-1)?.text.split("\n")[0] ?? "",
      description: placeOf(comment),
      id: comment.id,
    }));
    return (await showQuickPick(picks, { title: vscode.l10n.t("Stop Work on Comment") }))?.id;
  }

  /** Shows the conversation of a comment. */
  async showInChat(id: string): Promise<void> {
    const comment = this.#options.comments.get(id);
    const session = comment && conversationOf(comment);
    if (session === undefined || !this.#options.sessions.has(session))
      throw new Error(vscode.l10n.t("The session of this comment was deleted."));
    await this.#options.sessions.show(session);
  }

  /** Opens the document of a comment at its lines. */
  async open(id: string): Promise<void> {
    const comment = this.#options.comments.get(id);
    if (!comment) return;
    const { from } = comment.lines;
    const selection = new vscode.Range(from, 0, from, 0);
    await vscode.window.showTextDocument(vscode.Uri.parse(comment.uri, true), { preview: true, selection });
    const thread = this.#options.threads.get(id);
    if (thread) thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
  }

  /** Asks about the selected lines of the active editor: what `pick` returns. The chat needs not be open. */
  async askAtSelection(pick: (problems: readonly string[]) => Promise<string | undefined>): Promise<void> {
    const { announce, sessions, comments } = this.#options;
    const editor = vscode.window.activeTextEditor;
    if (!editor) return announce(vscode.l10n.t("Open a file to ask about its lines."));
    const { document } = editor;
    if (document.uri.scheme === "vscode-notebook-cell")
      return announce(vscode.l10n.t("Parley cannot ask at cells of a notebook. Add the notebook to the chat instead."));
    if (document.isUntitled) return announce(vscode.l10n.t("Save the file first, so that the agent can change it."));
    if (!this.#options.editor.canHaveComments(document) || document.uri.scheme !== "file")
      return announce(vscode.l10n.t("Parley can ask at lines of files in the workspace only."));
    const text = await pick(problemsAt(document, linesOf(document, editor.selection)));
    if (text === undefined) return;
    // The document may have been edited meanwhile, and the selection with it.
    const id = this.#add(document, linesOf(document, editor.selection));
    comments.change(id, one => withRemark(one, { id: randomUUID(), text, at: Date.now() }));
    this.#sendSoon([id], sessions.forQuestion);
  }

  /** The comment that a thread becomes with its first remark. */
  async #newComment(thread: vscode.CommentThread): Promise<string> {
    const document = await vscode.workspace.openTextDocument(thread.uri);
    return this.#add(document, linesOf(document, thread.range ?? new vscode.Range(0, 0, 0, 0)), thread);
  }

  #add(document: vscode.TextDocument, lines: LineRange, thread?: vscode.CommentThread): string {
    const { comments, threads, review, sessions } = this.#options;
    const { uri } = document;
    const isBefore = isBaseDocument(uri);
    const path = isBefore || uri.scheme === "file" ? uri.fsPath : undefined;
    const hasHunks = path !== undefined && !isBeforeOneTurn({ uri: uri.toString(), ...(isBefore && { isBefore }) });
    const hunk = hasHunks ? hunkAt(review, path, lines, isBefore ? "base" : "text") : undefined;
    const owner = planAddress(uri)?.session ?? hunk?.session;
    const session = owner !== undefined && sessions.has(owner) ? owner : sessions.shown();
    const id = randomUUID();
    const text = withLineFeeds(document.getText());
    const place = {
      ...{ id, uri: uri.toString(), lines },
      ...(path !== undefined && { path }),
      ...(isBefore && { isBefore: true as const }),
      ...(session !== undefined && { session }),
      ...(hunk && { hunk: hunk.id }),
    };
    if (thread) threads.adopt(id, thread);
    comments.add(newComment(place, text), text);
    return id;
  }

  #sendSoon(ids: readonly string[], start?: () => Promise<string>): void {
    const { sender, log } = this.#options;
    const send = async (): Promise<void> => {
      try {
        await sender.send(ids, start);
      } catch (thrown) {
        log.error("Comments could not be sent.", asError(thrown).stack);
        await this.#reportNotSent(thrown, ids);
      }
    };
    send().catch((thrown: unknown) => void showErrorMessage(asError(thrown).message));
  }

  async #reportNotSent(thrown: unknown, wanted: readonly string[]): Promise<void> {
    const { ids, ofDeletedSessions } =
      thrown instanceof CommentsNotSent ? thrown : { ids: wanted, ofDeletedSessions: [] };
    const { message } = asError(thrown);
    const text =
      ids.length === 1
        ? vscode.l10n.t("{0} The comment is kept.", message)
        : vscode.l10n.t("{0} The comments are kept.", message);
    if (ofDeletedSessions.length === 0) return void (await showErrorMessage(text));
    const change = vscode.l10n.t("Change Session…");
    if ((await showErrorMessage(text, change)) !== change) return;
    const session = await this.#options.sessions.choose();
    if (session === undefined) return;
    for (const id of ofDeletedSessions) this.#options.comments.change(id, one => ({ ...one, session }));
    this.#sendSoon(ofDeletedSessions);
  }

  #ofRemark(key: string): LineComment | undefined {
    return this.#options.comments.all.find(({ remarks }) => remarks.some(one => one.id === key));
  }

  #setEditing(key: string, isEditing: boolean): void {
    const id = this.#ofRemark(key)?.id;
    const thread = id === undefined ? undefined : this.#options.threads.get(id);
    if (thread) this.#options.editor.setEditing(thread, key, isEditing);
  }
}

/** Whether a document is the text before changes. */
const isBaseDocument = ({ scheme }: vscode.Uri): boolean => scheme === "parley-base";

/** Whether the active tab shows an inline diff because of VS Code's setting. In a narrow tab, only VS Code knows. */
function showsInlineDiff(): boolean {
  const isDiff = !(vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputText);
  return isDiff && vscode.workspace.getConfiguration("diffEditor").get("renderSideBySide") === false;
}

/**
 * Whether VS Code opens no text box by a command in the active tab. The oldest supported version does not know the editor with the
 * focus in a diff of several files, and the stable API has no class for the input of its tab.
 */
function needsGutter(): boolean {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const isKnown = input instanceof vscode.TabInputText || input instanceof vscode.TabInputTextDiff;
  return vscode.version.startsWith("1.100.") && !isKnown;
}

/**
 * The lines of a selection, or of a thread. One that ends at the start of a line does not include that line, unless the line is
 * empty, so that its start is its end.
 */
function linesOf(document: vscode.TextDocument, { start, end }: vscode.Range): LineRange {
  const isBeforeLine = end.line > start.line && end.character === 0 && !isEmptyLine(document, end.line);
  return { from: start.line, to: isBeforeLine ? end.line : end.line + 1 };
}

const isEmptyLine = (document: vscode.TextDocument, line: number): boolean =>
  line < document.lineCount && document.lineAt(line).text === "";

/** The text of a document now. Null: its file is gone. Undefined: it cannot be read. */
async function textOfUri(uri: vscode.Uri): Promise<string | null | undefined> {
  if (uri.scheme === "file") {
    const document = openDocumentOf(uri.fsPath);
    return document ? normalizeText(document.getText()) : currentTextOf(uri.fsPath);
  }
  const document = vscode.workspace.textDocuments.find(one => one.uri.toString() === uri.toString());
  return document && withLineFeeds(document.getText());
}
