// The command that allows all edits of the shown session, or stops that.
import * as vscode from "vscode";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { showInformationMessage } from "../editor/editorUi.ts";
import type { SessionRegistry } from "../library/sessionRegistry.ts";
import { setAllEdits, type AllEdits } from "../permissions/allEdits.ts";
import type { ChatPanels } from "./chatPanels.ts";

/** Its handler. It announces the state, because the chat can be hidden. */
export const allEditsCommand = (
  registry: SessionRegistry,
  allEdits: AllEdits,
  chat: Pick<ChatPanels, "announce">,
): CommandHandlers<"parley.allowAllEdits"> => ({
  "parley.allowAllEdits": () => {
    const session = registry.open.active;
    if (!session) {
      void showInformationMessage(vscode.l10n.t("There is no session. Open the chat first."));
      return;
    }
    const isOn = !allEdits.has(session.id);
    setAllEdits(allEdits, session, isOn);
    chat.announce(
      isOn
        ? vscode.l10n.t("All edits of files in the workspace are allowed in this session.")
        : vscode.l10n.t("You are asked about edits again."),
    );
  },
});
