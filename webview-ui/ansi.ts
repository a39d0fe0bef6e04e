// What a terminal printed, as lines of styled text: colours become classes, cursor tricks that progress bars use are
// followed within the line, everything else is dropped. Incremental: feed it what comes.

/** A run of text with the classes of its style, "" for none. */
export interface Run {
  readonly text: string;
  readonly style: string;
}

const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const ESC = "\u001b";
/** A whole escape sequence at this place: CSI, OSC (ended by BEL or ST), or a short one. */
const SEQUENCE =
  /(?:\u001b\[|\u009b)([0-9:;<=>?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-OQ-WYZ`-~]/y;
/** Longer than this, an unfinished sequence is text after all. */
const MAX_SEQUENCE = 4096;

interface Cell {
  readonly char: string;
  readonly style: string;
}

/** Follows terminal output. `write` returns the lines that were finished by it; `line` is the one being written. */
export class AnsiLines {
  #carry = "";
  #cells: Cell[] = [];
  #column = 0;
  readonly #flags = new Set<string>();
  #foreground = "";
  #background = "";

  /** The line that is being written. */
  get line(): readonly Run[] {
    return runs(this.#cells);
  }

  write(chunk: string): readonly (readonly Run[])[] {
    const input = this.#carry + chunk;
    this.#carry = "";
    const finished: (readonly Run[])[] = [];
    const style = { now: this.#style() };
    let at = 0;
    while (at < input.length) {
      const char = input[at] as string;
      if (char === ESC || char === "\u009b") {
        SEQUENCE.lastIndex = at;
        const match = SEQUENCE.exec(input);
        if (match) {
          this.#control(match[1] ?? "", match[2]);
          style.now = this.#style();
          at = SEQUENCE.lastIndex;
          continue;
        }
        if (input.length - at < MAX_SEQUENCE) {
          this.#carry = input.slice(at);
          break;
        }
        at++;
        continue;
      }
      at++;
      if (char === "\n") {
        finished.push(runs(this.#cells));
        this.#cells = [];
        this.#column = 0;
      } else if (char === "\r") this.#column = 0;
      else if (char === "\b") this.#column = Math.max(0, this.#column - 1);
      else if (char === "\t" || char >= " ") this.#put(char, style.now);
    }
    return finished;
  }

  #put(char: string, style: string): void {
    while (this.#cells.length < this.#column) this.#cells.push({ char: " ", style: "" });
    this.#cells[this.#column++] = { char, style };
  }

  #control(parameters: string, final: string | undefined): void {
    const numbers = parameters.split(/[;:]/).map(Number);
    const first = numbers[0] || 0;
    if (final === "m") this.#select(numbers);
    else if (final === "G") this.#column = Math.min(Math.max(0, first - 1), 1000);
    else if (final === "K" && first === 0) this.#cells.length = Math.min(this.#cells.length, this.#column);
    else if (final === "K" && first === 2) this.#cells = [];
  }

  #select(numbers: readonly number[]): void {
    for (let i = 0; i < numbers.length; i++) {
      const n = numbers[i] as number;
      if (n === 0) this.#resetStyle();
      else if (n === 1 || n === 2 || n === 3 || n === 4 || n === 9) this.#flags.add(FLAGS[n] as string);
      else if (n === 22) ["bold", "dim"].forEach(flag => this.#flags.delete(flag));
      else if (n === 23 || n === 24 || n === 29) this.#flags.delete(FLAGS[n - 20] as string);
      else if (n === 38 || n === 48) {
        const colour = numbers[i + 1] === 5 ? colourName(numbers[i + 2] ?? -1) : "";
        if (n === 38) this.#foreground = colour;
        else this.#background = colour;
        i += numbers[i + 1] === 5 ? 2 : 4;
      } else if (n >= 30 && n <= 37) this.#foreground = colourName(n - 30);
      else if (n >= 90 && n <= 97) this.#foreground = colourName(n - 82);
      else if (n === 39) this.#foreground = "";
      else if (n >= 40 && n <= 47) this.#background = colourName(n - 40);
      else if (n >= 100 && n <= 107) this.#background = colourName(n - 92);
      else if (n === 49) this.#background = "";
    }
  }

  #resetStyle(): void {
    this.#flags.clear();
    this.#foreground = "";
    this.#background = "";
  }

  #style(): string {
    const out = [...this.#flags].map(flag => `ansi-${flag}`);
    if (this.#foreground !== "") out.push(`ansi-fg-${this.#foreground}`);
    if (this.#background !== "") out.push(`ansi-bg-${this.#background}`);
    return out.join(" ");
  }
}

const FLAGS: Readonly<Record<number, string>> = { 1: "bold", 2: "dim", 3: "italic", 4: "underline", 9: "strike" };

/** The sixteen colours that themes define; the others stay in the terminal's own colour. */
function colourName(index: number): string {
  const name = COLOURS[index % 8];
  if (index < 0 || index > 15 || name === undefined) return "";
  return index < 8 ? name : `bright-${name}`;
}

function runs(cells: readonly Cell[]): readonly Run[] {
  const out: { text: string; style: string }[] = [];
  for (const cell of cells) {
    const last = out.at(-1);
    if (last && last.style === cell.style) last.text += cell.char;
    else out.push({ text: cell.char, style: cell.style });
  }
  return out;
}
