// The newest bytes of a stream, up to a limit, cut between characters.

const minCapacity = 4096;

/** Keeps the last `limit` bytes pushed. Memory grows with what is kept, never beyond the limit. */
export class OutputRing {
  readonly #limit: number;
  #bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #start = 0;
  #length = 0;
  #truncated = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether bytes were lost. */
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

  /** The kept bytes as text. Where the start was lost, it begins at a character. */
  text(): string {
    const bytes = this.#contiguous();
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#truncated ? fromCharacterStart(bytes) : bytes);
  }

  /** Forgets everything, as if new. */
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

/** The bytes from the first that starts a character. No character has more than three that continue it. */
function fromCharacterStart(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && start < bytes.length && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

/** Passes on whole UTF-8 characters and keeps the beginning of the next until the rest of it comes. */
export class CharacterSplitter {
  #incomplete: Uint8Array = new Uint8Array(0);

  /** What is complete, of what was held and this. */
  push(chunk: Uint8Array): Uint8Array {
    const all = this.#incomplete.length === 0 ? chunk : Buffer.concat([this.#incomplete, chunk]);
    const cut = all.length - incompleteLength(all);
    this.#incomplete = all.slice(cut);
    return all.subarray(0, cut);
  }

  /** What is left at the end of the stream: never a whole character. */
  end(): Uint8Array {
    const rest = this.#incomplete;
    this.#incomplete = new Uint8Array(0);
    return rest;
  }
}

/** How many bytes at the end are the beginning of a character. */
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
