// Reads JavaScript without a parser: separates code from strings and comments, and matches brackets.

/** Words after which a slash starts a regular expression, not a division. */
const beforeRegex =
  /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|await|yield))\s*$/;

/**
 * The source with the content of strings, comments, templates and regular expressions replaced by spaces. The length
 * stays. `blank('a("x") // y')` is `'a("X")     '` with spaces in place of `X`, `//` and `y`.
 */
export function blank(source: string): string {
  const out = source.split("");
  const wipe = (from: number, to: number): void => {
    for (let i = from; i < to && i < out.length; i += 1) if (out[i] !== "\n") out[i] = " ";
  };
  let at = 0;
  while (at < source.length) {
    const two = source.slice(at, at + 2);
    const one = source[at] ?? "";
    if (two === "//" || two === "/*") {
      const end = two === "//" ? endOfLine(source, at) : endOfComment(source, at);
      wipe(at, end);
      at = end;
    } else if (one === '"' || one === "'" || one === "`" || startsRegex(source, at)) {
      const end = one === "/" ? endOfRegex(source, at) : endOfString(source, at, one);
      wipe(at + 1, end - 1);
      at = end;
    } else {
      at += 1;
    }
  }
  return out.join("");
}

/** The index after the bracket that closes the bracket at `open`, or the end of the text. */
export function afterClosing(blanked: string, open: number): number {
  let depth = 0;
  for (let at = open; at < blanked.length; at += 1) {
    const char = blanked[at] ?? "";
    if ("([{".includes(char)) depth += 1;
    if (")]}".includes(char)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return blanked.length;
}

/** The 1-based line of an index. */
export function lineAt(source: string, index: number): number {
  let line = 1;
  for (let at = source.indexOf("\n"); at >= 0 && at < index; at = source.indexOf("\n", at + 1)) line += 1;
  return line;
}

function startsRegex(source: string, at: number): boolean {
  return source[at] === "/" && beforeRegex.test(source.slice(Math.max(0, at - 40), at));
}

function endOfLine(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end < 0 ? source.length : end;
}

function endOfComment(source: string, at: number): number {
  const end = source.indexOf("*/", at + 2);
  return end < 0 ? source.length : end + 2;
}

function endOfString(source: string, at: number, quote: string): number {
  for (let i = at + 1; i < source.length; i += 1) {
    if (source[i] === "\\") i += 1;
    else if (source[i] === quote) return i + 1;
    else if (source[i] === "\n" && quote !== "`") return i;
  }
  return source.length;
}

function endOfRegex(source: string, at: number): number {
  let inClass = false;
  for (let i = at + 1; i < source.length; i += 1) {
    const char = source[i];
    if (char === "\\") i += 1;
    else if (char === "\n") return i;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return i + 1;
  }
  return source.length;
}
