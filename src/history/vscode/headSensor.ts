// Notes when git moves HEAD of a repository, from the log that git keeps of it.
import { open } from "node:fs/promises";
import { join } from "node:path";
import { asError, isNotFoundError } from "../../base/errors.ts";
import { DisposableStore, type Disposable, type Event } from "../../base/lifecycle.ts";
import type { Log } from "../../base/log.ts";
import type { FileEvents } from "../../files/vscode/fileEvents.ts";
import type { FactSink } from "../facts.ts";

/** How many bytes at the end of git's log are read. */
const maxEntryBytes = 4096;

export interface HeadSensorOptions {
  readonly fileEvents: FileEvents;
  readonly roots: () => readonly string[];
  readonly onDidChangeRoots: Event<void>;
  readonly facts: FactSink;
  readonly log: Log;
}

/** Watches repositories whose top is a workspace folder. */
export class HeadSensor implements Disposable {
  readonly #options: HeadSensorOptions;
  readonly #store = new DisposableStore();
  #watchers = new DisposableStore();

  constructor(options: HeadSensorOptions) {
    this.#options = options;
    this.#watch();
    this.#store.add(options.onDidChangeRoots(() => this.#watch()));
  }

  dispose(): void {
    this.#watchers.dispose();
    this.#store.dispose();
  }

  #watch(): void {
    this.#watchers.dispose();
    this.#watchers = new DisposableStore();
    const { roots, fileEvents, log } = this.#options;
    for (const root of roots()) {
      const headLog = join(root, ".git", "logs", "HEAD");
      const changed = (): void =>
        void this.#moved(root, headLog).catch((thrown: unknown) =>
          log.warn("git's log of HEAD could not be read.", asError(thrown).message),
        );
      this.#watchers.add(fileEvents.watchFile(headLog, changed));
    }
  }

  async #moved(folder: string, headLog: string): Promise<void> {
    const what = lastEntry(await endOf(headLog));
    if (what !== undefined) this.#options.facts.note({ type: "headMoved", folder, what });
  }
}

/** What the last line of git's log of HEAD describes. Undefined: there is none. */
function lastEntry(text: string): string | undefined {
  const what = text.trimEnd().split("\n").at(-1)?.split("\t")[1];
  return what === "" ? undefined : what;
}

/** The end of a file. Empty if there is none. */
async function endOf(path: string): Promise<string> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - maxEntryBytes);
      const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - start), position: start });
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (isNotFoundError(thrown)) return "";
    throw thrown;
  }
}
