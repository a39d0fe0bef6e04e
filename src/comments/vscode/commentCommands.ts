// The commands of comments. VS Code passes a thread, what was written in it, or a comment of it.
import * as vscode from "vscode";
import { withTimeout } from "../../base/async.ts";
import type { Memento } from "../../base/memento.ts";
import { isRecord } from "../../base/validators.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import type { EditorComments } from "../../editor/editorComments.ts";
import type { LineRange } from "../../review/hunk.ts";
import type { CommentedReview } from "../reviewedComments.ts";
import { pickQuestion } from "./askAtSelection.ts";
import type { CommentActions, WrittenRemark } from "./commentActions.ts";
import { commentOfRow } from "./commentRows.ts";
import type { CommentThreads } from "./commentThreads.ts";
import type { ReviewsByAgents } from "./reviewsByAgents.ts";

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
  | "parley.askAtSelection"
  | "parley.reviewChangesWith";

export interface CommentCommandsOptions {
  readonly actions: CommentActions;
  readonly threads: CommentThreads;
  readonly editor: EditorComments;
  readonly review: CommentedReview;
  readonly reviews: Pick<ReviewsByAgents, "start">;
  /** Keeps the last questions. */
  readonly state: Memento;
  /** The id of the comment whose row in the Changes view was clicked. */
  readonly clickedComment: () => Promise<string | undefined>;
}

/** Handlers of the commands of comments. */
export function commentCommands(options: CommentCommandsOptions): CommandHandlers<CommentCommandId> {
  const { actions, threads, editor, review } = options;
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
    "parley.commentOnLines": async value => {
      const place = placeToComment(value, review);
      if (place) await showDocument(place.uri);
      await actions.commentOnLines(place?.lines, value === "inlineDiff");
    },
    "parley.askNow": reply => write(reply, true),
    "parley.addToReview": reply => write(reply, false),
    "parley.sendComments": () => actions.send(),
    "parley.sendComment": thread => withId(thread, id => actions.send(id)),
    "parley.discardComments": () => actions.discardCollected(),
    "parley.discardComment": thread => withId(thread, id => actions.discard(id)),
    "parley.changeCommentSession": thread => withId(thread, id => actions.changeSession(id)),
    "parley.resolveComment": thread => withId(thread, id => actions.resolve(id)),
    "parley.editComment": comment => withKey(comment, key => actions.edit(key)),
    "parley.saveComment": comment => withKey(comment, key => actions.endEdit(key, bodyOf(comment))),
    "parley.cancelCommentEdit": comment => withKey(comment, key => actions.endEdit(key)),
    "parley.stopComment": thread => actions.stop(idOf(thread)),
    "parley.showCommentInChat": thread => withId(thread, id => actions.showInChat(id)),
    "parley.askAtSelection": () => actions.askAtSelection(problems => pickQuestion(options.state, problems)),
    "parley.reviewChangesWith": () => options.reviews.start(),
    "parley.openComment": async row => {
      const id = commentOfRow(row) ?? (await options.clickedComment());
      if (id !== undefined) await actions.open(id);
    },
  };
}

function asWritten(value: unknown): WrittenRemark | undefined {
  if (!isRecord(value) || typeof value["text"] !== "string" || !isRecord(value["thread"])) return undefined;
  return { text: value["text"], thread: value["thread"] as unknown as vscode.CommentThread };
}

/** The text that the user wrote in a comment. */
function bodyOf(comment: unknown): string | undefined {
  const body = isRecord(comment) ? comment["body"] : undefined;
  return typeof body === "string" ? body : body instanceof vscode.MarkdownString ? body.value : undefined;
}

/** The lines of a hunk, or of the menu of a line number, which is 1-based. Undefined: those of the selection. */
function placeToComment(
  value: unknown,
  review: CommentedReview,
): { readonly uri: vscode.Uri; readonly lines: LineRange } | undefined {
  if (!isRecord(value)) return undefined;
  const { path, id, uri, lineNumber } = value;
  if (uri instanceof vscode.Uri && typeof lineNumber === "number")
    return { uri, lines: { from: lineNumber - 1, to: lineNumber } };
  if (typeof path !== "string" || typeof id !== "string") return undefined;
  const hunk = review.file(path)?.changes.hunks.find(one => one.id === id);
  if (!hunk) return undefined;
  const { from, to } = hunk.text;
  return { uri: vscode.Uri.file(path), lines: { from, to: Math.max(to, from + 1) } };
}

/** VS Code has moved the focus to the other side of a diff within this time. Milliseconds. */
const maxFocusTime = 1000;

/**
 * Shows a document, unless it is the active one. The text before changes has the same path as its file. The menu of a line number
 * opens without the focus, so the document can be the other side of the active diff.
 */
async function showDocument(uri: vscode.Uri): Promise<void> {
  const isShown = (): boolean => vscode.window.activeTextEditor?.document.uri.toString() === uri.toString();
  if (isShown()) return;
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const sides = input instanceof vscode.TabInputTextDiff ? [input.modified, input.original] : [];
  const side = sides.findIndex(one => one.toString() === uri.toString());
  if (side === -1) return void (await vscode.window.showTextDocument(uri, { preview: true }));
  let listener: vscode.Disposable | undefined;
  const focused = new Promise<void>(resolve => {
    listener = vscode.window.onDidChangeActiveTextEditor(() => isShown() && resolve());
  });
  if (side === 0) await vscode.commands.executeCommand("workbench.action.compareEditor.focusPrimarySide");
  else await vscode.commands.executeCommand("workbench.action.compareEditor.focusSecondarySide");
  await withTimeout(isShown() ? Promise.resolve() : focused, maxFocusTime, () => undefined);
  listener?.dispose();
}
