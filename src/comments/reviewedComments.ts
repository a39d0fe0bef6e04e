// Connects comments with the review of changes: the hunk and the session that lines belong to, and the hunks that answer them.
import type { Review } from "../review/review.ts";
import { hunksBetween, type Side } from "../review/reviewPresentation.ts";
import type { Hunk, LineRange } from "../review/hunk.ts";
import { textLinesOf } from "../review/textLines.ts";
import {
  afterReview,
  conversationOf,
  isAtLines,
  type CommentedHunk,
  type LineComment,
  type SessionWork,
} from "./lineComment.ts";
import type { LineComments } from "./lineComments.ts";
import { markedLines } from "./markedLines.ts";

/** The review, as comments use it. */
export type CommentedReview = Pick<Review, "file" | "files" | "turns" | "onDidChange">;

const sideOf = ({ isBefore }: Pick<LineComment, "isBefore">): Side => (isBefore ? "base" : "text");

const hunkOn = (hunk: Hunk, side: Side): CommentedHunk => ({ id: hunk.id, lines: hunk[side], turns: hunk.turns });

/**
 * Whether a document is the text before one turn, whose lines are not those of the hunks. Its URI names
 * the turn, in contrast to that of the text before all changes.
 */
export const isBeforeOneTurn = ({ uri, isBefore }: Pick<LineComment, "uri" | "isBefore">): boolean =>
  isBefore === true && /\?turn(?:=|%3D)/.test(uri);

/** The hunks of the file of a comment, at their lines in its document. */
function hunksOf(review: CommentedReview, comment: LineComment): readonly CommentedHunk[] {
  const file = comment.path === undefined || isBeforeOneTurn(comment) ? undefined : review.file(comment.path);
  return file?.changes.hunks.map(hunk => hunkOn(hunk, sideOf(comment))) ?? [];
}

/** Updates all comments after a change of the review. `work`: that of the session which got the last remark of a comment. */
export function reviewComments(
  comments: LineComments,
  review: CommentedReview,
  work: (comment: LineComment) => Omit<SessionWork, "hasTurn"> | undefined,
): void {
  const sessions = new Map(review.turns.map(({ id, session }) => [id, session?.id]));
  comments.changeAll(comment => {
    const session = conversationOf(comment);
    const hasTurn = (turn: string): boolean => session !== undefined && sessions.get(turn) === session;
    const { running, isQueued = false } = work(comment) ?? {};
    return afterReview(comment, hunksOf(review, comment), { hasTurn, running, isQueued });
  });
}

/** The turns that have changed the lines of a comment. */
export const turnsAt = (review: CommentedReview, comment: LineComment): readonly string[] => [
  ...new Set(
    hunksOf(review, comment)
      .filter(hunk => isAtLines(hunk, comment.lines))
      .flatMap(({ turns }) => turns),
  ),
];

/** The hunk at lines of a file, and the session that changed them last. */
export function hunkAt(
  review: CommentedReview,
  path: string,
  lines: LineRange,
  side: Side,
): { readonly id: string; readonly session: string | undefined } | undefined {
  const changes = review.file(path)?.changes;
  const hunk = changes && hunksBetween(changes, lines.from, Math.max(lines.from, lines.to - 1), side)[0];
  if (!hunk) return undefined;
  const sessions = new Map(review.turns.map(({ id, session }) => [id, session?.id]));
  return { id: hunk.id, session: hunk.turns.map(turn => sessions.get(turn)).findLast(id => id !== undefined) };
}

/** The lines of the hunk that a comment belongs to, marked with `-` and `+`. Empty: there is none. */
export function changeLines(review: CommentedReview, { path, hunk: id }: LineComment): readonly string[] {
  const file = path === undefined ? undefined : review.file(path);
  const hunk = file?.changes.hunks.find(one => one.id === id);
  if (!file || !hunk) return [];
  const { base, text } = file.changes;
  return [
    ...markedLines(textLinesOf(base ?? ""), hunk.base, "-"),
    ...markedLines(textLinesOf(text ?? ""), hunk.text, "+"),
  ];
}
