// The difference between the problems of files before and after. Pure.
import { addedItems } from "../base/addedItems.ts";
import type { FoundProblem } from "./foundProblem.ts";

export interface ProblemDifference {
  /** The new problems, in the order of the files. */
  readonly added: readonly FoundProblem[];
  /** The number of problems that are gone. */
  readonly fixed: number;
}

/**
 * The difference of one file. Equal problems are counted: a second one with the same identity is new. If a text of a line is
 * not known on one side, the texts of all lines are left out.
 */
export function problemDifference(before: readonly FoundProblem[], after: readonly FoundProblem[]): ProblemDifference {
  const hasTexts = before.every(hasText) && after.every(hasText);
  const keyOf = ({ key, coarseKey }: FoundProblem): string => (hasTexts ? key : coarseKey);
  const added = addedItems(before.map(keyOf), after, keyOf);
  return { added, fixed: before.length - (after.length - added.length) };
}

const hasText = ({ lineText }: FoundProblem): boolean => lineText !== undefined;

const maxFiles = 5;
const maxOfFile = 20;

/** The problems to list: errors first, at most 20 of a file and 5 files. */
export function listedProblems(problems: readonly FoundProblem[]): readonly FoundProblem[] {
  const counts = new Map<string, number>();
  return [...problems].sort(bySeverity).filter(({ path }) => {
    const count = counts.get(path) ?? 0;
    if (count >= maxOfFile || (count === 0 && counts.size >= maxFiles)) return false;
    counts.set(path, count + 1);
    return true;
  });
}

const rank = ({ severity }: FoundProblem): number => (severity === "error" ? 0 : 1);

const bySeverity = (a: FoundProblem, b: FoundProblem): number =>
  rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.column - b.column);
