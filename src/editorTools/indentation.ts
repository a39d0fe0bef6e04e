// How a text is indented. Pure.

/** How the lines of a text are indented. */
export interface Indentation {
  readonly insertSpaces: boolean;
  /** Absent: the text is indented with tabs, whose width it does not show. */
  readonly tabSize?: number;
}

const maxLines = 10_000;
const maxStep = 8;

/** The most common step of the indentation. Undefined: no line is indented. */
export function indentationOf(text: string): Indentation | undefined {
  let tabs = 0;
  let spaces = 0;
  let last = 0;
  const steps = new Map<number, number>();
  for (const line of text.split("\n", maxLines)) {
    if (line.trim() === "") continue;
    const [lead = ""] = /^[\t ]*/.exec(line) ?? [];
    if (lead.startsWith("\t")) {
      tabs++;
      continue;
    }
    const step = Math.abs(lead.length - last);
    last = lead.length;
    if (lead !== "") spaces++;
    // A step of one is an aligned line, such as in a comment.
    if (step > 1 && step <= maxStep) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  if (tabs > spaces) return { insertSpaces: false };
  const [best] = [...steps].sort(([a, many], [b, more]) => more - many || a - b);
  return best && { insertSpaces: true, tabSize: best[0] };
}
