// Splits a stream of bytes into lines, with a limit.

/**
 * Splits bytes into lines without concatenating strings. Calls `onLine` for each complete line, without its line
 * ending, and `onOversized` once for each line that was dropped because of its size.
 */
export class LineSplitter {
  #parts: Buffer[] = [];
  #size = 0;
  #dropping = false;
  readonly #onLine: (line: Buffer) => void;
  readonly #onOversized: (bytes: number) => void;
  readonly #limit: number;
  constructor(onLine: (line: Buffer) => void, onOversized: (bytes: number) => void, limit: number) {
    this.#onLine = onLine;
    this.#onOversized = onOversized;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, from);
      if (end < 0) break;
      this.#add(chunk.subarray(from, end));
      this.#finish();
      from = end + 1;
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  /** Call at the end of the stream: the remaining bytes are the last line. */
  end(): void {
    if (this.#size > 0) this.#finish();
  }

  #add(part: Buffer): void {
    this.#size += part.length;
    if (this.#dropping) return;
    if (this.#size > this.#limit) {
      this.#dropping = true;
      this.#parts = [];
    } else if (part.length > 0) this.#parts.push(part);
  }

  #finish(): void {
    const [first] = this.#parts;
    const line = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    const size = this.#size;
    const dropped = this.#dropping;
    this.#parts = [];
    this.#size = 0;
    this.#dropping = false;
    if (dropped) this.#onOversized(size);
    else this.#onLine(line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
  }
}
