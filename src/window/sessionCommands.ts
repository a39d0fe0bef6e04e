// Handlers of the commands for the session that the window shows, the chat, and what an agent sent and received.
import * as vscode from "vscode";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { conversationText } from "../session/conversationText.ts";
import { openQuestions, sessionTitle } from "../session/state.ts";
import type { ChatPanels } from "./chatPanels.ts";
import type { CurrentSession } from "./currentSession.ts";
import type { Settings } from "./settings.ts";
import { statusMessageDuration } from "./statusBar.ts";
import type { TrafficDocument } from "./trafficDocument.ts";

type ChatCommandId = "parley.openChat" | "parley.openChatInEditor" | "parley.find";

/** Handlers of the commands that show the chat. */
export const chatCommands = (current: CurrentSession, chat: ChatPanels): CommandHandlers<ChatCommandId> => ({
  "parley.openChat": () => chat.focus(openQuestions(current.state).length > 0 ? "ask" : "composer"),
  "parley.openChatInEditor": () => chat.openEditor(),
  "parley.find": () => chat.focus("find"),
});

type SessionCommandId =
  | "parley.newSession"
  | "parley.stop"
  | "parley.selectAgent"
  | "parley.restartAgent"
  | "parley.signOut"
  | "parley.renameSession"
  | "parley.copyConversation";

/** Handlers of the commands for the session and its agent. */
export const sessionCommands = (
  current: CurrentSession,
  chat: ChatPanels,
  settings: () => Settings,
): CommandHandlers<SessionCommandId> => ({
  "parley.newSession": async () => {
    await current.replace();
    await chat.focus("composer");
  },
  "parley.stop": () => current.session?.stop(),
  "parley.selectAgent": async () => {
    const agent = await pickAgent(settings(), current.agent?.id);
    if (agent === undefined) return;
    await current.replace(agent);
    await chat.focus("composer");
  },
  "parley.restartAgent": async () => {
    await chat.focus("composer");
    current.session?.offerSignIn();
    if (current.session) await current.session.restart();
    else current.start();
  },
  "parley.signOut": () => current.signOut(),
  "parley.renameSession": async () => {
    const { session, state } = current;
    if (!session) return;
    const title = await vscode.window.showInputBox({
      title: vscode.l10n.t("Rename Session"),
      prompt: vscode.l10n.t("Leave empty to use the agent's title."),
      value: sessionTitle(state),
    });
    if (title !== undefined) session.rename(title);
  },
  "parley.copyConversation": async () => {
    await vscode.env.clipboard.writeText(conversationText(current.state));
    vscode.window.setStatusBarMessage(vscode.l10n.t("Copied the conversation."), statusMessageDuration);
  },
});

/** Asks for an agent. Returns its id. */
async function pickAgent({ agents }: Settings, currentId: string | undefined): Promise<string | undefined> {
  const picks = agents.map(({ id, name, description = "" }) => ({
    label: name,
    description: id === currentId ? vscode.l10n.t("current") : "",
    detail: description,
    id,
  }));
  const picked = await vscode.window.showQuickPick(picks, {
    title: vscode.l10n.t("Select Agent"),
    placeHolder: vscode.l10n.t("A new session starts with the selected agent"),
    matchOnDetail: true,
  });
  return picked?.id;
}

/** Handlers of the commands that show what an agent and the extension have logged. */
export const logCommands = (
  current: CurrentSession,
  traffic: TrafficDocument,
  log: { show(): void },
): CommandHandlers<"parley.showLog" | "parley.showTraffic" | "parley.saveTranscript"> => ({
  "parley.showLog": () => log.show(),
  "parley.showTraffic": async () => {
    const agent = current.state.agent ?? current.agent;
    if (agent) await traffic.show(agent.id, agent.name);
  },
  "parley.saveTranscript": async () => {
    const agent = current.state.agent ?? current.agent;
    if (agent) await traffic.save(agent.id);
  },
});
