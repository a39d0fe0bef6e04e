// The commands of comments. VS Code passes a thread, what was written in it, or a comment of it.
import * as vscode from "vscode";
import type { Memento } from "../../base/memento.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { EditorComments } from "../../editor/editorComments.ts";
import type { LineRange } from "../../review/hunk.ts";
import { commentState } from "../lineComment.ts";
import type { LineComments } from "../lineComments.ts";
import type { CommentedReview } from "../reviewedComments.ts";
import { pickQuestion } from "./askAtSelection.ts";
import type { CommentActions, WrittenRemark } from "./commentActions.ts";
import { commentOfRow } from "./commentRows.ts";
import type { CommentThreads } from "./commentThreads.ts";

type CommentCommandId =
  | "parley.commentOnLines"
  | "parley.askNow"
  | "parley.addToReview"
  | "parley.sendComments"
  | "parley.sendComment"
  | "parley.discardComments"
  | "parley.discardComment"
  | "parley.changeCommentSession"
  | "parley.resolveComment"
  | "parley.editComment"
  | "parley.saveComment"
  | "parley.cancelCommentEdit"
  | "parley.stopComment"
  | "parley.showCommentInChat"
  | "parley.openComment"
  | "parley.askAtSelection";

export interface CommentCommandsOptions {
  readonly actions: CommentActions;
  readonly threads: CommentThreads;
  readonly comments: LineComments;
  readonly editor: EditorComments;
  readonly review: CommentedReview;
  /** Keeps the last questions. */
  readonly state: Memento;
  /** The id of the comment whose row in the Changes view was clicked. */
  readonly clickedComment: () => Promise<string | undefined>;
}

/** Handlers of the commands of comments. */
export function commentCommands(options: CommentCommandsOptions): CommandHandlers<CommentCommandId> {
  const { actions, threads, comments, editor, review } = options;
  const write = async (value: unknown, isSent: boolean): Promise<void> => {
    const written = asWritten(value);
    if (written) await actions.write(written, isSent);
  };
  /** The id of the comment of a thread, or of a row. */
  const idOf = (value: unknown): string | undefined => threads.idOf(value) ?? commentOfRow(value);
  const withId = (value: unknown, run: (id: string) => Promise<void> | void): Promise<void> | void => {
    const id = idOf(value);
    return id === undefined ? undefined : run(id);
  };
  const withKey = (value: unknown, run: (key: string) => void): void => {
    const key = editor.keyOf(value);
    if (key !== undefined) run(key);
  };
  return {
    "parley.commentOnLines": async place => {
      const lines = await shownLines(place, review);
      await actions.commentOnLines(lines);
    },
    "parley.askNow": reply => write(reply, true),
    "parley.addToReview": reply => write(reply, false),
    "parley.sendComments": () => actions.send(),
    "parley.sendComment": thread => withId(thread, id => actions.send(id)),
    "parley.discardComments": () =>
      actions.discard(comments.all.filter(one => commentState(one) === "collected").map(({ id }) => id)),
    "parley.discardComment": thread => withId(thread, id => actions.discard([id])),
    "parley.changeCommentSession": thread => withId(thread, id => actions.changeSession(id)),
    "parley.resolveComment": thread => withId(thread, id => actions.resolve(id)),
    "parley.editComment": comment => withKey(comment, key => actions.edit(key)),
    "parley.saveComment": comment => withKey(comment, key => actions.endEdit(key, bodyOf(comment))),
    "parley.cancelCommentEdit": comment => withKey(comment, key => actions.endEdit(key)),
    "parley.stopComment": thread => actions.stop(idOf(thread)),
    "parley.showCommentInChat": thread => withId(thread, id => actions.showInChat(id)),
    "parley.askAtSelection": () => actions.askAtSelection(problems => pickQuestion(options.state, problems)),
    "parley.openComment": async row => {
      const id = commentOfRow(row) ?? (await options.clickedComment());
      if (id !== undefined) await actions.open(id);
    },
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function asWritten(value: unknown): WrittenRemark | undefined {
  if (!isRecord(value) || typeof value["text"] !== "string" || !isRecord(value["thread"])) return undefined;
  return { text: value["text"], thread: value["thread"] as unknown as vscode.CommentThread };
}

/** The text that the user wrote in a comment. */
function bodyOf(comment: unknown): string | undefined {
  const body = isRecord(comment) ? comment["body"] : undefined;
  return typeof body === "string" ? body : body instanceof vscode.MarkdownString ? body.value : undefined;
}

/**
 * The lines of a hunk, whose file is shown first, or of the menu of a line number, which is 1-based. Undefined: those of
 * the selection.
 */
async function shownLines(place: unknown, review: CommentedReview): Promise<LineRange | undefined> {
  if (!isRecord(place)) return undefined;
  const { path, id, lineNumber } = place;
  if (typeof lineNumber === "number") return { from: lineNumber - 1, to: lineNumber };
  if (typeof path !== "string" || typeof id !== "string") return undefined;
  const hunk = review.file(path)?.changes.hunks.find(one => one.id === id);
  if (!hunk) return undefined;
  if (vscode.window.activeTextEditor?.document.uri.fsPath !== path)
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true });
  return { from: hunk.text.from, to: Math.max(hunk.text.to, hunk.text.from + 1) };
}
