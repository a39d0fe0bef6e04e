// A notification with the progress of work on many files, and Cancel.
import * as vscode from "vscode";
import { withProgress } from "./editorUi.ts";

/** What the work reports to the notification, and how it learns of Cancel. */
export interface ProgressOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

/** Work on fewer files is over before a notification could be read. */
const minFiles = 20;

/** Runs work on `total` files, with a notification if they are many. */
export function withCancellableProgress<T>(
  title: string,
  total: number,
  work: (options?: ProgressOptions) => Promise<T>,
): Thenable<T> {
  if (total < minFiles) return work();
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return withProgress(options, async (progress, token) => {
    const cancel = new AbortController();
    const listener = token.onCancellationRequested(() => cancel.abort());
    let shown = 0;
    const onProgress = (done: number): void => {
      progress.report({
        increment: ((done - shown) / total) * 100,
        message: vscode.l10n.t("{0} of {1} files", done, total),
      });
      shown = done;
    };
    try {
      return await work({ signal: cancel.signal, onProgress });
    } finally {
      listener.dispose();
    }
  });
}
