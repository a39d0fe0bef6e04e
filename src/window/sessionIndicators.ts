// Shows the state of the sessions outside the chat: status bar, Sessions view, notifications, context keys.
import * as vscode from "vscode";
import { setContextKey } from "../editor/contextKeys.ts";
import type { ExtensionPlatform } from "../editor/extensionPlatform.ts";
import { isWorking } from "../session/background/background.ts";
import { sessionTitle } from "../session/state.ts";
import type { Session } from "../session/session.ts";
import type { Hooks } from "../hooks/vscode/createHooks.ts";
import { SessionsTree, type FolderListSource } from "../library/vscode/sessionsTree.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { ChatPanels } from "./chatPanels.ts";
import type { WindowAgents } from "../agents/vscode/windowAgents.ts";
import type { AskedSessions } from "../library/attention.ts";
import type { OpenSessions } from "../library/openSessions.ts";
import type { SessionList } from "../library/sessionList.ts";
import type { WaitingOrder } from "../library/waitingOrder.ts";
import type { SurfaceViews } from "../library/surfaceViews.ts";
import type { SettingsReader } from "./settings.ts";
import type { StartupParts } from "./startup/startup.ts";
import { sessionCounts, StatusBar } from "./statusBar.ts";
import { UserNotifications } from "./userNotifications.ts";

/** What the indicators show. */
export interface IndicatorSources {
  readonly active: ActiveSession;
  readonly waiting: WaitingOrder;
  readonly asked: AskedSessions;
  readonly open: OpenSessions;
  readonly agents: WindowAgents;
  readonly views: SurfaceViews;
  readonly chat: ChatPanels;
  readonly settings: SettingsReader;
  readonly hooks: Hooks;
  readonly list: SessionList;
  readonly others: FolderListSource;
  /** Shows the session with this id. */
  readonly show: (id: string) => Promise<void>;
  /** The user sees the Sessions view. */
  readonly onVisible: () => void;
}

/** Creates the indicators and keeps them up to date. Returns the rows of the Sessions view. */
export function createSessionIndicators(
  { store, log, clock }: ExtensionPlatform,
  { statusItem, sessionsView, rememberAgentName, rememberUnread }: StartupParts,
  sources: IndicatorSources,
): SessionsTree {
  const { active, waiting, asked, open, agents, views } = sources;
  const { chat, settings, hooks, list, others, show, onVisible } = sources;
  const status = new StatusBar(statusItem);
  let counts = sessionCounts(list.sessions());
  const isVisible = (session: Session): boolean => chat.isVisible(open.surfacesOf(session));
  const tree = store.add(
    new SessionsTree({
      source: list,
      others,
      folders: () => (vscode.workspace.workspaceFolders ?? []).map(({ uri, name }) => ({ path: uri.fsPath, name })),
      view: sessionsView,
      clock,
      onUnread: rememberUnread,
      onVisible,
    }),
  );
  const notifications = new UserNotifications({
    chat,
    asked,
    hooks,
    settings: () => settings.read(),
    log,
    isVisible: ({ id }) => {
      const session = open.get(id);
      return session !== undefined && isVisible(session);
    },
    show: ({ id }) => show(id),
  });
  const updateStatus = (): void => {
    const session = waiting.longest ?? active.session;
    const state = session?.state ?? active.state;
    const title = session === active.session ? "" : sessionTitle(state);
    status.update({ state, title, isWaiting: waiting.has(session), agentName: agents.of(session)?.name }, counts);
    const activeName = active.state.agent?.name ?? agents.of(active.session)?.name;
    if (activeName !== undefined) rememberAgentName(activeName);
  };
  const update = (): void => {
    updateStatus();
    setContextKey("parley.hasSession", active.session !== undefined);
    setContextKey("parley.busy", isWorking(active.state));
    setContextKey("parley.waiting", waiting.has(active.session));
    setContextKey("parley.anyWaiting", waiting.longest !== undefined);
  };
  store.add(active.onDidChangeState(update));
  store.add(waiting.onDidChange(update));
  store.add(views.onDidChange(update));
  store.add(
    list.onDidChange(() => {
      counts = sessionCounts(list.sessions());
      updateStatus();
    }),
  );
  update();
  store.add(
    open.onDidChange(change => {
      if (change.type === "changed" && change.isContent) return;
      if (change.type === "opened" || change.type === "changed") notifications.update(change.session);
    }),
  );
  store.add(
    asked.onDidChange(() => {
      for (const session of open.sessions) notifications.update(session);
    }),
  );
  return tree;
}
