// Shows the state of the active session outside the chat: status bar, Sessions view, notifications, context keys.
import { setContextKey } from "../editor/contextKeys.ts";
import type { ExtensionPlatform } from "../editor/extensionPlatform.ts";
import { isWorking } from "../session/background/background.ts";
import { openQuestions, type SessionState } from "../session/state.ts";
import type { ActiveSession } from "./activeSession.ts";
import type { CurrentSession } from "./currentSession.ts";
import { SessionsTree } from "./sessionsTree.ts";
import { StatusBar } from "./statusBar.ts";
import { UserNotifications, type UserNotificationsOptions } from "./userNotifications.ts";

/** Creates the indicators and keeps them up to date. */
export function createSessionIndicators(
  { store, log }: ExtensionPlatform,
  active: ActiveSession,
  current: CurrentSession,
  options: Pick<UserNotificationsOptions, "chat" | "settings">,
): void {
  const status = store.add(new StatusBar());
  const sessions = store.add(new SessionsTree());
  const notifications = new UserNotifications({ ...options, log });
  const update = (state: SessionState): void => {
    status.update(state, current.agent?.name);
    sessions.update(state, current.agent?.name);
    notifications.update(active.session);
    setContextKey("parley.hasSession", active.session !== undefined);
    setContextKey("parley.busy", isWorking(state));
    setContextKey("parley.waiting", openQuestions(state).length > 0);
  };
  store.add(active.onDidChangeState(update));
}
