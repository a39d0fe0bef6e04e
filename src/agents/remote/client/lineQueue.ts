// The messages of a server as lines, with backpressure: whoever reads slowly slows the server.
import { Readable } from "node:stream";

/** Above this many bytes that wait to be read, the connection is paused. */
const maxWaitingBytes = 1024 * 1024;
const newline = Buffer.from("\n");

/** The lines that a connection has received and nobody has read. */
export class LineQueue {
  readonly output: Readable;
  #isFull = false;
  #waiters: (() => void)[] = [];

  /** `onDrained`: called when the reader has taken what waited after {@link push} returned false. */
  constructor(onDrained: () => void = () => {}) {
    this.output = new Readable({
      highWaterMark: maxWaitingBytes,
      read: () => {
        if (!this.#isFull) return;
        this.#isFull = false;
        for (const resume of this.#waiters.splice(0)) resume();
        onDrained();
      },
    });
    // Whoever destroys the stream reads no further.
    this.output.on("close", () => {
      this.#isFull = false;
      for (const resume of this.#waiters.splice(0)) resume();
    });
  }

  /** Adds a message. Line breaks in it, which JSON allows between its tokens, become spaces. False: pause the connection. */
  push(message: Buffer): boolean {
    if (this.output.destroyed || this.output.readableEnded) return true;
    if (message.includes(0x0a)) for (let i = 0; i < message.length; i++) if (message[i] === 0x0a) message[i] = 0x20;
    const more = this.output.push(Buffer.concat([message, newline]));
    this.#isFull = !more;
    return more;
  }

  /** Resolves when the reader has taken what waits. */
  whenDrained(): Promise<void> {
    return this.#isFull ? new Promise(resolve => this.#waiters.push(resolve)) : Promise.resolve();
  }

  /** Ends the output after the lines that wait. */
  end(): void {
    if (!this.output.destroyed) this.output.push(null);
  }
}
