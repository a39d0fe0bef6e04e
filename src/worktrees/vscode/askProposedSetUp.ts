// The dialog of VS Code that asks whether the set-up that a repository proposes may run in a new worktree.
import { basename } from "node:path";
import { t } from "../../base/l10n.ts";
import { showWarningMessage } from "../../editor/editorUi.ts";
import { proposedSetUpFile } from "../proposedSetUp.ts";
import type { WorktreeRecord } from "../worktreeRecords.ts";

/** Asks the user. Resolves with whether the user allows exactly these lines. */
export async function askProposedSetUp(lines: readonly string[], { origin, branch }: WorktreeRecord): Promise<boolean> {
  const run = t("Run Set-Up");
  const pressed = await showWarningMessage(
    t("Run the set-up of “{0}” in the new worktree “{1}”?", basename(origin), branch),
    {
      modal: true,
      detail: [
        t("The repository proposes it in “{0}”:", proposedSetUpFile),
        "",
        ...lines,
        "",
        t("Parley asks again if the text changes. If you cancel, the agent starts without the set-up."),
      ],
    },
    run,
  );
  return pressed === run;
}
