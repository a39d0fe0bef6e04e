// The new problems of the latest turn: which ones are still there, and their text for an agent.
import { withoutMiddle } from "../base/inertText.ts";
import { visibleLine } from "../base/lines.ts";
import { relativeLabel } from "../base/pathLabel.ts";
import type { NewProblem } from "../session/events.ts";
import { isBusy, isPrompt, type Entry, type SessionState } from "../session/state.ts";
import { foundProblem, type FoundProblem } from "./foundProblem.ts";

/** The new problems of a turn. */
export interface NewProblems {
  /** The number of all but those that are withheld. `problems` has the first of them. */
  readonly count: number;
  readonly problems: readonly NewProblem[];
  /** The number of those in files that look like secrets. */
  readonly withheld: number;
}

/** The new problems that the line at the end of a turn counts. Undefined: there are none. */
export function newProblemsAt(entry: Entry | undefined): NewProblems | undefined {
  const { newProblems: problems = [], turn } = entry ?? {};
  const { added = 0, withheld = 0 } = turn?.problems ?? {};
  const count = Math.max(problems.length, added - withheld);
  return count + withheld > 0 ? { count, problems, withheld } : undefined;
}

/** The entry with the new problems of the latest turn. Undefined: it has none, or another prompt follows it. */
export function latestProblemEntry(state: SessionState): Entry | undefined {
  if (isBusy(state) || state.pendingPrompts.length > 0) return undefined;
  const line = state.entries.findLast(entry => entry.turn !== undefined || isPrompt(entry));
  return newProblemsAt(line) && line;
}

/** A new problem that the editor still reports, with its place now. */
export type PlacedProblem = NewProblem & { readonly isGone?: true };

/** The problems with their places now. `problemsOf`: what the editor reports about a file now. */
export function placedProblems(
  problems: readonly NewProblem[],
  problemsOf: (path: string) => readonly FoundProblem[],
): readonly PlacedProblem[] {
  const left = new Map<string, FoundProblem[]>();
  return problems.map(problem => {
    const known = left.get(problem.path) ?? [...problemsOf(problem.path)];
    left.set(problem.path, known);
    const { key, coarseKey, lineText } = foundProblem(problem);
    const isSame = (one: FoundProblem): boolean =>
      lineText === undefined || one.lineText === undefined ? one.coarseKey === coarseKey : one.key === key;
    // The one at the same place comes first, because equal problems of earlier turns are not new.
    const same = known.filter(isSame);
    const now = same.find(({ line }) => line === problem.line) ?? same.at(-1);
    if (!now) return { ...problem, isGone: true };
    known.splice(known.indexOf(now), 1);
    return { ...problem, line: now.line, column: now.column };
  });
}

/** Those that an agent gets: the ones that the editor still reports, in files whose problems may be sent. */
export function sentProblems(
  found: NewProblems,
  placed: readonly PlacedProblem[],
  isShared: (path: string) => boolean,
): NewProblems {
  const problems = placed.filter(({ isGone, path }) => !isGone && isShared(path));
  const count = problems.length === 0 ? 0 : found.count - (placed.length - problems.length);
  return { ...found, problems, count };
}

/** Of a path in the text for an agent (characters). A longer one loses its middle. */
const maxPath = 300;

/**
 * The problems for the agent, each on one line: the name of a file can have line feeds. The text begins with what happened to
 * the edits, because agents take a list of problems for a failed edit and repeat the edit.
 */
export function problemsText(
  { count, problems }: Pick<NewProblems, "count" | "problems">,
  workspaceFolder: string,
): string {
  const lines = problems.map(({ path, line, column, severity, message, source, code }) => {
    const from = [source, code].filter(one => one !== undefined).join(" ");
    const place = `${withoutMiddle(visibleLine(relativeLabel(path, workspaceFolder)), maxPath)}:${line}:${column}`;
    return visibleLine(`${place} ${severity}: ${message}${from === "" ? "" : ` (${from})`}`);
  });
  const more = count - problems.length;
  return [
    "Written: the turn has made its edits, except those that were refused or that the user has undone since. Do not repeat edits because of this list. The editor reports these problems, which are new since the turn began to change files:",
    ...lines,
    ...(more > 0 ? [`and ${more} more.`] : []),
    "",
  ].join("\n");
}
