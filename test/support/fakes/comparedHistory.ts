// Compares what the reducer finds in a recording with what Parley found when it was recorded.
import { meanwhileTurn } from "../../../src/history/author.ts";
import type { FactAuthor, FileFact } from "../../../src/history/facts.ts";
import { WindowReview } from "../../../src/review/windowReview.ts";
import { completedRecording } from "./completedRecording.ts";
import type { RecordedFile, RecordedLine } from "./recordedFacts.ts";
import { shownFiles } from "./recordedFacts.ts";
import { ReducedHistory, type ReducedChange } from "./reducedHistory.ts";

/** What the reducer found in one file, against what Parley found. */
export interface ComparedFile {
  readonly path: string;
  /** Changes that both found, and those that only one of them found, as `author: text`. */
  readonly agreed: number;
  readonly missing: readonly string[];
  readonly extra: readonly string[];
}

export interface ComparedRecording {
  readonly files: readonly ComparedFile[];
  /** Changes that Parley noted twice, although nothing was different. */
  readonly repeated: number;
  /** Moves, which are found by comparing files with each other. */
  readonly moves: number;
  /** Files in the review at one moment with the same hunks, and those with others. */
  readonly sameHunks: number;
  readonly otherHunks: readonly string[];
}

/** Replays a recording. */
export async function compareRecording(lines: readonly RecordedLine[]): Promise<ComparedRecording> {
  const completed = completedRecording(lines);
  const starts = completed.flatMap(line => (line.type === "startKnown" ? [line] : []));
  const history = new ReducedHistory({
    callInTurns: true,
    answer: (path, want): FileFact | undefined => {
      if (want.type !== "readStart") return undefined;
      const { turn } = want;
      const known = starts.find(one => one.path === path && one.turn === turn);
      return { type: "startKnown", path, turn, ...(known && "text" in known && { text: known.text }) };
    },
  });
  const review = new WindowReview({
    port: { apply: () => Promise.reject(new Error("Nothing is decided.")) } as never,
    schedule: () => {},
  });
  let [sameHunks, isDecided] = [0, false];
  const otherHunks: string[] = [];
  const moved = new Set(
    lines.flatMap(one => (one.type === "attributed" && one.movedFrom !== undefined ? [one.path, one.movedFrom] : [])),
  );
  for (const line of completed) {
    if (line.type === "decided" || line.type === "committed" || line.type === "userMoved") isDecided = true;
    if (line.type === "turnBegan") {
      if (history.turns.isBusy) review.nameTurn(line.turn, line.title);
      else review.turnBegan(line.turn, line.title);
    }
    if (line.type !== "review") {
      const from = history.changes.length;
      history.feed(line);
      for (const one of history.changes.slice(from)) await takeInChange(review, one);
    } else if (!isDecided) {
      const shown = new Map(shownFiles(review).map(one => [one.path, one]));
      const wanted = new Map(line.files.map(one => [one.path, one]));
      for (const path of new Set([...shown.keys(), ...wanted.keys()])) {
        if (moved.has(path)) continue;
        if (hunksOf(shown.get(path)) === hunksOf(wanted.get(path))) sameHunks++;
        else otherHunks.push(`${path}: ${hunksOf(wanted.get(path))}, not ${hunksOf(shown.get(path))}`);
      }
    }
  }
  return { ...compareChanges(lines, history.changes), sameHunks, otherHunks };
}

const hunksOf = (file: RecordedFile | undefined): string =>
  file === undefined ? "none" : file.isUnknown ? "unknown" : file.hunks.join(" and ");

/** The review takes in a change as it does in a window. */
export async function takeInChange(
  review: WindowReview,
  { path, author, text, before, edits, corrects }: ReducedChange,
): Promise<void> {
  if (author.kind === "agent" || author.kind === "meanwhile") {
    const turn = author.kind === "agent" ? author.turn : meanwhileTurn;
    review.nameTurn(turn, "");
    if (corrects !== undefined && before === undefined) review.attributed(path, corrects, turn);
    else if (text === undefined) return review.agentChangedWithoutBase(path, null, turn, "binary");
    else if (before === undefined) review.agentChangedWithoutBase(path, text, turn, "unknown");
    else await review.agentChanged(path, before, text, turn);
  } else if (author.kind === "user" && edits && typeof text === "string") await review.userChanged(path, edits, text);
  else if (author.kind === "editor" && typeof text === "string") await review.editorUndoRedo(path, text);
  else if (text !== undefined) await review.replaced(path, text);
}

function compareChanges(
  lines: readonly RecordedLine[],
  changes: readonly ReducedChange[],
): Pick<ComparedRecording, "files" | "repeated" | "moves"> {
  const noted = lines.flatMap(line => (line.type === "attributed" ? [line] : []));
  const own = noted.filter(({ movedFrom }) => movedFrom === undefined);
  const paths = [...new Set([...own, ...changes].map(({ path }) => path))].sort();
  let repeated = 0;
  const files = paths.map((path): ComparedFile => {
    const texts: string[] = [];
    const name = (text: string | null | undefined): string => {
      if (typeof text !== "string") return text === null ? "no file" : "no text";
      if (!texts.includes(text)) texts.push(text);
      return `text ${texts.indexOf(text) + 1}`;
    };
    const shown = ({ author, text }: { author: FactAuthor; text?: string | null | undefined }): string =>
      `${author.kind === "agent" ? `agent of ${author.turn}` : author.kind}: ${name(text)}`;
    const all = own.filter(one => one.path === path).map(shown);
    const known = withoutRepeated(all);
    repeated += all.length - known.length;
    const found = withoutRepeated(changes.filter(one => one.path === path && one.corrects === undefined).map(shown));
    return { path, ...compareLists(known, found) };
  });
  return { files, repeated, moves: noted.length - own.length };
}

/** Without changes after which the text is the same: of the same author, or of the editor or others. */
function withoutRepeated(changes: readonly string[]): readonly string[] {
  return changes.filter((one, at) => {
    const before = changes[at - 1];
    const isSameText = before !== undefined && before.split(": ")[1] === one.split(": ")[1];
    return !(one === before || (isSameText && /^(?:editor|others)/.test(one)));
  });
}

/** The longest common part of two lists, and the rest of each. */
function compareLists(known: readonly string[], found: readonly string[]): Omit<ComparedFile, "path"> {
  const lengths = Array.from({ length: known.length + 1 }, () => new Array<number>(found.length + 1).fill(0));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = known.length - 1; row >= 0; row--)
    for (let column = found.length - 1; column >= 0; column--) {
      const isSame = known[row] === found[column];
      const length = isSame ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.splice(column, 1, length);
    }
  const [missing, extra]: [string[], string[]] = [[], []];
  let [row, column] = [0, 0];
  while (row < known.length || column < found.length) {
    const [one, other] = [known[row], found[column]];
    if (one !== undefined && one === other) [row, column] = [row + 1, column + 1];
    else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      missing.push(one);
      row++;
    } else if (other !== undefined) {
      extra.push(other);
      column++;
    }
  }
  return { agreed: known.length - missing.length, missing, extra };
}
