// Handlers of the commands that select the mode and the model of the shown session.
import * as vscode from "vscode";
import type { WindowAgents } from "../agents/vscode/windowAgents.ts";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { showInformationMessage, showQuickPick } from "../editor/editorUi.ts";
import { approvesEverything } from "../session/approvesEverything.ts";
import { chosenOption, nextValue } from "../session/chosenOption.ts";
import type { SessionRegistry } from "../library/sessionRegistry.ts";
import type { ChatPanels } from "./chatPanels.ts";

/** Handlers of **Next Mode** and **Choose Model**. They announce the mode, because the chat can be hidden. */
export const optionCommands = (
  registry: SessionRegistry,
  agents: WindowAgents,
  chat: Pick<ChatPanels, "announce">,
): CommandHandlers<"parley.cycleMode" | "parley.chooseModel"> => ({
  "parley.cycleMode": async () => {
    const session = registry.open.active;
    const chosen = session && chosenOption(session.state, "mode");
    const next = chosen && nextValue(chosen);
    if (!session || !chosen || !next) {
      void showInformationMessage(vscode.l10n.t("The agent offers no other mode that this command can select."));
      return;
    }
    await agents.setOption(session, chosen.option.id, next.value);
    chat.announce(vscode.l10n.t("{0}: {1}", chosen.option.name, next.name));
  },
  "parley.chooseModel": async () => {
    const session = registry.open.active;
    const chosen = session && chosenOption(session.state, "model");
    if (!session || !chosen) {
      void showInformationMessage(vscode.l10n.t("The agent offers no models to choose from."));
      return;
    }
    const { option, value } = chosen;
    const picks = option.choices.map(choice => ({
      label: choice.name,
      ...(approvesEverything(option, choice.value, choice) && { iconPath: new vscode.ThemeIcon("warning") }),
      description: choice.value === value ? vscode.l10n.t("current") : "",
      detail: choice.description ?? "",
      value: choice.value,
    }));
    const picked = await showQuickPick(picks, { title: option.name, matchOnDetail: true });
    if (picked && picked.value !== value) await agents.setOption(session, option.id, picked.value);
  },
});
