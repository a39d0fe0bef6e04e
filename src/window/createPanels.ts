// Creates what the user sees of the active session, and connects every handler: the chat, the commands, the indicators.
import * as vscode from "vscode";
import { storedKeyCommands } from "../agents/vscode/createSignIn.ts";
import { createCheckpointHandlers } from "../checkpoints/vscode/createCheckpoints.ts";
import type { ExtensionPlatform } from "../editor/extensionPlatform.ts";
import { sessionRoots } from "../editor/folders.ts";
import { fileIntents } from "../files/vscode/fileIntents.ts";
import { createMentions } from "../mentions/vscode/createMentions.ts";
import type { ChatPanels } from "./chatPanels.ts";
import { createCodeIntents } from "./code/codeIntents.ts";
import { registerCommands } from "./commands.ts";
import type { SessionFeatures } from "./createSessions.ts";
import type { CurrentSession } from "./currentSession.ts";
import { intentRunner } from "./intentRunner.ts";
import { panelIntents } from "./panelIntents.ts";
import { PromptSender } from "./promptSender.ts";
import { chatCommands, logCommands, sessionCommands } from "./sessionCommands.ts";
import { createSessionIndicators } from "./sessionIndicators.ts";
import { sessionIntents } from "./sessionIntents.ts";
import { TrafficDocument } from "./trafficDocument.ts";

/** Registers the chat and the commands, and shows the active session from now on. */
export function createPanels(
  platform: ExtensionPlatform,
  chat: ChatPanels,
  current: CurrentSession,
  {
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
  }: SessionFeatures,
): void {
  const { store, log } = platform;
  const settings = settingsReader.read.bind(settingsReader);
  const mentions = createMentions(platform, {
    chat,
    fileEvents,
    documents,
    roots: () => sessionRoots(active.state.workspaceFolder).filter(root => root !== ""),
    sensitive: () => settings().sensitive,
    accepts: () => current.view().head.accepts,
    agentName: () => current.agent?.name ?? vscode.l10n.t("The agent"),
  });
  const sender = new PromptSender({ current, documents, attaching: mentions.attachments });
  const code = createCodeIntents(platform, active, documents);
  const traffic = store.add(new TrafficDocument(agents));
  store.add(chat);
  const restore = createCheckpointHandlers(platform, {
    session: () => active.session,
    startSession: agent => {
      current.start(agent);
      return active.session;
    },
    chat,
    sessionCheckpoints: checkpoints.sessions,
    documents,
    review: review.store,
  });
  const runIntent = intentRunner(
    [
      panelIntents(current, sender, log),
      sessionIntents(current),
      code,
      fileIntents,
      mentions.intents,
      permissions.intents,
      terminals.intents,
      follow.intents,
      review.intents,
      restore.intents,
    ],
    { session: () => active.session?.id, log },
  );
  store.add(chat.onDidReceiveIntent(({ intent, replyTarget }) => void runIntent(intent, replyTarget)));
  store.add(chat.onDidShow(() => void current.restoreOrStart()));
  store.add(chat.register(current));
  store.add(
    registerCommands(
      [
        chatCommands(current, chat),
        sessionCommands(current, chat, settings),
        logCommands(current, traffic, log),
        storedKeyCommands(signIn.keys, () => settings().agents),
        mentions.commands,
        permissions.commands,
        follow.commands,
        review.commands,
        restore.commands,
      ],
      log,
    ),
  );
  store.add(active.onDidChange(() => chat.changed()));
  createSessionIndicators(platform, active, current, { chat, settings });
  store.add(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      // An agent starts only while the chat is visible.
      if (chat.visible) void current.restoreOrStart();
      else active.refresh();
    }),
  );
  active.refresh();
}
