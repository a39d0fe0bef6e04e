// The agent's side of the pipe: one queue for everything written to stdout, so that scripted lines and the SDK's
// messages never mix, and a reader for stdin.
import { Readable } from "node:stream";

/** Writes to stdout in order, and waits while the client reads slowly. */
export class Output {
  /** When the operating system took the last write, in milliseconds of wall-clock time. */
  lastWritten = 0;

  /** Writes text; resolves once it was handed over. */
  async write(text: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, error => {
        this.lastWritten = performance.timeOrigin + performance.now();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Writes text without waiting for the handover, only for room in the pipe: the way to flood. */
  async push(text: string): Promise<void> {
    const room = process.stdout.write(text, () => {
      this.lastWritten = performance.timeOrigin + performance.now();
    });
    if (room) return;
    await new Promise<void>(resolve => process.stdout.once("drain", resolve));
  }

  /** Resolves when everything pushed so far was handed over. */
  async flush(): Promise<void> {
    await this.write("");
  }

  /** For the SDK. */
  stream(): WritableStream<Uint8Array> {
    return new WritableStream<Uint8Array>({ write: chunk => this.write(chunk) });
  }
}

/** Stdin as the SDK reads it. */
export function input(): ReadableStream<Uint8Array> {
  return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
}
