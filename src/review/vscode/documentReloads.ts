// Makes the editor load the text on disk into documents that are older.
import type * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { withLineFeeds } from "../../base/text.ts";
import { diskText } from "../../editor/diskText.ts";
import { maxReloadWait, openDocumentOf, waitForReload } from "../../editor/openDocuments.ts";

/** The reloads in progress. */
export class DocumentReloads {
  readonly #paths = new Set<string>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Makes the editor load the text on disk, unless it is doing so. */
  request(path: string): void {
    const open = openDocumentOf(path);
    if (!open || this.#paths.has(path)) return;
    const isCurrent = async (one: vscode.TextDocument): Promise<boolean> =>
      one.isDirty || withLineFeeds(one.getText()) === (await diskText(path));
    this.#paths.add(path);
    waitForReload(open, isCurrent, maxReloadWait)
      .catch((thrown: unknown) => this.#log.warn(`${path} could not be reloaded.`, asError(thrown).message))
      .finally(() => this.#paths.delete(path));
  }
}
