// Standard I/O of the agent: one queue for all output to stdout, so that scripted lines and messages of the SDK never
// mix, and a reader for stdin.
import { Readable } from "node:stream";

/** Writes to stdout in order, and waits if the client reads slowly. */
export class Output {
  /** When the operating system accepted the last write, in milliseconds of wall-clock time. */
  lastWritten = 0;

  /** Writes text. Resolves when the operating system has accepted it. */
  async write(text: string | Uint8Array): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, error => {
        this.lastWritten = performance.timeOrigin + performance.now();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Writes text and waits only for space in the pipe, so that a script can flood the client. */
  async push(text: string): Promise<void> {
    const room = process.stdout.write(text, () => {
      this.lastWritten = performance.timeOrigin + performance.now();
    });
    if (room) return;
    await new Promise<void>(resolve => process.stdout.once("drain", resolve));
  }

  /** Resolves when the operating system has accepted all previous writes. */
  async flush(): Promise<void> {
    await this.write("");
  }

  /** The queue as a stream for the SDK. */
  stream(): WritableStream<Uint8Array> {
    return new WritableStream<Uint8Array>({ write: chunk => this.write(chunk) });
  }
}

/** Stdin as a stream for the SDK. */
export function input(): ReadableStream<Uint8Array> {
  return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
}
