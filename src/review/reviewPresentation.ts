// The presentation of a review in the editor: the positions of hunks and marks, the rows of the tree, and the target of
// "next". Pure.
import type { FileChanges, Hunk, LineRange } from "./hunk.ts";
import type { Review, ReviewedFile, ReviewedTurn, ReviewTarget } from "./review.ts";
import { isOfMeanwhile, turnsOf } from "./trackedFile.ts";
import { meanwhileTurn, unknownTurn } from "../history/author.ts";
import { textLinesOf } from "./textLines.ts";

/** The two sides of a change. */
export type Side = "base" | "text";

const isEmpty = ({ from, to }: LineRange): boolean => from >= to;

/** The number of lines of a hunk on one side. */
const size = ({ from, to }: LineRange): number => to - from;

/**
 * The line at which a hunk is shown: its first line, or the line after removed lines. An editor also has a line after
 * the last line ending.
 */
export function anchorLine(hunk: Hunk, side: Side = "text"): number {
  return hunk[side].from;
}

/**
 * The hunks that the lines `first` to `last` touch. A hunk of removed lines counts at the line at which it is shown.
 */
export function hunksBetween(changes: FileChanges, first: number, last: number, side: Side = "text"): readonly Hunk[] {
  return changes.hunks.filter(hunk => {
    const { from, to } = hunk[side];
    return from <= last && first < Math.max(to, from + 1);
  });
}

/** A range of lines to mark. */
export interface HunkMark {
  readonly id: string;
  readonly kind: "added" | "changed" | "removed";
  readonly from: number;
  /** Exclusive. For removed lines, it is the next line. */
  readonly to: number;
}

/** The marks of an editor: one for each hunk. */
export function hunkMarks(changes: FileChanges): readonly HunkMark[] {
  return changes.hunks.map(({ id, base, text }): HunkMark => {
    // A new file without text has a line too.
    const isThere = !isEmpty(text) || changes.base === null;
    const kind = isThere ? (isEmpty(base) ? "added" : "changed") : "removed";
    return { id, kind, from: text.from, to: Math.max(text.to, text.from + 1) };
  });
}

/** The lens above a hunk. */
export interface HunkLens {
  readonly id: string;
  readonly line: number;
  readonly added: number;
  readonly removed: number;
  /** The 1-based position of the hunk among those of its file. */
  readonly position: number;
  readonly count: number;
}

/** One lens for each hunk of a file that exists. */
export function hunkLenses(changes: FileChanges): readonly HunkLens[] {
  if (changes.text === null) return [];
  const { length: count } = changes.hunks;
  return changes.hunks.map((hunk, at) => ({
    id: hunk.id,
    line: anchorLine(hunk),
    ...countsOf(hunk),
    position: at + 1,
    count,
  }));
}

/** The maximum number of lines to list one by one. */
const maxMenuLines = 5000;

/** The lines of an editor that have a hunk, for a menu. Only the first ones if there are very many. */
export function linesWithHunks(changes: FileChanges): readonly number[] {
  const lines: number[] = [];
  for (const { from, to } of hunkMarks(changes)) {
    for (let line = from; line < to && lines.length < maxMenuLines; line++) lines.push(line);
  }
  return lines;
}

/** A location in a review: a hunk of a file. */
export interface HunkLocation {
  readonly path: string;
  readonly id: string;
}

/** The location of the user's cursor. */
export interface CursorLocation {
  readonly path: string;
  readonly line: number;
  readonly side?: Side;
}

/** The hunk before or after a location, in its file, then in the next file, and around again. */
export function adjacentHunk(
  files: readonly ReviewedFile[],
  at: CursorLocation | undefined,
  direction: "next" | "previous",
): HunkLocation | undefined {
  const step = direction === "next" ? 1 : -1;
  const stops = files.filter(file => file.changes.hunks.length > 0);
  const here = stops.findIndex(file => file.path === at?.path);
  const file = stops[here];
  if (file && at) {
    const { line, side = "text" } = at;
    // From within a hunk, "previous" goes to the hunk before it, not to its own start.
    const own = hunksBetween(file.changes, line, line, side)[0];
    const start = own ? anchorLine(own, side) : line;
    const beyond = file.changes.hunks.filter(hunk => hunk !== own && (anchorLine(hunk, side) - start) * step > 0);
    const hunk = direction === "next" ? beyond[0] : beyond.at(-1);
    if (hunk) return { path: file.path, id: hunk.id };
  }
  const to = file
    ? stops.at((here + step) % stops.length)
    : (stops.find(each => each.path > (at?.path ?? "")) ?? stops[0]);
  const { hunks } = to?.changes ?? { hunks: [] };
  const hunk = direction === "next" || !file ? hunks[0] : hunks.at(-1);
  return to && hunk && { path: to.path, id: hunk.id };
}

/** The first hunk of the file with hunks after the given one, and around again. Undefined if no other file has hunks. */
export function nextFile(files: readonly ReviewedFile[], path = ""): HunkLocation | undefined {
  const others = files.filter(file => file.path !== path && file.changes.hunks.length > 0);
  const file = others.find(other => other.path > path) ?? others[0];
  const [hunk] = file?.changes.hunks ?? [];
  return file && hunk && { path: file.path, id: hunk.id };
}

/** The text before some of a file's hunks, which still contains the others. `null`: the file did not exist. */
export function textBefore(changes: FileChanges, isReverted: (hunk: Hunk) => boolean): string | null {
  const { base, text, hunks } = changes;
  if (hunks.every(isReverted)) return base;
  if (!hunks.some(isReverted)) return text;
  const from = textLinesOf(base ?? "");
  const to = textLinesOf(text ?? "");
  let result = "";
  let at = 0;
  for (const hunk of hunks) {
    result += from.slice({ from: at, to: hunk.base.from });
    result += isReverted(hunk) ? from.slice(hunk.base) : to.slice(hunk.text);
    at = hunk.base.to;
  }
  return result + from.slice({ from: at, to: from.count });
}

interface Counts {
  readonly added: number;
  readonly removed: number;
}

/** A row of the tree of changes. */
export type ChangeRow = SessionRow | TurnRow | FileRow | HunkRow;

export interface SessionRow extends Counts {
  readonly kind: "session";
  /** The id of the session. Undefined: the changes that no agent reported while several were working, or the next. */
  readonly id: string | undefined;
  /** The changes that were made while no tool call ran, perhaps by the user. */
  readonly isMeanwhile?: true;
  readonly title: string;
  readonly turns: readonly string[];
  /** Its turns if there are several, otherwise the files. */
  readonly rows: readonly (TurnRow | FileRow)[];
}

export interface TurnRow extends Counts {
  readonly kind: "turn";
  readonly id: string;
  readonly title: string;
  readonly files: readonly FileRow[];
}

export interface FileRow extends Counts {
  readonly kind: "file";
  readonly file: ReviewedFile;
  /** Below a turn: only the hunks of that turn. */
  readonly turn?: string;
  readonly hunks: readonly Hunk[];
}

export interface HunkRow extends Counts {
  readonly kind: "hunk";
  readonly file: ReviewedFile;
  readonly turn?: string;
  readonly id: string;
  /** 0-based. */
  readonly line: number;
  /** A text to identify the hunk: its first line that is not blank. */
  readonly words: string;
}

/** The top rows of the tree: sessions if there are several, otherwise turns if there are several, otherwise files. */
export function changeRows({
  files,
  turns,
}: Pick<Review, "files" | "turns">): readonly (SessionRow | TurnRow | FileRow)[] {
  const meanwhile = turns.find(({ id }) => id === meanwhileTurn);
  const agents = files.filter(({ isMeanwhile }) => !isMeanwhile);
  if (!meanwhile) return agentRows(agents, turns);
  const own = sessionRow(files, [meanwhile]);
  return [...agentRows(agents, agentTurns({ turns })), { ...own, id: undefined, isMeanwhile: true }];
}

/** The turns of agents: all but that of the changes that were made meanwhile. */
export const agentTurns = ({ turns }: Pick<Review, "turns">): readonly ReviewedTurn[] =>
  turns.filter(({ id }) => id !== meanwhileTurn);

function agentRows(
  files: readonly ReviewedFile[],
  turns: readonly ReviewedTurn[],
): readonly (SessionRow | TurnRow | FileRow)[] {
  const known = new Set(turns.map(({ id }) => id));
  const others = files.filter(file => !file.turns.some(turn => known.has(turn))).map(file => fileRow(file));
  const sessions = sessionsOf(turns);
  if (sessions.length > 1 || turns.some(({ id }) => id === unknownTurn))
    return [...sessions.map(own => sessionRow(files, own)), ...others];
  if (turns.length < 2) return files.map(file => fileRow(file));
  return [...turns.map(turn => turnRow(files, turn)).filter(row => row.files.length > 0), ...others];
}

/** The turns by session. Those whose session is not known belong together, and the unknown agent comes last. */
function sessionsOf(turns: Review["turns"]): readonly (readonly [ReviewedTurn, ...ReviewedTurn[]])[] {
  const sessions = new Map<string, [ReviewedTurn, ...ReviewedTurn[]]>();
  for (const turn of turns) {
    const key = turn.id === unknownTurn ? unknownTurn : `session ${turn.session?.id ?? ""}`;
    const own = sessions.get(key);
    if (own) own.push(turn);
    else sessions.set(key, [turn]);
  }
  const unknown = sessions.get(unknownTurn);
  sessions.delete(unknownTurn);
  return [...sessions.values(), ...(unknown ? [unknown] : [])];
}

function sessionRow(files: readonly ReviewedFile[], own: readonly [ReviewedTurn, ...ReviewedTurn[]]): SessionRow {
  const last = own.at(-1) ?? own[0];
  const turns = own.map(({ id }) => id);
  const rows = own.map(turn => turnRow(files, turn)).filter(row => row.files.length > 0);
  const [only] = rows;
  return {
    kind: "session",
    id: last.id === unknownTurn ? undefined : (last.session?.id ?? ""),
    title: last.session?.title ?? last.title,
    turns,
    rows: only && rows.length === 1 ? only.files : rows,
    ...sum(rows),
  };
}

function turnRow(files: readonly ReviewedFile[], { id, title }: ReviewedTurn): TurnRow {
  const own = files.filter(file => file.turns.includes(id)).map(file => fileRow(file, id));
  return { kind: "turn", id, title, files: own, ...sum(own) };
}

function fileRow(file: ReviewedFile, turn?: string): FileRow {
  const { changes, added, removed } = file;
  if (turn === undefined) {
    if (!file.turns.includes(meanwhileTurn)) return { kind: "file", file, hunks: changes.hunks, added, removed };
    const own = changes.hunks.filter(hunk => !isOfMeanwhile(hunk));
    return { kind: "file", file, hunks: own, ...sum(own.map(countsOf)) };
  }
  const hunks = changes.hunks.filter(hunk => hunk.turns.includes(turn));
  return { kind: "file", file, turn, hunks, ...sum(hunks.map(countsOf)) };
}

const countsOf = ({ base, text }: Hunk): Counts => ({ added: size(text), removed: size(base) });

/** The number of lines of a hunk to search for a text that identifies it. */
const maxScannedLines = 50;

/** The rows of a file's hunks. */
export function hunkRows({ file, turn, hunks }: FileRow): readonly HunkRow[] {
  const { changes } = file;
  const before = textLinesOf(changes.base ?? "");
  const now = textLinesOf(changes.text ?? "");
  return hunks.map(hunk => {
    const [lines, { from, to }] = isEmpty(hunk.text) ? [before, hunk.base] : [now, hunk.text];
    const scanned = lines.slice({ from, to: Math.min(to, from + maxScannedLines) });
    const words = scanned.split("\n").find(line => line.trim() !== "") ?? "";
    return {
      kind: "hunk",
      file,
      ...(turn !== undefined && { turn }),
      id: hunk.id,
      line: anchorLine(hunk),
      words: words.trim().slice(0, 100),
      ...countsOf(hunk),
    };
  });
}

function sum(counts: readonly Counts[]): Counts {
  return {
    added: counts.reduce((all, { added }) => all + added, 0),
    removed: counts.reduce((all, { removed }) => all + removed, 0),
  };
}

/** The target of a decision on a row. */
export function reviewTargetOf(row: ChangeRow): ReviewTarget {
  switch (row.kind) {
    case "session":
      return { kind: "turns", turns: row.turns };
    case "turn":
      return { kind: "turn", turn: row.id };
    case "file": {
      const { path, changes } = row.file;
      if (row.hunks.length === changes.hunks.length) return { kind: "file", path };
      return { kind: "hunks", path, ids: row.hunks.map(hunk => hunk.id) };
    }
    case "hunk":
      return { kind: "hunks", path: row.file.path, ids: [row.id] };
    default:
      return row satisfies never;
  }
}

/** The number of files that an undo is about, to ask before very many files are undone. */
export function countFiles({ files }: Pick<Review, "files">, target: ReviewTarget): number {
  if (target.kind === "all") return files.filter(({ isMeanwhile }) => !isMeanwhile).length;
  if (target.kind !== "turn" && target.kind !== "turns") return 1;
  const turns = turnsOf(target);
  return files.filter(file => file.turns.some(turn => turns.includes(turn))).length;
}
