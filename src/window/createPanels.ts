// Creates what the user sees of the active session, and connects every handler: the chat, the commands, the indicators.
import * as vscode from "vscode";
import type { AgentDefinition } from "../agents/registry.ts";
import { storedKeyCommands } from "../agents/vscode/createSignIn.ts";
import { checkAgentsCommands } from "../agents/vscode/checkAgents.ts";
import { importZedCommands } from "../agents/vscode/importZedAgents.ts";
import { createCheckpointHandlers } from "../checkpoints/vscode/createCheckpoints.ts";
import type { ExtensionPlatform } from "../editor/extensionPlatform.ts";
import { sessionRoots } from "../editor/folders.ts";
import { fileIntents } from "../files/vscode/fileIntents.ts";
import { emptySession } from "../session/state.ts";
import type { StoredSessionsFeature } from "../sessions/vscode/createStoredSessions.ts";
import { createMentions } from "../mentions/vscode/createMentions.ts";
import type { ChatPanels } from "./chatPanels.ts";
import { createCodeIntents } from "./code/codeIntents.ts";
import { commandRunner, type CommandRunner } from "./commands.ts";
import type { SessionFeatures } from "./createSessions.ts";
import { intentRunner } from "./intentRunner.ts";
import { panelIntents } from "./panelIntents.ts";
import { PromptSender } from "./promptSender.ts";
import { chatCommands, logCommands, sessionCommands } from "./sessionCommands.ts";
import { createSessionIndicators } from "./sessionIndicators.ts";
import { sessionIntents } from "./sessionIntents.ts";
import { sessionListCommands, showSession } from "./sessions/sessionListCommands.ts";
import type { WindowSessions } from "./sessions/windowSessions.ts";
import type { StartupParts } from "./startup/startup.ts";
import { TrafficDocument } from "./trafficDocument.ts";

/** Shows the active session in the chat and its indicators from now on. Returns what runs the commands. */
export function createPanels(
  platform: ExtensionPlatform,
  startup: StartupParts,
  chat: ChatPanels,
  sessions: WindowSessions,
  {
    open,
    active,
    settings: settingsReader,
    agents,
    fileEvents,
    documents,
    permissions,
    checkpoints,
    review,
    follow,
    terminals,
    signIn,
    mcp,
    list,
    storedSessions,
  }: SessionFeatures & { readonly storedSessions: StoredSessionsFeature },
): CommandRunner {
  const { store, log } = platform;
  const settings = settingsReader.read.bind(settingsReader);
  const mentions = createMentions(platform, {
    chat,
    fileEvents,
    recentFiles: startup.recentFiles,
    documents,
    roots: () => sessionRoots(active.state.workspaceFolder).filter(root => root !== ""),
    sensitive: () => settings().sensitive,
    accepts: () => sessions.view(open.activeSurface).head.accepts,
    agentName: () => sessions.agentOf(open.active)?.name ?? vscode.l10n.t("The agent"),
  });
  const sender = new PromptSender({ sessions, documents, attaching: mentions.attachments });
  const code = createCodeIntents(platform, id => open.get(id)?.state ?? emptySession, documents, startup.pages);
  const traffic = store.add(new TrafficDocument(agents));
  store.add(chat);
  const restore = createCheckpointHandlers(platform, {
    session: () => active.session,
    startSession: agent => sessions.start(agent),
    chat,
    sessionCheckpoints: checkpoints.sessions,
    removed: checkpoints.removed,
    documents,
    review: review.store,
  });
  const runIntent = intentRunner(
    [
      panelIntents(sessions, sender, log),
      sessionIntents(sessions, storedSessions.stored, mcp),
      mcp.intents,
      code,
      fileIntents,
      mentions.intents,
      permissions.intents,
      terminals.intents,
      follow.intents,
      review.intents,
      restore.intents,
    ],
    { isOpen: id => open.get(id) !== undefined, log },
  );
  store.add(
    chat.onDidReceiveIntent(({ intent, replyTarget }) => {
      // A search runs again by itself when its conversation changes.
      if (intent.type !== "find") open.activate(replyTarget.surface);
      void runIntent(intent, replyTarget);
    }),
  );
  store.add(chat.onDidShow(({ surface, session }) => void sessions.restoreOrStart(surface, session)));
  store.add(chat.onDidActivate(surface => open.activate(surface)));
  store.add(chat.onDidClose(surface => open.removeSurface(surface)));
  chat.show(sessions);
  store.add(active.onDidRefresh(() => chat.changed()));
  store.add(
    open.onDidChange(change => {
      if (change.type === "changed") chat.changed(open.surfacesOf(change.session));
      else if (change.type === "selected") chat.changed([change.surface]);
    }),
  );
  // An empty conversation offers the sessions of the list.
  store.add(
    list.onDidChange(() => {
      const empty = open.sessions.filter(({ state }) => state.entries.length === 0);
      chat.changed(empty.flatMap(session => open.surfacesOf(session)));
    }),
  );
  store.add(active.onDidChangeState(() => follow.controller.show(active.session?.id)));
  const { stored } = storedSessions;
  const show = (id: string): Promise<void> => showSession({ sessions, stored, chat }, id);
  const agentSessions = {
    ...{ stored, show, mcp, storage: platform.storage, clock: platform.clock, log },
    agents: () => settings().agents,
    flush: (id: string) => sessions.flushLog(id),
    connect: (definition: AgentDefinition) => sessions.connectAgent(definition),
    startSession: async (agent: string) => {
      if (await sessions.startInChosenFolder(undefined, agent)) await chat.focus("composer", [open.activeSurface]);
    },
    version: (platform.context.extension.packageJSON as { readonly version: string }).version,
  };
  const tree = createSessionIndicators(platform, active, sessions, startup, {
    chat,
    settings,
    list,
    show,
    onVisible: () => void storedSessions.refresh(),
  });
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // An agent starts only while the chat is visible.
      for (const surface of chat.visibleSurfaces) void sessions.restoreOrStart(surface);
      active.refresh();
    }),
  );
  active.refresh();
  return commandRunner(
    [
      chatCommands(sessions, chat),
      sessionCommands(sessions, chat, settings),
      sessionListCommands({
        ...{ sessions, stored, list, tree, chat, agentSessions },
        refresh: () => storedSessions.refresh(),
        now: () => platform.clock.now(),
      }),
      logCommands(sessions, traffic, log),
      mcp.commands,
      storedKeyCommands(signIn.keys, () => settings().agents),
      importZedCommands(() => settings().agents),
      checkAgentsCommands(platform, {
        agents: () => settings().agents,
        current: () => sessions.agentOf(open.active),
        keys: signIn.keys,
      }),
      mentions.commands,
      permissions.commands,
      follow.commands,
      review.commands,
      restore.commands,
    ],
    log,
  );
}
