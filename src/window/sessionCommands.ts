// Handlers of the commands for the active session, the chat, and what an agent sent and received.
import * as vscode from "vscode";
import type { CommandHandlers } from "../editor/commandHandlers.ts";
import { conversationText } from "../session/conversation/conversationText.ts";
import { setStatusBarMessage, showInformationMessage } from "../editor/editorUi.ts";
import type { ApiFeature } from "../api/vscode/createApi.ts";
import type { WindowAgents } from "../agents/vscode/windowAgents.ts";
import type { WaitingOrder } from "../library/waitingOrder.ts";
import type { SessionRegistry } from "../library/sessionRegistry.ts";
import { confirmEndOfWork } from "../library/vscode/confirmEndOfWork.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { ChatPanels } from "./chatPanels.ts";
import { pickAgent } from "../library/vscode/pickAgent.ts";

type ChatCommandId =
  | "parley.openChat"
  | "parley.focusChat"
  | "parley.goToQuestion"
  | "parley.previousPrompt"
  | "parley.nextPrompt"
  | "parley.openChatInEditor"
  | "parley.find";

/** Handlers of the commands that show the chat. `show`: shows the session with this id, at its open question. */
export const chatCommands = (
  registry: SessionRegistry,
  waiting: WaitingOrder,
  chat: ChatPanels,
  show: (id: string) => Promise<void>,
): CommandHandlers<ChatCommandId> => ({
  "parley.openChat": async from => {
    const longest = waiting.longest;
    // A click in the status bar goes to the session that it shows.
    if (from === "status" && longest) return show(longest.id);
    await chat.focus("question");
  },
  "parley.focusChat": () => chat.focus("composer"),
  "parley.goToQuestion": async () => {
    if (waiting.has(registry.open.active)) return chat.focus("question", [registry.open.activeSurface]);
    void showInformationMessage(vscode.l10n.t("The shown session has no open question."));
  },
  "parley.previousPrompt": () => chat.focus("previousPrompt", [registry.open.activeSurface]),
  "parley.nextPrompt": () => chat.focus("nextPrompt", [registry.open.activeSurface]),
  "parley.openChatInEditor": () => {
    // The new tab is the active surface at once.
    const session = registry.open.active;
    const surface = chat.openEditor();
    if (session) registry.moveToEditor(session, surface);
  },
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
export const sessionCommands = ({
  registry,
  agents,
  chat,
  startInWorktree,
  api,
}: {
  readonly registry: SessionRegistry;
  readonly agents: WindowAgents;
  readonly chat: ChatPanels;
  /** Starts the session in a worktree. Resolves with false if new sessions don't start in worktrees. */
  readonly startInWorktree: () => Promise<boolean>;
  readonly api: Pick<ApiFeature, "startSession">;
}): CommandHandlers<SessionCommandId> => ({
  "parley.newSession": async wanted => {
    const start = givenStart(wanted);
    if (start) return api.startSession(start);
    if (await startInWorktree()) return;
    const surface = registry.open.activeSurface;
    const isStarted = (await registry.startInChosenFolder(surface)) !== undefined;
    if (isStarted || registry.obstacle) await chat.focus("composer", [surface]);
  },
  "parley.stop": () => registry.open.active?.stop(),
  "parley.selectAgent": async () => {
    const agent = await pickAgent(agents.definitions(), {
      title: vscode.l10n.t("Select Agent"),
      placeHolder: vscode.l10n.t("A new session starts with the selected agent"),
      current: agents.of(registry.open.active)?.id,
      canAdd: true,
    });
    if (!agent) return;
    await registry.startInChosenFolder(registry.open.activeSurface, agent.id);
    await chat.focus("composer", [registry.open.activeSurface]);
  },
  "parley.restartAgent": async () => {
    const session = registry.open.active;
    // All sessions of the agent share its process.
    const states = registry.open.sessions.map(({ state }) => state);
    const ended = states.filter(({ agent }) => agent !== null && agent.id === session?.state.agent?.id);
    if (!(await confirmEndOfWork(ended, vscode.l10n.t("Restart Agent")))) return;
    await chat.focus("composer", [registry.open.activeSurface]);
    session?.offerSignIn();
    if (session) await session.restart();
    else registry.start();
  },
  "parley.signOut": async () => {
    if (!registry.obstacle) await agents.signOut(registry.open.active);
  },
  "parley.copyConversation": async () => {
    await vscode.env.clipboard.writeText(conversationText(registry.open.activeState));
    setStatusBarMessage(vscode.l10n.t("Copied the conversation."));
  },
});

/**
 * How the session starts, if another extension or a keybinding says it. The API refuses what it does not know. Menus pass
 * their own arguments, which are no plain objects with texts.
 */
function givenStart(wanted: unknown): object | undefined {
  if (typeof wanted === "string") return { [wanted]: wanted };
  if (typeof wanted !== "object" || wanted === null) return undefined;
  const isPlain = Object.getPrototypeOf(wanted) === Object.prototype && Object.keys(wanted).length > 0;
  const hasTexts = isPlain && Object.values(wanted).every(value => typeof value === "string");
  return hasTexts || ["agent", "folder", "text"].some(key => Object.hasOwn(wanted, key)) ? wanted : undefined;
}

/** Handlers of the commands that show what an agent and the extension have logged. */
export function logCommands({
  agents,
  active,
  save,
  log,
}: {
  readonly agents: WindowAgents;
  readonly active: ActiveSession;
  readonly save: (agent: string) => Promise<void>;
  readonly log: { show(): void };
}): CommandHandlers<"parley.showLog" | "parley.saveTranscript"> {
  return {
    "parley.showLog": () => log.show(),
    "parley.saveTranscript": async () => {
      const shown = active.state.agent ?? agents.of(undefined);
      if (shown) await save(shown.id);
    },
  };
}
