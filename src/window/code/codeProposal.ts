// Guesses where in a file a code block of an answer belongs. The user sees the diff before anything is written.

/** A range of a text, in UTF-16 code units. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** The replacement for a range of the file, and how the range was found. */
export interface CodeProposal extends OffsetRange {
  readonly text: string;
  /** `selection`: the user's selection; `block`: the block that begins with the same line; `all`: the whole file. */
  readonly replaces: "selection" | "block" | "all";
}

/**
 * Replaces the user's selection if there is one; otherwise the block of the file that begins with the first line of the
 * code (a function, a class, a rule); otherwise the whole file.
 */
export function proposeCode(file: string, code: string, selection?: OffsetRange): CodeProposal {
  if (selection && selection.end > selection.start) {
    const whole = file.slice(selection.start, selection.end).endsWith("\n") && !code.endsWith("\n");
    return { ...selection, text: whole ? `${code}\n` : code, replaces: "selection" };
  }
  return blockOf(file, code) ?? { start: 0, end: file.length, text: withFinalLineEndLike(file, code), replaces: "all" };
}

/** The code with all lines but the first indented by `indentation`, the blanks before the insertion point. */
export function indentCode(code: string, indentation: string): string {
  return indentation === "" ? code : code.replace(/\n(?=[^\n])/g, `\n${indentation}`);
}

function blockOf(file: string, code: string): CodeProposal | undefined {
  const codeLines = code.split("\n").map(line => line.trimEnd());
  while (codeLines[0] === "") codeLines.shift();
  while (codeLines.at(-1) === "") codeLines.pop();
  const [first = ""] = codeLines;
  if (!isOneBlock(codeLines)) return undefined;
  const lines = file.split("\n");
  const places = lines.flatMap((line, i) => (line.trim() === first.trim() ? [i] : []));
  const [at] = places;
  if (at === undefined || places.length > 1) return undefined;
  const to = endOfBlock(lines, at, closesBlock(codeLines.at(-1) ?? ""));
  const shift = indentOf(lines[at] ?? "");
  const own = indentOf(first);
  const text = codeLines.map(line =>
    line === "" ? "" : shift + (line.startsWith(own) ? line.slice(own.length) : line),
  );
  const start = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0);
  const old = lines
    .slice(at, to + 1)
    .join("\n")
    .replace(/\r$/, "");
  return { start, end: start + old.length, text: text.join(old.includes("\r\n") ? "\r\n" : "\n"), replaces: "block" };
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";
const closesBlock = (line: string): boolean => /^\s*(?:[)\]}]|end\b)/.test(line);

/** Whether there are several lines, all of them deeper than the first except for a last line that closes the block. */
function isOneBlock(lines: readonly string[]): boolean {
  const depth = indentOf(lines[0] ?? "").length;
  return (
    lines.length > 1 &&
    lines
      .slice(1)
      .every((line, i) => line === "" || indentOf(line).length > depth || (i === lines.length - 2 && closesBlock(line)))
  );
}

/** The last line of the block at `at`: its deeper lines, and the closing line if the code has one too (`closed`). */
function endOfBlock(lines: readonly string[], at: number, closed: boolean): number {
  const depth = indentOf(lines[at] ?? "").length;
  let last = at;
  let next = at + 1;
  for (; next < lines.length; next++) {
    const line = (lines[next] ?? "").trimEnd();
    if (line === "") continue;
    if (indentOf(line).length <= depth) break;
    last = next;
  }
  const line = lines[next] ?? "";
  return closed && indentOf(line).length === depth && closesBlock(line) ? next : last;
}

const withFinalLineEndLike = (file: string, code: string): string =>
  (file === "" || file.endsWith("\n")) && !code.endsWith("\n") ? `${code}\n` : code;
