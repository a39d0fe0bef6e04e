// The output of terminals that the agent runs. It arrives as base64 of any bytes, so a character can be split over two
// pieces. Escape sequences stay whole, because the panel reads the whole output. No I/O.

/** At most this many terminals are decoded at a time. Beyond it, the oldest lose the first half of a split character. */
const maxDecoders = 1000;

/** Decodes the output of all terminals of one session. */
export class TerminalBytes {
  readonly #decoders = new Map<string, InstanceType<typeof TextDecoder>>();

  /** The text of a snapshot, which replaces all output so far. The next piece continues it. */
  replace(terminalId: string, data: string): string {
    this.#decoders.delete(terminalId);
    return this.append(terminalId, data);
  }

  /** The text that a piece adds. Each piece is base64 of its own. */
  append(terminalId: string, data: string): string {
    const decoder = this.#decoders.get(terminalId) ?? new TextDecoder("utf-8", { ignoreBOM: true });
    const [oldest] = this.#decoders.keys();
    if (this.#decoders.size >= maxDecoders && oldest !== undefined) this.#decoders.delete(oldest);
    this.#decoders.set(terminalId, decoder);
    return decoder.decode(Buffer.from(data, "base64"), { stream: true });
  }

  /** The rest of the output, once the terminal has exited: a character that was never completed. */
  end(terminalId: string): string {
    const rest = this.#decoders.get(terminalId)?.decode() ?? "";
    this.#decoders.delete(terminalId);
    return rest;
  }
}
