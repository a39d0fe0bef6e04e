// Emulates a terminal: output in, lines of styled text out. A separate chunk, because it is large. Sequences that
// address the terminal itself have no effect: title, clipboard, bell and responses have no listeners.
/// <reference path="../xterm.d.ts" />
import type { IBuffer, IBufferCell, IMarker, IUnicodeVersionProvider } from "@xterm/headless";
import { Terminal } from "@xterm/headless/lib-headless/xterm-headless.mjs";

/** A part of a line with one style. */
export interface StyledRun {
  readonly text: string;
  /** CSS classes; "" if there are none. */
  readonly style: string;
  /** Colours that the theme does not define, as #rrggbb. */
  readonly foreground?: string;
  readonly background?: string;
}
export type StyledLine = readonly StyledRun[];

/** The changes of the lines since the last {@link Emulator.take}. */
export interface OutputChange {
  /** How many lines were removed from the top. */
  readonly dropped: number;
  /** How many of the remaining lines, from the top, are unchanged. */
  readonly kept: number;
  /** The lines below those, which replace all others. */
  readonly lines: readonly StyledLine[];
}

const terminalColumns = 200;
const terminalRows = 30;
const maxScrollback = 2000;
/** Characters per write. Between writes, the emulator yields to the page. */
const sliceLength = 4096;

/** Sequences that the emulator executes step by step, and the most steps that make sense. More could block the page. */
const maxRepeats: Readonly<Record<string, number>> = {
  I: terminalColumns, Z: terminalColumns, b: terminalColumns, // tab stops forward and backward, repeat the last character
  L: 100, M: 100, S: 100, T: 100, // insert and delete lines, scroll up and down
}; // prettier-ignore

/** A terminal with {@link terminalColumns} columns. Wrapped lines are joined again. */
export class Emulator {
  readonly #terminal = new Terminal({
    allowProposedApi: true,
    cols: terminalColumns,
    rows: terminalRows,
    scrollback: maxScrollback,
    convertEol: true,
    disableStdin: true,
    logLevel: "off",
  });
  readonly #cell: IBufferCell;
  /** The last row that could no longer change at the last {@link take}. */
  #mark: IMarker | undefined;
  /** How many lines there were down to that row. */
  #linesAboveMark = 0;

  constructor() {
    const { buffer, parser, unicode } = this.#terminal;
    this.#cell = buffer.active.getNullCell();
    unicode.register(unicodeWidths);
    unicode.activeVersion = unicodeWidths.version;
    buffer.onBufferChange(() => this.#clearMark());
    // A reset creates new buffers and leaves the marker in the old one.
    parser.registerEscHandler({ final: "c" }, () => this.#clearMark());
    // The emulator would keep each link with a marker of its own.
    parser.registerOscHandler(8, () => true);
    for (const [final, maxSteps] of Object.entries(maxRepeats)) {
      parser.registerCsiHandler({ final }, ([count]) => typeof count === "number" && count > maxSteps);
    }
  }

  /** Writes output, which must not be empty. `onShown` is called when the lines contain it. */
  write(output: string, onShown: () => void): void {
    for (let at = 0; at < output.length; at += sliceLength) {
      const isLast = at + sliceLength >= output.length;
      this.#terminal.write(output.slice(at, at + sliceLength), isLast ? onShown : undefined);
    }
  }

  /** The changes since the last call. Empty lines at the end of the screen are skipped. */
  take(): OutputChange {
    const { active } = this.#terminal.buffer;
    // The line of a marker that has left the scrollback is -1 too: then no earlier line is left.
    const from = (this.#mark?.line ?? -1) + 1;
    const kept = lineCount(active, from);
    const dropped = from > 0 ? this.#linesAboveMark - kept : 0;
    const end = this.#endRow(active);
    const lines: StyledLine[] = [];
    for (let y = from; y < end;) {
      const line = new LineBuilder();
      do this.#addRow(active, y++, line);
      while (y < end && active.getLine(y)?.isWrapped);
      lines.push(line.build());
    }
    this.#setMark(active);
    return { dropped, kept, lines };
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #clearMark(): false {
    this.#mark?.dispose();
    this.#mark = undefined;
    return false;
  }

  /** Marks the row above the screen and above a line that extends into it. A full-screen program has no scrollback. */
  #setMark(active: IBuffer): void {
    this.#clearMark();
    if (active.type !== "normal") return;
    let start = active.baseY;
    while (start > 0 && active.getLine(start)?.isWrapped) start--;
    if (start === 0) return;
    this.#mark = this.#terminal.registerMarker(start - 1 - active.baseY - active.cursorY);
    this.#linesAboveMark = lineCount(active, start);
  }

  /** The row after the last row with content. */
  #endRow(active: IBuffer): number {
    for (let y = active.length - 1; y >= active.baseY; y--) {
      const line = new LineBuilder();
      this.#addRow(active, y, line);
      if (line.build().length > 0) return y + 1;
    }
    return active.baseY;
  }

  #addRow(active: IBuffer, y: number, into: LineBuilder): void {
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

/** How many lines start above this row. The first row counts as a start, even if its line was cut off. */
function lineCount(active: IBuffer, end: number): number {
  let count = 0;
  for (let y = 0; y < end; y++) if (y === 0 || !active.getLine(y)?.isWrapped) count++;
  return count;
}

const boldFlag = 1, dimFlag = 2, italicFlag = 4, underlineFlag = 8, strikeFlag = 16, inverseFlag = 32, hiddenFlag = 64, wideFlag = 128; // prettier-ignore
const flagNames: readonly (readonly [number, string])[] = [
  [boldFlag, "bold"],
  [dimFlag, "dim"],
  [italicFlag, "italic"],
  [underlineFlag, "underline"],
  [strikeFlag, "strike"],
  [wideFlag, "wide"],
];

/** The default colour. Others are 0 to 255, or 0x1000000 plus red, green and blue. */
const noColour = -1;
const rgbBit = 0x1000000;

/** Joins cells into runs. */
class LineBuilder {
  readonly #runs: StyledRun[] = [];
  #text = "";
  /** Unwritten cells, which become spaces if another cell follows. */
  #blanks = 0;
  #flags = 0;
  #foreground = noColour;
  #background = noColour;

  add(cell: IBufferCell): void {
    const chars = cell.getChars();
    if (cell.isAttributeDefault()) {
      if (chars === "") this.#blanks++;
      else this.#put(chars, wideFlagOf(cell), noColour, noColour);
      return;
    }
    const flags = flagsOf(cell) | wideFlagOf(cell);
    const foreground = cell.isFgRGB() ? rgbBit | cell.getFgColor() : cell.getFgColor();
    const background = cell.isBgRGB() ? rgbBit | cell.getBgColor() : cell.getBgColor();
    if (chars === "" && background === noColour && (flags & inverseFlag) === 0) this.#blanks++;
    else if (chars === "" || flags & hiddenFlag) this.#put(" ".repeat(cell.getWidth()), flags, foreground, background);
    else this.#put(chars, flags, foreground, background);
  }

  /** The line continues in the next row. A wide character that did not fit in this row left one cell empty. */
  wrap(beforeWide: boolean): void {
    if (beforeWide && this.#blanks === 1) this.#blanks = 0;
  }

  /** Ends the line. */
  build(): StyledLine {
    this.#blanks = 0;
    this.#flush();
    return this.#runs;
  }

  #put(text: string, flags: number, foreground: number, background: number): void {
    if (this.#blanks > 0) {
      const spaces = " ".repeat(this.#blanks);
      this.#blanks = 0;
      this.#put(spaces, 0, noColour, noColour);
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
    (cell.isBold() && boldFlag) |
    (cell.isDim() && dimFlag) |
    (cell.isItalic() && italicFlag) |
    (cell.isUnderline() && underlineFlag) |
    (cell.isStrikethrough() && strikeFlag) |
    (cell.isInverse() && inverseFlag) |
    (cell.isInvisible() && hiddenFlag)
  );
}

/** Ideographs, which fonts draw slightly narrower than their two cells. Emoji fill their cells without help. */
function wideFlagOf(cell: IBufferCell): number {
  if (cell.getWidth() < 2) return 0;
  const code = cell.getCode();
  return (code >= 0x1100 && code < 0x2300) || (code >= 0x2e80 && code < 0x1f000) || code >= 0x20000 ? wideFlag : 0;
}

function styleOf(flags: number, foreground: number, background: number): Omit<StyledRun, "text"> {
  const inverse = (flags & inverseFlag) !== 0;
  const front = colour("fg", inverse ? background : foreground, inverse);
  const back = colour("bg", inverse ? foreground : background, inverse);
  const classes = flagNames.filter(([flag]) => flags & flag).map(([, name]) => `ansi-${name}`);
  const style = [...classes, front.name, back.name].filter(name => name !== "").join(" ");
  return {
    style,
    ...(front.own !== undefined && { foreground: front.own }),
    ...(back.own !== undefined && { background: back.own }),
  };
}

const colourNames = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
/** The levels of red, green and blue in the colour cube, colours 16 to 231. */
const cubeSteps = [0, 95, 135, 175, 215, 255];

/** The class of a colour, and the colour itself if themes do not define it. */
function colour(side: "fg" | "bg", value: number, inverse: boolean): { readonly name: string; readonly own?: string } {
  if (value === noColour) return { name: inverse ? `ansi-${side}-inverse` : "" };
  if (value < 16) return { name: `ansi-${side}-${value < 8 ? "" : "bright-"}${colourNames[value % 8]}` };
  return { name: `ansi-${side}-own`, own: `#${hex(value)}` };
}

function hex(value: number): string {
  const rgb =
    value >= rgbBit ? value - rgbBit : value < 232 ? cubeColour(value - 16) : (8 + 10 * (value - 232)) * 0x10101;
  return rgb.toString(16).padStart(6, "0");
}

function cubeColour(index: number): number {
  const step = (place: number): number => cubeSteps[Math.floor(index / place) % 6] ?? 0;
  return step(36) * 0x10000 + step(6) * 0x100 + step(1);
}

const zeroWidthPattern = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const twoCellPattern =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{17000}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation})$/u;
/** The known widths of the basic multilingual plane, plus one. */
const cachedWidths = new Uint8Array(0x10000);

/** How many cells a character takes. The emulator's own table is from 2010, when emoji took one. */
const unicodeWidths: IUnicodeVersionProvider = {
  version: "parley",
  wcwidth(code) {
    if (code < 0x300) return 1;
    const known = cachedWidths[code] ?? 0;
    if (known > 0) return (known - 1) as 0 | 1 | 2;
    const char = String.fromCodePoint(code);
    const width = zeroWidthPattern.test(char) ? 0 : twoCellPattern.test(char) ? 2 : 1;
    cachedWidths[code] = width + 1;
    return width;
  },
  // Packed in the emulator's format: the width, and whether the character joins the preceding one.
  charProperties(code, preceding) {
    const width = unicodeWidths.wcwidth(code);
    const before = (preceding >> 1) & 3;
    return width === 0 && before > 0 ? (before << 1) | 1 : width << 1;
  },
};
