// What a terminal would show of an output: bytes in, lines of styled text out. A chunk of its own, since it is large.
// Nothing an output says to the terminal itself gets anywhere: no title, clipboard, bell or answer has a listener.
/// <reference path="../xterm.d.ts" />
import type { IBuffer, IBufferCell, IMarker, IUnicodeVersionProvider } from "@xterm/headless";
import { Terminal } from "@xterm/headless/lib-headless/xterm-headless.mjs";

/** A stretch of a line in one style. */
export interface Run {
  readonly text: string;
  /** Classes, "" for none. */
  readonly style: string;
  /** Colours that no theme names, as #rrggbb. */
  readonly foreground?: string;
  readonly background?: string;
}
export type Line = readonly Run[];

/** What became of the lines since they were last taken. */
export interface Change {
  /** So many went from the top; */
  readonly dropped: number;
  /** so many of those that are left are as they were; */
  readonly kept: number;
  /** and these stand below them, in place of all others. */
  readonly lines: readonly Line[];
}

const COLUMNS = 200;
const ROWS = 30;
const SCROLLBACK = 2000;
/** Characters at a time: between slices the emulator leaves the page time for other things. */
const SLICE = 4096;

/** Sequences that are carried out one step after the other, and the most steps that make sense. More would be a trap. */
const REPEATS: Readonly<Record<string, number>> = {
  I: COLUMNS, Z: COLUMNS, b: COLUMNS, // tab stops forward and back, the last character again
  L: 100, M: 100, S: 100, T: 100, // insert and delete lines, scroll up and down
}; // prettier-ignore

/** A terminal of {@link COLUMNS} columns, whose lines are joined again where they wrapped. */
export class Emulator {
  readonly #terminal = new Terminal({
    allowProposedApi: true,
    cols: COLUMNS,
    rows: ROWS,
    scrollback: SCROLLBACK,
    convertEol: true,
    disableStdin: true,
    logLevel: "off",
  });
  readonly #cell: IBufferCell;
  /** The last row of those that could not change any more, when lines were last taken. */
  #mark: IMarker | undefined;
  /** How many lines there were down to the mark. */
  #above = 0;

  constructor() {
    const { buffer, parser, unicode } = this.#terminal;
    this.#cell = buffer.active.getNullCell();
    unicode.register(widths);
    unicode.activeVersion = widths.version;
    buffer.onBufferChange(() => this.#forget());
    // A reset makes new buffers, and leaves the mark in the old.
    parser.registerEscHandler({ final: "c" }, () => this.#forget());
    // Links would be kept, each with a mark of its own.
    parser.registerOscHandler(8, () => true);
    for (const [final, most] of Object.entries(REPEATS)) {
      parser.registerCsiHandler({ final }, ([count]) => typeof count === "number" && count > most);
    }
  }

  /** Takes output, of which there must be some. `taken` is called once the lines show it. */
  write(output: string, taken: () => void): void {
    for (let at = 0; at < output.length; at += SLICE) {
      const isLast = at + SLICE >= output.length;
      this.#terminal.write(output.slice(at, at + SLICE), isLast ? taken : undefined);
    }
  }

  /** What has changed since this was last called. Empty lines at the end of the screen are left out. */
  take(): Change {
    const { active } = this.#terminal.buffer;
    // A mark that has left the scrollback is at -1, too: then nothing is left of what was.
    const from = (this.#mark?.line ?? -1) + 1;
    const kept = lineCount(active, from);
    const dropped = from > 0 ? this.#above - kept : 0;
    const end = this.#end(active);
    const lines: Line[] = [];
    for (let y = from; y < end;) {
      const line = new LineBuilder();
      do this.#row(active, y++, line);
      while (y < end && active.getLine(y)?.isWrapped);
      lines.push(line.end());
    }
    this.#setMark(active);
    return { dropped, kept, lines };
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #forget(): false {
    this.#mark?.dispose();
    this.#mark = undefined;
    return false;
  }

  /** Marks what is above the screen, and above the line that reaches into it. A full-screen program's has no above. */
  #setMark(active: IBuffer): void {
    this.#forget();
    if (active.type !== "normal") return;
    let start = active.baseY;
    while (start > 0 && active.getLine(start)?.isWrapped) start--;
    if (start === 0) return;
    this.#mark = this.#terminal.registerMarker(start - 1 - active.baseY - active.cursorY);
    this.#above = lineCount(active, start);
  }

  /** The row after the last one that shows anything. */
  #end(active: IBuffer): number {
    for (let y = active.length - 1; y >= active.baseY; y--) {
      const line = new LineBuilder();
      this.#row(active, y, line);
      if (line.end().length > 0) return y + 1;
    }
    return active.baseY;
  }

  #row(active: IBuffer, y: number, into: LineBuilder): void {
    const row = active.getLine(y);
    if (!row) return;
    for (let x = 0; x < row.length; x++) {
      const cell = row.getCell(x, this.#cell);
      // The second half of a wide character has no width.
      if (cell && cell.getWidth() > 0) into.add(cell);
    }
    const next = active.getLine(y + 1);
    if (next?.isWrapped) into.wrap(next.getCell(0, this.#cell)?.getWidth() === 2);
  }
}

/** How many lines begin above this row. The first row begins one, even if the beginning of it is gone. */
function lineCount(active: IBuffer, end: number): number {
  let count = 0;
  for (let y = 0; y < end; y++) if (y === 0 || !active.getLine(y)?.isWrapped) count++;
  return count;
}

const BOLD = 1, DIM = 2, ITALIC = 4, UNDERLINE = 8, STRIKE = 16, INVERSE = 32, HIDDEN = 64, WIDE = 128; // prettier-ignore
const FLAGS: readonly (readonly [number, string])[] = [
  [BOLD, "bold"],
  [DIM, "dim"],
  [ITALIC, "italic"],
  [UNDERLINE, "underline"],
  [STRIKE, "strike"],
  [WIDE, "wide"],
];

/** No colour of its own. Others are 0 to 255, or 0x1000000 and red, green, blue. */
const NONE = -1;
const RGB = 0x1000000;

/** Gathers cells into runs. */
class LineBuilder {
  readonly #runs: Run[] = [];
  #text = "";
  /** Cells that nothing was written to: only spaces if something follows. */
  #blanks = 0;
  #flags = 0;
  #foreground = NONE;
  #background = NONE;

  add(cell: IBufferCell): void {
    const chars = cell.getChars();
    if (cell.isAttributeDefault()) {
      if (chars === "") this.#blanks++;
      else this.#put(chars, wideFlag(cell), NONE, NONE);
      return;
    }
    const flags = flagsOf(cell) | wideFlag(cell);
    const foreground = cell.isFgRGB() ? RGB | cell.getFgColor() : cell.getFgColor();
    const background = cell.isBgRGB() ? RGB | cell.getBgColor() : cell.getBgColor();
    if (chars === "" && background === NONE && (flags & INVERSE) === 0) this.#blanks++;
    else if (chars === "" || flags & HIDDEN) this.#put(" ".repeat(cell.getWidth()), flags, foreground, background);
    else this.#put(chars, flags, foreground, background);
  }

  /** The line goes on in the next row. A wide character that did not fit in here has left one cell empty. */
  wrap(beforeWide: boolean): void {
    if (beforeWide && this.#blanks === 1) this.#blanks = 0;
  }

  /** The line is over. */
  end(): Line {
    this.#blanks = 0;
    this.#flush();
    return this.#runs;
  }

  #put(text: string, flags: number, foreground: number, background: number): void {
    if (this.#blanks > 0) {
      const spaces = " ".repeat(this.#blanks);
      this.#blanks = 0;
      this.#put(spaces, 0, NONE, NONE);
    }
    if (flags !== this.#flags || foreground !== this.#foreground || background !== this.#background) {
      this.#flush();
      this.#flags = flags;
      this.#foreground = foreground;
      this.#background = background;
    }
    this.#text += text;
  }

  #flush(): void {
    if (this.#text === "") return;
    this.#runs.push({ text: this.#text, ...styleOf(this.#flags, this.#foreground, this.#background) });
    this.#text = "";
  }
}

function flagsOf(cell: IBufferCell): number {
  return (
    (cell.isBold() && BOLD) |
    (cell.isDim() && DIM) |
    (cell.isItalic() && ITALIC) |
    (cell.isUnderline() && UNDERLINE) |
    (cell.isStrikethrough() && STRIKE) |
    (cell.isInverse() && INVERSE) |
    (cell.isInvisible() && HIDDEN)
  );
}

/** Ideographs, which fonts draw a little narrower than the two cells they take. Emoji fill them by themselves. */
function wideFlag(cell: IBufferCell): number {
  if (cell.getWidth() < 2) return 0;
  const code = cell.getCode();
  return (code >= 0x1100 && code < 0x2300) || (code >= 0x2e80 && code < 0x1f000) || code >= 0x20000 ? WIDE : 0;
}

function styleOf(flags: number, foreground: number, background: number): Omit<Run, "text"> {
  const inverse = (flags & INVERSE) !== 0;
  const front = colour("fg", inverse ? background : foreground, inverse);
  const back = colour("bg", inverse ? foreground : background, inverse);
  const classes = FLAGS.filter(([flag]) => flags & flag).map(([, name]) => `ansi-${name}`);
  const style = [...classes, front.name, back.name].filter(name => name !== "").join(" ");
  return {
    style,
    ...(front.own !== undefined && { foreground: front.own }),
    ...(back.own !== undefined && { background: back.own }),
  };
}

const NAMES = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
/** The steps of red, green and blue in the cube of the colours 16 to 231. */
const STEPS = [0, 95, 135, 175, 215, 255];

/** The class of a colour, and the colour itself where themes define none. */
function colour(side: "fg" | "bg", value: number, inverse: boolean): { readonly name: string; readonly own?: string } {
  if (value === NONE) return { name: inverse ? `ansi-${side}-inverse` : "" };
  if (value < 16) return { name: `ansi-${side}-${value < 8 ? "" : "bright-"}${NAMES[value % 8]}` };
  return { name: `ansi-${side}-own`, own: `#${hex(value)}` };
}

function hex(value: number): string {
  const rgb = value >= RGB ? value - RGB : value < 232 ? cubeColour(value - 16) : (8 + 10 * (value - 232)) * 0x10101;
  return rgb.toString(16).padStart(6, "0");
}

function cubeColour(index: number): number {
  const step = (place: number): number => STEPS[Math.floor(index / place) % 6] ?? 0;
  return step(36) * 0x10000 + step(6) * 0x100 + step(1);
}

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const TWO_CELLS =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation})$/u;
/** Widths of the basic plane as they were found, plus one. */
const found = new Uint8Array(0x10000);

/** How many cells characters take. The emulator itself only knows those of 2010, in which emoji took one. */
const widths: IUnicodeVersionProvider = {
  version: "parley",
  wcwidth(code) {
    if (code < 0x300) return 1;
    const known = found[code] ?? 0;
    if (known > 0) return (known - 1) as 0 | 1 | 2;
    const char = String.fromCodePoint(code);
    const width = ZERO_WIDTH.test(char) ? 0 : TWO_CELLS.test(char) ? 2 : 1;
    found[code] = width + 1;
    return width;
  },
  // Packed as the emulator reads it: the width, and whether the character joins the one before it.
  charProperties(code, preceding) {
    const width = widths.wcwidth(code);
    const before = (preceding >> 1) & 3;
    return width === 0 && before > 0 ? (before << 1) | 1 : width << 1;
  },
};
