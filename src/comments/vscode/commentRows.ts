// The rows of comments in the Changes view: those that need someone, with what they wait for.
import { basename } from "node:path";
import * as vscode from "vscode";
import type { Event } from "../../base/lifecycle.ts";
import { treeItem } from "../../editor/editorItems.ts";
import type { OtherRows } from "../../review/vscode/changesTree.ts";
import { commentState, isAwaitingAnswer, type LineComment } from "../lineComment.ts";
import type { LineComments } from "../lineComments.ts";
import { menuState } from "../shownThread.ts";

/** A row of the view: all comments, or one of them. */
interface CommentRow {
  readonly kind: "comments" | "comment";
  /** The id of the comment. */
  readonly id?: string;
}

/** The rows of the comments that are not resolved. */
export function commentRows(comments: LineComments): OtherRows {
  const open = (): readonly LineComment[] => comments.all.filter(one => commentState(one) !== "resolved");
  const onDidChange: Event<void> = listener => comments.onDidChange(() => listener());
  return {
    onDidChange,
    rows: parent => {
      const all = open();
      if (all.length === 0) return [];
      if (parent === undefined) return [{ kind: "comments" }];
      return parent.kind === "comments" ? all.map(({ id }): CommentRow => ({ kind: "comment", id })) : [];
    },
    itemOf: row => {
      const { kind, id = "" } = row as CommentRow;
      const comment = comments.get(id);
      return kind === "comments"
        ? groupItem(comments.collected.length)
        : comment
          ? commentItem(comment)
          : treeItem({ label: "" });
    },
  };
}

/** The id of the comment of a row. Undefined: it is another row. */
export function commentOfRow(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if ("row" in value) return commentOfRow(value.row);
  return "kind" in value && value.kind === "comment" && "id" in value && typeof value.id === "string"
    ? value.id
    : undefined;
}

/** `waiting`: the number of comments that are not sent. */
function groupItem(waiting: number): vscode.TreeItem {
  const description =
    waiting === 0 ? "" : waiting === 1 ? vscode.l10n.t("1 not sent") : vscode.l10n.t("{0} not sent", waiting);
  return treeItem({
    label: vscode.l10n.t("Comments"),
    id: "comments",
    collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
    contextValue: waiting === 0 ? "comments" : "comments.collected",
    iconPath: new vscode.ThemeIcon("comment-discussion"),
    description,
  });
}

/** The document and the line of a comment. */
export function placeOf({ path, uri, lines, isBefore }: LineComment): string {
  const document = basename(path === undefined ? vscode.Uri.parse(uri, true).path : path);
  return isBefore
    ? vscode.l10n.t("{0}, line {1} before the changes", document, lines.from + 1)
    : vscode.l10n.t("{0}, line {1}", document, lines.from + 1);
}

function commentItem(comment: LineComment): vscode.TreeItem {
  const { id, remarks } = comment;
  const words = stateWords(comment);
  const text = remarks.at(-1)?.text ?? "";
  const [line = ""] = text.split("\n");
  const place = placeOf(comment);
  const description = [place, words].filter(one => one !== "").join(" · ");
  return treeItem({
    label: line,
    id: `comment:${id}`,
    contextValue: `comment.${menuState(comment)}`,
    iconPath: new vscode.ThemeIcon(iconOf(comment)),
    description,
    // In a narrow view, only this has all of the place.
    tooltip: [...text.split("\n"), description],
    accessibleLabel: [line, place, words].filter(one => one !== "").join(", "),
    command: { command: "parley.openComment", title: vscode.l10n.t("Open Comment") },
  });
}

function stateWords(comment: LineComment): string {
  if (comment.gone !== undefined) return vscode.l10n.t("its lines are gone");
  if (commentState(comment) === "collected") return vscode.l10n.t("not sent");
  if (isAwaitingAnswer(comment)) return vscode.l10n.t("sent");
  return comment.remarks.at(-1)?.isAgents ? vscode.l10n.t("review") : vscode.l10n.t("answered");
}

function iconOf(comment: LineComment): string {
  if (comment.gone !== undefined) return "comment-unresolved";
  return commentState(comment) === "collected" ? "comment-draft" : "comment";
}
