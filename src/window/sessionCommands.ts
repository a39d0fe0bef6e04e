// Handlers of the commands for the active session, the chat, and what an agent sent and received.
import * as vscode from "vscode";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { conversationText } from "../session/conversationText.ts";
import { openQuestions, sessionTitle } from "../session/state.ts";
import { nextWaiting } from "../sessions/attention.ts";
import type { ChatPanels } from "./chatPanels.ts";
import type { Settings } from "./settings.ts";
import { confirmEndOfWork } from "./sessions/confirmEndOfWork.ts";
import { switchSession } from "./sessions/switchSession.ts";
import type { WindowSessions } from "./sessions/windowSessions.ts";
import { statusMessageDuration } from "./statusBar.ts";
import type { TrafficDocument } from "./trafficDocument.ts";

type ChatCommandId = "parley.openChat" | "parley.openChatInEditor" | "parley.find";

/** Handlers of the commands that show the chat. */
export const chatCommands = (sessions: WindowSessions, chat: ChatPanels): CommandHandlers<ChatCommandId> => ({
  "parley.openChat": () => chat.focus(openQuestions(sessions.open.activeState).length > 0 ? "ask" : "composer"),
  "parley.openChatInEditor": () => chat.openEditor(),
  "parley.find": () => chat.focus("find"),
});

type SessionCommandId =
  | "parley.newSession"
  | "parley.switchSession"
  | "parley.nextWaitingSession"
  | "parley.stop"
  | "parley.selectAgent"
  | "parley.restartAgent"
  | "parley.signOut"
  | "parley.renameSession"
  | "parley.copyConversation";

/** Handlers of the commands for the session and its agent. */
export const sessionCommands = (
  sessions: WindowSessions,
  chat: ChatPanels,
  settings: () => Settings,
): CommandHandlers<SessionCommandId> => ({
  "parley.newSession": async () => {
    sessions.start();
    await chat.focus("composer", [sessions.open.activeSurface]);
  },
  "parley.switchSession": async id => {
    if (typeof id === "string") return showSession(sessions, chat, id);
    if (await switchSession(sessions)) await showActive(sessions, chat);
  },
  "parley.nextWaitingSession": async () => {
    const { open } = sessions;
    const next = nextWaiting(open.sessions, open.active);
    if (!next) {
      void vscode.window.showInformationMessage(vscode.l10n.t("No session is waiting for you."));
      return;
    }
    await showSession(sessions, chat, next.id);
  },
  "parley.stop": () => sessions.open.active?.stop(),
  "parley.selectAgent": async () => {
    const agent = await pickAgent(settings(), sessions.agentOf(sessions.open.active)?.id);
    if (agent === undefined) return;
    sessions.start(agent);
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
  "parley.renameSession": async () => {
    const session = sessions.open.active;
    if (!session) return;
    const title = await vscode.window.showInputBox({
      title: vscode.l10n.t("Rename Session"),
      prompt: vscode.l10n.t("Leave empty to use the agent's title."),
      value: sessionTitle(session.state),
    });
    if (title !== undefined) session.rename(title);
  },
  "parley.copyConversation": async () => {
    await vscode.env.clipboard.writeText(conversationText(sessions.open.activeState));
    vscode.window.setStatusBarMessage(vscode.l10n.t("Copied the conversation."), statusMessageDuration);
  },
});

/** Shows an open session, where it is shown already or else in the active surface, at its open question. */
export async function showSession(sessions: WindowSessions, chat: ChatPanels, id: string): Promise<void> {
  const session = sessions.open.get(id);
  const earlier = sessions.unopened.find(each => each.id === id);
  if (!session && earlier) {
    await sessions.openStored(earlier);
    return showActive(sessions, chat);
  }
  if (!session) return;
  const [surface = sessions.open.activeSurface] = sessions.open.surfacesOf(session);
  sessions.show(id, surface);
  sessions.open.activate(surface);
  await showActive(sessions, chat);
}

function showActive({ open }: WindowSessions, chat: ChatPanels): Promise<void> {
  return chat.focus(openQuestions(open.activeState).length > 0 ? "ask" : "composer", [open.activeSurface]);
}

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
  const picked = await vscode.window.showQuickPick(picks, {
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
