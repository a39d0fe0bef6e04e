// What lists show of a session: its title, icon, state and age, and the badge that counts sessions.
import * as vscode from "vscode";
import { visibleText } from "../../base/visibleText.ts";
import { formatMoney } from "../../base/money.ts";
import { sumUsage, type UsageRow } from "../sessionUsage.ts";
import { sessionAge, type ListedSession } from "../sessionGroups.ts";

/** What the tab of a chat in the editor says about its session. */
export interface TabState {
  readonly icon: "working" | "waiting" | "failed" | "unread" | "done";
  readonly words: string;
}

/** The title of a session in lists. */
export const titleOf = ({ title }: Pick<ListedSession, "title">): string =>
  visibleText(title).trim() || vscode.l10n.t("New Conversation");

/** What the session does, or what happened to it last. Empty if there is nothing to say. */
export function statusText({ status, isUnread, isDone }: ListedSession): string {
  switch (status) {
    case "waiting":
      return vscode.l10n.t("Waiting for you");
    case "working":
      return vscode.l10n.t("Working");
    case "failed":
      return vscode.l10n.t("Failed");
    case "interrupted":
      return vscode.l10n.t("Interrupted");
    case "idle":
      return isUnread ? vscode.l10n.t("Unread") : isDone ? vscode.l10n.t("Done") : "";
  }
}

/** What tabs say about these sessions, by their ids. A session of which there is nothing to say is missing. */
export const tabStatesOf = (sessions: readonly ListedSession[]): ReadonlyMap<string, TabState> =>
  new Map(
    sessions.flatMap(session => {
      const state = tabStateOf(session);
      return state ? [[session.id, state]] : [];
    }),
  );

function tabStateOf(session: ListedSession): TabState | undefined {
  const words = statusText(session);
  if (words === "") return undefined;
  const { status, isUnread } = session;
  const icon = status === "idle" ? (isUnread ? "unread" : "done") : status === "interrupted" ? "failed" : status;
  return { icon, words };
}

/** The icon of a session: what needs the user, otherwise its agent. */
export function sessionIcon({ status, isUnread, isDone, agentIcon }: ListedSession): vscode.ThemeIcon {
  const icon = (id: string, color?: string): vscode.ThemeIcon =>
    new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
  switch (status) {
    case "waiting":
      return icon("bell-dot", "list.warningForeground");
    case "working":
      return icon("loading~spin");
    case "failed":
      return icon("error", "list.errorForeground");
    case "interrupted":
      return icon("debug-disconnect");
    case "idle":
      if (isUnread) return icon("circle-filled", "textLink.foreground");
      return icon(isDone ? "check" : (agentIcon ?? "comment-discussion"));
  }
}

/** The time since the last change. */
export function ageText(updated: number, now: number): string {
  const { unit, count } = sessionAge(updated, now);
  switch (unit) {
    case "now":
      return vscode.l10n.t("now");
    case "minutes":
      return vscode.l10n.t("{0} min", count);
    case "hours":
      return vscode.l10n.t("{0} h", count);
    case "days":
      return vscode.l10n.t("{0} d", count);
    case "weeks":
      return vscode.l10n.t("{0} wk", count);
  }
}

/** The tokens and the cost, "1,234 tokens · $0.02". Empty if agents reported none. */
export function usageText(rows: readonly UsageRow[]): string {
  const { tokens, costs } = sumUsage(rows);
  const { language } = vscode.env;
  return [
    ...(tokens > 0 ? [vscode.l10n.t("{0} tokens", tokens.toLocaleString(language))] : []),
    ...costs.map(cost => visibleText(formatMoney(cost, language))),
  ].join(" · ");
}

/** What the badge counts. */
export function badgeTooltip(waiting: number, unread: number): string {
  if (unread === 0) {
    return waiting === 1
      ? vscode.l10n.t("A session is waiting for you")
      : vscode.l10n.t("{0} sessions are waiting for you", waiting);
  }
  if (waiting > 0) return vscode.l10n.t("Sessions waiting for you: {0}, unread: {1}", waiting, unread);
  return unread === 1 ? vscode.l10n.t("A session is unread") : vscode.l10n.t("{0} sessions are unread", unread);
}
