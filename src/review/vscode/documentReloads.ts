// Makes the editor load the text on disk into documents that are older.
import type * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { withLineFeeds } from "../../base/text.ts";
import { diskText } from "../../editor/diskText.ts";
import { maxReloadWait, openDocumentOf, waitForReload } from "../../editor/openDocuments.ts";

/** The editor reports no change of a file in a new folder, and never loads it if it is in the active editor (ms). */
const maxWait = Math.min(2000, maxReloadWait);

/** The reloads in progress. */
export class DocumentReloads {
  readonly #reloads = new Map<string, Promise<void>>();
  /** The texts on disk that the editor has not loaded in time. */
  readonly #missed = new Map<string, string | null | undefined>();
  readonly #log: Log;
  readonly #onMissed: (path: string) => void;

  /** `onMissed`: the editor has not loaded the text on disk in time. */
  constructor(log: Log, onMissed: (path: string) => void) {
    this.#log = log;
    this.#onMissed = onMissed;
  }

  /**
   * Makes the editor load the text on disk, unless it is doing so. Returns whether it will report the text. Otherwise it
   * has the text, or has not loaded it in time, so that the text must be taken from the disk.
   */
  isAwaited(path: string, loaded: string, disk: string): boolean {
    if (loaded === disk || this.#missed.get(path) === disk) return false;
    this.#request(path);
    return true;
  }

  #request(path: string): void {
    const open = openDocumentOf(path);
    if (!open || this.#reloads.has(path)) return;
    const isCurrent = async (one: vscode.TextDocument): Promise<boolean> =>
      one.isDirty || withLineFeeds(one.getText()) === (await diskText(path));
    const reload = waitForReload(open, isCurrent, maxWait)
      .then(async current => {
        if (current) return void this.#missed.delete(path);
        this.#missed.set(path, await diskText(path));
        this.#onMissed(path);
      })
      .catch((thrown: unknown) => this.#log.warn(`${path} could not be reloaded.`, asError(thrown).message));
    this.#reloads.set(
      path,
      reload.finally(() => this.#reloads.delete(path)),
    );
  }

  /** Resolves when no reload is in progress. */
  async whenIdle(): Promise<void> {
    while (this.#reloads.size > 0) await Promise.all(this.#reloads.values());
  }
}
