// A problem as language servers and linters report it, and its identity. Texts are of other extensions, so they are bounded.
import type { NewProblem } from "../session/events.ts";

/** An error or a warning that the editor knows. Two objects with the same keys are the same problem. */
export interface FoundProblem extends NewProblem {
  /** Source, code, message and the text of the line. The number of the line is not part of it, because edits move lines. */
  readonly key: string;
  /** The identity without the text of the line, for files whose text is not known before or after. */
  readonly coarseKey: string;
}

/** The problems of each file, by path. */
export type ProblemsByFile = ReadonlyMap<string, readonly FoundProblem[]>;

/** Longer texts are cut (characters). Problems that differ only after that count as the same. */
const maxMessage = 500;
const maxLine = 300;
const maxName = 60;

/** The problem with its identity. Its texts are cut, and on one line. */
export function foundProblem({ path, severity, line, column, ...given }: NewProblem): FoundProblem {
  const message = cutLine(given.message, maxMessage);
  const source = given.source === undefined ? undefined : cutLine(given.source, maxName);
  const code = given.code === undefined ? undefined : cutLine(given.code, maxName);
  const lineText = given.lineText === undefined ? undefined : cutLine(given.lineText, maxLine);
  const coarseKey = [source ?? "", code ?? "", message].join("\0");
  return {
    ...{ path, severity, line, column, message, coarseKey },
    key: [coarseKey, lineText ?? ""].join("\0"),
    ...(source !== undefined && { source }),
    ...(code !== undefined && { code }),
    ...(lineText !== undefined && { lineText }),
  };
}

/** The fields of the problem that are stored. */
export const storedProblem = ({ key: _, coarseKey: __, ...problem }: FoundProblem): NewProblem => problem;

/** Most texts need no change, and a test is faster than a replacement. */
const unevenBlank = /\s{2}|[^\S ]/;

/** A longer text is cut before it is searched. */
function cutLine(text: string, max: number): string {
  const begin = text.length > 4 * max ? text.slice(0, 4 * max) : text;
  const line = (unevenBlank.test(begin) ? begin.replace(/\s+/g, " ") : begin).trim();
  return line.length > max ? line.slice(0, max).replace(/[\ud800-\udbff]$/, "") : line;
}
