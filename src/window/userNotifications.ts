// Notifies the user of questions and ends of turns: with a notification while the chat is hidden, else with a sound, and
// in each case with the command of the user.
import * as vscode from "vscode";
import { asError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { notificationOf, type AskedSessions, type NotifiedState } from "../library/attention.ts";
import type { SessionNotification } from "../session/notifications.ts";
import type { Session } from "../session/session.ts";
import { showInformationMessage } from "../editor/editorUi.ts";
import type { Hooks } from "../hooks/vscode/createHooks.ts";
import type { ChatPanels } from "./chatPanels.ts";
import type { Settings, NotificationLevel } from "./settings.ts";

export interface UserNotificationsOptions {
  readonly chat: Pick<ChatPanels, "visibleSurfaces" | "broadcast">;
  readonly asked: Pick<AskedSessions, "isAsking">;
  /** Whether a visible panel shows the session. */
  readonly isVisible: (session: OpenSession) => boolean;
  /** Shows the session. */
  readonly show: (session: OpenSession) => Promise<void>;
  readonly settings: () => Pick<Settings, "notifications" | "sound">;
  /** The user's commands for notifications. They run wherever the user looks. */
  readonly hooks: Pick<Hooks, "run">;
  readonly log: Log;
}

type OpenSession = Pick<Session, "id" | "state">;

/** Whether the setting includes this notification. */
const includesNotification = (level: NotificationLevel, { kind }: SessionNotification): boolean =>
  level === "all" || (level === "questions" && kind !== "turnEnd");

export class UserNotifications {
  readonly #options: UserNotificationsOptions;
  readonly #before = new WeakMap<OpenSession, NotifiedState>();

  constructor(options: UserNotificationsOptions) {
    this.#options = options;
  }

  /** Call this when the session was opened or has changed, and when a question of Parley about it begins or ends. */
  update(session: OpenSession): void {
    const before = this.#before.get(session);
    const after = { state: session.state, isAsked: this.#options.asked.isAsking(session.id) };
    this.#before.set(session, after);
    // Do not notify of the state of a session that was just opened or restored.
    const news = before && notificationOf(before, after);
    if (news) this.#notifyUser(news, session);
  }

  #notifyUser(news: SessionNotification, session: OpenSession): void {
    const { chat, settings, isVisible } = this.#options;
    const agent = session.state.agent?.name ?? vscode.l10n.t("The agent");
    this.#options.hooks.run(news, session.state, agent);
    const { notifications, sound } = settings();
    if (chat.visibleSurfaces.length > 0 && includesNotification(sound, news))
      chat.broadcast({ type: "sound", sound: soundFor(news) });
    const looking = isVisible(session) && vscode.window.state.focused;
    if (!looking && includesNotification(notifications, news))
      void this.#notify(notificationText(news, agent), session);
  }

  async #notify(message: string, session: OpenSession): Promise<void> {
    try {
      const show = vscode.l10n.t("Show");
      const pressed = await showInformationMessage(message, show);
      if (pressed === show) await this.#options.show(session);
    } catch (error) {
      this.#options.log.error("The chat could not be shown.", asError(error).stack);
    }
  }
}

function soundFor(news: SessionNotification): "question" | "turnEnd" | "failure" {
  if (news.kind !== "turnEnd") return "question";
  return news.outcome === "failed" || news.outcome === "lost" ? "failure" : "turnEnd";
}

/** The text of a notification. `agent` is the name of the agent. */
export function notificationText(news: SessionNotification, agent: string): string {
  if (news.kind === "question") return vscode.l10n.t("{0} is waiting for you: {1}", agent, news.title);
  const about = news.title === "" ? "" : `: ${news.title}`;
  if (news.kind === "resumeQuestion")
    return vscode.l10n.t("Parley waits for your answer before {0} resumes a large conversation{1}", agent, about);
  switch (news.outcome) {
    case "finished":
      return vscode.l10n.t("{0} finished{1}", agent, about);
    case "stopped":
      return vscode.l10n.t("{0} stopped before it finished{1}", agent, about);
    case "failed":
      return vscode.l10n.t("{0} stopped because of an error{1}", agent, about);
    case "lost":
      return vscode.l10n.t("{0} is no longer running{1}", agent, about);
  }
}
