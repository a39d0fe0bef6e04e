// A comment on lines of a file, with its remarks and the answers to them: its data, and its changes. Pure.
import { changesBetween, runToEnd } from "../base/lineDiff.ts";
import {
  isFiniteNumber,
  isListOf,
  isNonNegativeInteger,
  isOneOf,
  isRecordWith,
  isString,
  isTrue,
  optional,
  type TypeOf,
} from "../base/validators.ts";
import type { LineRange } from "../review/hunk.ts";
import { textLinesOf } from "../review/textLines.ts";
import {
  editsOfChanges,
  findLines,
  findOnlyLines,
  insertedLines,
  moveLinesBy,
  textOfLines,
  type LineEdit,
} from "./movedLines.ts";

const isRemark = isRecordWith({
  id: isString,
  text: isString,
  /** When it was written, ms since the epoch. */
  at: isFiniteNumber,
  /** The id of the prompt that it was sent with. Absent: it is collected. */
  prompt: optional(isString),
  /** The id of the session that got it. Absent: that of the comment. */
  session: optional(isString),
  /** Its number among the comments of that prompt, from 1, and how many there were. */
  number: optional(isNonNegativeInteger),
  of: optional(isNonNegativeInteger),
  /** The answer of the agent so far. */
  answer: optional(isString),
  /** The end of the answer. Absent: it has not ended. */
  end: optional(isOneOf("done", "stopped", "failed")),
  /** The name of the agent that answers. */
  agent: optional(isString),
  /** An agent wrote it, as part of its answer to the prompt. The text is Markdown. */
  isAgents: optional(isTrue),
});

/** The words of the user about the lines, and the answer of the agent. An agent that reviews changes writes some, too. */
export interface Remark extends TypeOf<typeof isRemark> {}

/** Whether a value is a stored comment. */
export const isLineComment = isRecordWith({
  id: isString,
  /** The id of the session that gets it. Absent: the one that the chat shows when it is sent. */
  session: optional(isString),
  /** The document, as VS Code writes its URI. */
  uri: isString,
  /** The absolute path of the file, also if the document is the text before its changes. Absent: it is no file. */
  path: optional(isString),
  /** The document is the text before changes, the left side of a diff. */
  isBefore: optional(isTrue),
  lines: isRecordWith({ from: isNonNegativeInteger, to: isNonNegativeInteger }),
  /** The text of the lines when the comment was written, and their text now if it is another one. */
  quoted: isString,
  now: optional(isString),
  remarks: isListOf(isRemark),
  /** The lines are gone: they were removed, or the change that they belong to was undone. */
  gone: optional(isOneOf("removed", "undone")),
  /** The id of the hunk that the lines belong to, and the text of the lines while it was there. */
  hunk: optional(isString),
  hunkLines: optional(isString),
  /** The turns that had changed the lines when a remark was sent last. */
  turnsBefore: optional(isListOf(isString)),
  /** The lines were edited since then. */
  isTouched: optional(isTrue),
  /** The id of the hunk with which the agent answered. */
  answeredBy: optional(isString),
  isResolved: optional(isTrue),
});

/** A comment on lines of a document. */
export interface LineComment extends TypeOf<typeof isLineComment> {}

/** `collected`: a remark is not sent yet. `answered`: the agent has changed the lines since. */
export type CommentState = "collected" | "sent" | "answered" | "resolved";

/** The state of a comment, which follows from what happened to it. */
export function commentState(comment: LineComment): CommentState {
  if (comment.isResolved) return "resolved";
  if (isCollected(comment)) return "collected";
  return comment.answeredBy === undefined ? "sent" : "answered";
}

/** Whether a remark is not sent yet. */
const isCollected = ({ remarks }: LineComment): boolean => remarks.some(({ prompt }) => prompt === undefined);

/** Whether the answer to a remark has not ended yet. */
export const isAwaited = ({ prompt, end }: Remark): boolean => prompt !== undefined && end === undefined;

/** Whether a remark was sent, so that there is a conversation about the comment. */
export const wasSent = ({ remarks }: LineComment): boolean => remarks.some(({ prompt }) => prompt !== undefined);

/** Whether an answer to one of the remarks has not ended yet. */
export const isAwaitingAnswer = ({ remarks }: LineComment): boolean => remarks.some(isAwaited);

/** The session that answers a remark. The user can choose another one for the remarks that are not sent. */
export const answeringSession = ({ session }: LineComment, remark: Remark | undefined): string | undefined =>
  remark?.session ?? session;

/** The remark that was sent last. */
export const lastSentRemark = ({ remarks }: LineComment): Remark | undefined =>
  remarks.findLast(({ prompt }) => prompt !== undefined);

/** The session with the conversation about a comment: the one that got a remark last. */
export const conversationOf = (comment: LineComment): string | undefined =>
  answeringSession(comment, lastSentRemark(comment));

/** The text of the lines as they are now, or as they were last. */
export const linesNow = ({ quoted, now = quoted }: LineComment): string => now;

/** A new comment without a remark. `text`: the text of the document. */
export function newComment(
  place: Pick<LineComment, "id" | "uri" | "path" | "isBefore" | "lines" | "session" | "hunk">,
  text: string,
): LineComment {
  const lines = withinText(place.lines, text);
  const quoted = textOfLines(text, lines);
  return { ...place, lines, quoted, remarks: [], ...(place.hunk !== undefined && { hunkLines: quoted }) };
}

/** The lines that the text has. A text without any has an empty first line. */
function withinText({ from, to }: LineRange, text: string): LineRange {
  const count = Math.max(1, textLinesOf(text).count);
  const first = Math.min(from, count - 1);
  return { from: first, to: Math.max(first + 1, Math.min(to, count)) };
}

/**
 * The comment after edits of its document, whose text is `after` now. Lines that the edits bring back, or move, are found
 * again; other lines with the same text are not.
 */
export function afterEdits(comment: LineComment, edits: readonly LineEdit[], after: string): LineComment {
  const { lines, isTouched } = moveLinesBy(comment.lines, edits);
  const isGone = comment.gone !== undefined || lines.to <= lines.from;
  if (!isGone && !isTouched) return placed(comment, lines, after);
  const inserted = insertedLines(edits);
  const isInserted = (one: LineRange): boolean => inserted.some(({ from, to }) => from <= one.from && one.to <= to);
  const { gone: _, ...there } = comment;
  const touched: LineComment = { ...there, isTouched: true };
  const back = findLines(after, comment.quoted, lines.from, isInserted);
  if (back) return placed(touched, back, after);
  if (!isGone) return placed(touched, lines, after);
  const moved = findLines(after, linesNow(comment), lines.from, isInserted);
  // The lines were replaced by others before, and these are gone, but the first ones are there again.
  const first = comment.now === undefined ? undefined : findOnlyLines(after, comment.quoted);
  const found = moved ?? (comment.gone === undefined ? first : undefined);
  if (found) return placed(touched, found, after);
  const nowhere = { ...comment, lines: place(lines, after) };
  return comment.gone === undefined ? gone(nowhere, "removed") : nowhere;
}

/** Longer texts are not compared, because that would hold up the extension host. Their lines are searched. Characters. */
const maxComparedLength = 1_000_000;

/**
 * What happens to the comments of a document that has another text, which was `before`. Undefined as `before`: it is not known.
 * The texts are compared once.
 */
export function replacement(before: string | undefined, after: string | null): (comment: LineComment) => LineComment {
  if (after === null) return comment => gone(comment, "removed");
  if (before === undefined || before.length + after.length > maxComparedLength)
    return comment => {
      const isThere = textOfLines(after, comment.lines) === linesNow(comment) && comment.gone === undefined;
      return isThere ? comment : foundAgain(comment, after);
    };
  const edits = editsOfChanges(runToEnd(changesBetween(before, after)));
  return comment => afterEdits(comment, edits, after);
}

/** Lines that are gone have a place, where the comment is shown: a line of the text. */
function place({ from }: LineRange, text: string): LineRange {
  const line = Math.max(0, Math.min(from, textLinesOf(text).count - 1));
  return { from: line, to: line };
}

const gone = (comment: LineComment, why: NonNullable<LineComment["gone"]>): LineComment => ({
  ...comment,
  lines: { from: comment.lines.from, to: comment.lines.from },
  gone: why,
});

/** The comment in a text whose edits are not known. */
function foundAgain(comment: LineComment, text: string): LineComment {
  const { gone: _, ...there } = comment;
  const near = comment.lines.from;
  const found =
    comment.gone === undefined
      ? (findLines(text, linesNow(comment), near) ?? findLines(text, comment.quoted, near))
      : (findOnlyLines(text, comment.quoted) ?? findOnlyLines(text, linesNow(comment)));
  if (found) return placed(there, found, text);
  return comment.gone === undefined ? gone(comment, "removed") : { ...comment, lines: place(comment.lines, text) };
}

/** The comment at these lines of the text. */
function placed(comment: LineComment, lines: LineRange, text: string): LineComment {
  const { now: before, ...rest } = comment;
  const now = textOfLines(text, lines);
  const { from, to } = comment.lines;
  if (from === lines.from && to === lines.to && now === (before ?? comment.quoted)) return comment;
  return { ...rest, lines, ...(now !== comment.quoted && { now }) };
}

/** A hunk of the file of a comment, as far as comments need it. */
export interface CommentedHunk {
  readonly id: string;
  readonly lines: LineRange;
  readonly turns: readonly string[];
}

/** Whether the hunk is at the lines. Removed lines are at the line after them. */
export const isAtLines = ({ lines: hunk }: CommentedHunk, { from, to }: LineRange): boolean =>
  hunk.from < Math.max(to, from + 1) && from < Math.max(hunk.to, hunk.from + 1);

/** The work of the session that got the last remark of a comment. */
export interface SessionWork {
  /** Whether the turn belongs to the session. */
  readonly hasTurn: (turn: string) => boolean;
  /** Its turn in progress. */
  readonly running: string | undefined;
  /** The remark waits until that turn ends, so the turn does not answer it. */
  readonly isQueued: boolean;
}

/**
 * The comment with what the review says of its file. A hunk that is gone was kept if the lines stayed the same, and undone
 * otherwise.
 */
export function afterReview(comment: LineComment, hunks: readonly CommentedHunk[], work: SessionWork): LineComment {
  return withAnsweringHunk(withOwnHunk(comment, hunks), hunks, work);
}

function withOwnHunk(comment: LineComment, hunks: readonly CommentedHunk[]): LineComment {
  const { hunk, hunkLines, ...others } = comment;
  if (hunk === undefined) return comment;
  const now = linesNow(comment);
  if (hunks.some(({ id }) => id === hunk)) return hunkLines === now ? comment : { ...comment, hunkLines: now };
  if (hunks.some(one => isAtLines(one, comment.lines)) || comment.gone !== undefined) return others;
  // The decision on a hunk settles what only reviewers have written about it.
  if (comment.remarks.length > 0 && comment.remarks.every(one => one.isAgents)) return { ...others, isResolved: true };
  return hunkLines === now ? others : gone({ ...others, ...(hunkLines !== undefined && { now: hunkLines }) }, "undone");
}

function withAnsweringHunk(
  comment: LineComment,
  hunks: readonly CommentedHunk[],
  { hasTurn, running, isQueued }: SessionWork,
): LineComment {
  const here = hunks.filter(one => isAtLines(one, comment.lines));
  const { answeredBy, turnsBefore, isTouched, ...others } = comment;
  if (answeredBy !== undefined) {
    // The decision on the hunk resolves the comment if all of it was sent. A hunk that joined another one goes on under its id.
    if (hunks.some(({ id }) => id === answeredBy)) return comment;
    const [next] = here;
    if (next) return { ...comment, answeredBy: next.id };
    return isCollected(comment) ? others : { ...others, isResolved: true };
  }
  if (turnsBefore === undefined || commentState(comment) !== "sent") return comment;
  if (isQueued) {
    const turns = new Set([
      ...turnsBefore,
      ...here.flatMap(one => one.turns),
      ...(running === undefined ? [] : [running]),
    ]);
    return !isTouched && turns.size === turnsBefore.length ? comment : { ...others, turnsBefore: [...turns] };
  }
  if (!isTouched) return comment;
  const isNew = (turn: string): boolean => hasTurn(turn) && (turn === running || !turnsBefore.includes(turn));
  const answer = here.find(({ turns }) => turns.some(isNew));
  return answer ? { ...comment, answeredBy: answer.id } : comment;
}

/** The comment with another remark, which is collected. A comment that was resolved goes on. */
export function withRemark(comment: LineComment, remark: Pick<Remark, "id" | "text" | "at">): LineComment {
  const { isResolved: _, ...open } = comment;
  return { ...open, remarks: [...comment.remarks, remark] };
}

/** The comment without the remarks that are not sent. Undefined: it has no others. */
export function withoutCollected(comment: LineComment): LineComment | undefined {
  const remarks = comment.remarks.filter(({ prompt }) => prompt !== undefined);
  return remarks.length === 0 ? undefined : { ...comment, remarks };
}

/** The comment with another text of a remark that is not sent. */
export function withRemarkText(comment: LineComment, id: string, text: string): LineComment {
  return withRemarks(comment, one => (one.id === id && one.prompt === undefined ? { ...one, text } : one));
}

/** The prompt with which remarks were sent. */
export type SentRemark = Pick<Remark, "prompt" | "number" | "of" | "agent"> & { readonly session: string };

/** The comment whose collected remarks were sent. `turns`: those that have changed the lines. */
export function withSentRemarks(comment: LineComment, sent: SentRemark, turns: readonly string[]): LineComment {
  const { isTouched: _touched, answeredBy: _answered, ...rest } = comment;
  const after = withRemarks(rest, one => (one.prompt === undefined ? { ...one, ...sent } : one));
  return { ...after, session: sent.session, turnsBefore: turns };
}

/** The comment with each remark changed. The same object if none is. */
export function withRemarks(comment: LineComment, change: (remark: Remark) => Remark): LineComment {
  const remarks = comment.remarks.map(change);
  return remarks.every((one, at) => one === comment.remarks[at]) ? comment : { ...comment, remarks };
}
