// The output of the user's last terminal command, as plain text. Pure. The shell integration of VS Code provides the
// data.
import { indentLines, visibleLine } from "../base/lines.ts";
import { maskText } from "../base/mask.ts";

/** A command that ran in a terminal, and its output. */
export interface LastCommand {
  readonly command: string;
  readonly cwd?: string;
  /** Absent if it is still running, or if its shell did not report the code. */
  readonly exitCode?: number;
  readonly output: string;
  /** The start of the output was dropped because of its size. */
  readonly truncated: boolean;
}

/** The characters of raw output to keep, newest last. */
const maxRawLength = 512 * 1024;
/** The characters of plain output to keep. */
const maxPlainLength = 64 * 1024;

/** Keeps the newest command of all terminals. `Key` identifies an execution. */
export class CommandTracker<Key extends object> {
  #last:
    | { readonly key: Key; readonly command: string; readonly cwd?: string; raw: string; cut: boolean; exit?: number }
    | undefined;

  started(key: Key, command: string, cwd?: string): void {
    this.#last = { key, command, ...(cwd !== undefined && { cwd }), raw: "", cut: false };
  }

  printed(key: Key, text: string): void {
    const last = this.#last;
    if (last?.key !== key) return;
    last.raw += text;
    // Cut in large steps, because cutting for each small piece of a stream would copy the text again and again.
    if (last.raw.length <= maxRawLength * 2) return;
    last.raw = last.raw.slice(-maxRawLength);
    last.cut = true;
  }

  ended(key: Key, exitCode: number | undefined): void {
    if (this.#last?.key === key && exitCode !== undefined) this.#last.exit = exitCode;
  }

  /** The newest command, with secrets masked. */
  get last(): LastCommand | undefined {
    const last = this.#last;
    if (!last) return undefined;
    const plain = plainOutput(last.raw);
    const output = plain.slice(-maxPlainLength);
    return {
      command: maskText(last.command),
      ...(last.cwd !== undefined && { cwd: last.cwd }),
      ...(last.exit !== undefined && { exitCode: last.exit }),
      output: maskText(output),
      truncated: last.cut || plain.length > maxPlainLength,
    };
  }
}

// Control sequences, strings such as window titles, and single escapes.

const escapeSequences = /\x1b\[[0-?]*[ -/]*(?:[@-~]|$)|\x1b[P\]X^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?/g;

/** The text without escape codes, with backspaces and carriage returns applied as in a terminal. */
export function plainOutput(raw: string): string {
  return raw
    .replace(escapeSequences, "")
    .replace(/(?<!\r)\r+\n/g, "\n")
    .split("\n")
    .map(applyOverwrites)
    .join("\n")

    .replace(/[\x00-\x07\x0b-\x1f\x7f]/g, "")
    .replace(/^\n+/, "")
    .trimEnd();
}

/** A line after carriage returns and backspaces have moved its cursor. */
function applyOverwrites(line: string): string {
  if (!/[\r\b]/.test(line)) return line;
  const shown: string[] = [];
  let at = 0;
  for (const char of line) {
    if (char === "\r") at = 0;
    else if (char === "\b") at = Math.max(0, at - 1);
    else shown[at++] = char;
  }
  return shown.join("");
}

/** The command and its output, for people to read. The output is indented, so that it cannot imitate the other lines. */
export function commandText({ command, cwd, exitCode, output, truncated }: LastCommand): string {
  const head = [`$ ${indentLines(command, "> ").slice(2)}`, ...(cwd === undefined ? [] : [`(in ${visibleLine(cwd)})`])];
  const cut = truncated ? ["[Earlier output was left out.]"] : [];
  const end = exitCode === undefined ? [] : [`[exit code ${exitCode}]`];
  return [...head, ...cut, ...(output === "" ? [] : [indentLines(output, "  ")]), ...end].join("\n");
}
