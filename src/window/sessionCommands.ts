// Handlers of the commands for the active session, the chat, and what an agent sent and received.
import * as vscode from "vscode";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { conversationText } from "../session/conversation/conversationText.ts";
import { openQuestions } from "../session/state.ts";
import { setStatusBarMessage, showQuickPick } from "../editor/editorUi.ts";
import type { ChatPanels } from "./chatPanels.ts";
import type { Settings } from "./settings.ts";
import { confirmEndOfWork } from "./sessions/confirmEndOfWork.ts";
import type { WindowSessions } from "./sessions/windowSessions.ts";
import { statusMessageDuration } from "./statusBar.ts";
import type { TrafficDocument } from "./trafficDocument.ts";

type ChatCommandId = "parley.openChat" | "parley.openChatInEditor" | "parley.find";

/** Handlers of the commands that show the chat. */
export const chatCommands = (sessions: WindowSessions, chat: ChatPanels): CommandHandlers<ChatCommandId> => ({
  "parley.openChat": () => chat.focus(openQuestions(sessions.open.activeState).length > 0 ? "ask" : "composer"),
  "parley.openChatInEditor": () => void chat.openEditor(),
  "parley.find": () => chat.focus("find"),
});

type SessionCommandId =
  | "parley.newSession"
  | "parley.stop"
  | "parley.selectAgent"
  | "parley.restartAgent"
  | "parley.signOut"
  | "parley.copyConversation";

/** Handlers of the commands for the session and its agent. */
export const sessionCommands = (
  sessions: WindowSessions,
  chat: ChatPanels,
  settings: () => Settings,
): CommandHandlers<SessionCommandId> => ({
  "parley.newSession": async () => {
    const surface = sessions.open.activeSurface;
    const isStarted = (await sessions.startInChosenFolder(surface)) !== undefined;
    if (isStarted || sessions.startObstacle()) await chat.focus("composer", [surface]);
  },
  "parley.stop": () => sessions.open.active?.stop(),
  "parley.selectAgent": async () => {
    const agent = await pickAgent(settings(), sessions.agentOf(sessions.open.active)?.id);
    if (agent === undefined) return;
    await sessions.startInChosenFolder(sessions.open.activeSurface, agent);
    await chat.focus("composer", [sessions.open.activeSurface]);
  },
  "parley.restartAgent": async () => {
    const session = sessions.open.active;
    // All sessions of the agent share its process.
    const states = sessions.open.sessions.map(({ state }) => state);
    const ended = states.filter(({ agent }) => agent !== null && agent.id === session?.state.agent?.id);
    if (!(await confirmEndOfWork(ended, vscode.l10n.t("Restart Agent")))) return;
    await chat.focus("composer", [sessions.open.activeSurface]);
    session?.offerSignIn();
    if (session) await session.restart();
    else sessions.start();
  },
  "parley.signOut": () => sessions.signOut(),
  "parley.copyConversation": async () => {
    await vscode.env.clipboard.writeText(conversationText(sessions.open.activeState));
    setStatusBarMessage(vscode.l10n.t("Copied the conversation."), statusMessageDuration);
  },
});

const activeAgent = (sessions: WindowSessions): { readonly id: string; readonly name: string } | undefined =>
  sessions.open.activeState.agent ?? sessions.agentOf(undefined);

/** Asks for an agent. Returns its id. */
async function pickAgent({ agents }: Settings, currentId: string | undefined): Promise<string | undefined> {
  const picks = agents.map(({ id, name, description = "", icon }) => ({
    label: icon === undefined ? name : `$(${icon}) ${name}`,
    description: id === currentId ? vscode.l10n.t("current") : "",
    detail: description,
    id,
  }));
  const picked = await showQuickPick(picks, {
    title: vscode.l10n.t("Select Agent"),
    placeHolder: vscode.l10n.t("A new session starts with the selected agent"),
    matchOnDetail: true,
  });
  return picked?.id;
}

/** Handlers of the commands that show what an agent and the extension have logged. */
export const logCommands = (
  sessions: WindowSessions,
  traffic: TrafficDocument,
  log: { show(): void },
): CommandHandlers<"parley.showLog" | "parley.showTraffic" | "parley.saveTranscript"> => ({
  "parley.showLog": () => log.show(),
  "parley.showTraffic": async () => {
    const agent = activeAgent(sessions);
    if (agent) await traffic.show(agent.id, agent.name);
  },
  "parley.saveTranscript": async () => {
    const agent = activeAgent(sessions);
    if (agent) await traffic.save(agent.id);
  },
});
