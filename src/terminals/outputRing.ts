// The newest bytes of a stream, up to a limit, cut between characters.

const minCapacity = 4096;

/** Keeps the last `limit` bytes. Memory grows with the kept bytes, never beyond the limit. */
export class OutputRing {
  readonly #limit: number;
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #start = 0;
  #length = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether bytes were dropped. */
  get truncated(): boolean {
    return this.#truncated;
  }

  get isEmpty(): boolean {
    return this.#length === 0 && !this.#truncated;
  }

  push(chunk: Uint8Array): void {
    if (this.#length + chunk.length > this.#limit) this.#truncated = true;
    const kept = chunk.length > this.#limit ? chunk.subarray(chunk.length - this.#limit) : chunk;
    if (kept.length === 0) return;
    this.#grow(Math.min(this.#limit, this.#length + kept.length));
    this.#drop(this.#length + kept.length - this.#limit);
    const capacity = this.#bytes.length;
    const end = (this.#start + this.#length) % capacity;
    const head = Math.min(kept.length, capacity - end);
    this.#bytes.set(kept.subarray(0, head), end);
    this.#bytes.set(kept.subarray(head), 0);
    this.#length += kept.length;
  }

  /** The kept bytes as text. If the start was dropped, the text begins at a character. */
  text(): string {
    const bytes = this.#contiguous();
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#truncated ? fromCharacterStart(bytes) : bytes);
  }

  /** Removes everything. */
  clear(): void {
    this.#start = 0;
    this.#length = 0;
    this.#truncated = false;
  }

  #contiguous(): Uint8Array {
    const end = this.#start + this.#length;
    const capacity = this.#bytes.length;
    if (end <= capacity) return this.#bytes.subarray(this.#start, end);
    return Buffer.concat([this.#bytes.subarray(this.#start), this.#bytes.subarray(0, end - capacity)]);
  }

  #drop(count: number): void {
    if (count <= 0) return;
    this.#start = (this.#start + count) % this.#bytes.length;
    this.#length -= count;
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.min(this.#limit, Math.max(minCapacity, needed, this.#bytes.length * 2)));
    larger.set(this.#contiguous());
    this.#bytes = larger;
    this.#start = 0;
  }
}

/** The bytes from the first one that starts a character. A character has at most three continuation bytes. */
function fromCharacterStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** Passes on whole UTF-8 characters and holds the start of the next one back until the rest arrives. */
export class CharacterSplitter {
  #incomplete: Uint8Array = new Uint8Array(0);

  /** The complete characters of the held bytes and this chunk. */
  push(chunk: Uint8Array): Uint8Array {
    const all = this.#incomplete.length === 0 ? chunk : Buffer.concat([this.#incomplete, chunk]);
    const cut = all.length - incompleteLength(all);
    this.#incomplete = all.slice(cut);
    return all.subarray(0, cut);
  }

  /** The remaining bytes at the end of the stream. Never a whole character. */
  end(): Uint8Array {
    const rest = this.#incomplete;
    this.#incomplete = new Uint8Array(0);
    return rest;
  }
}

/** The number of bytes at the end that are the start of a character. */
function incompleteLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if (!isContinuation(byte)) return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function characterLength(first: number | undefined): number {
  if (first === undefined || first < 0xc2 || first > 0xf4) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
