// The warning that the log of a session cannot be written.
import { t } from "../../base/l10n.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";

/** Warns that the conversation is not saved. */
export function warnNotSaved(reason: string): void {
  void showWarningMessage(
    t(
      "The conversation cannot be saved: {0}. Parley will keep retrying. Until then, don't close the window or the session.",
      reason,
    ),
  );
}
