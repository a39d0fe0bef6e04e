// Handlers of the commands for sessions in the Sessions view. In the Command Palette, they are about the session in the chat.
import * as vscode from "vscode";
import { ProblemError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { sessionTitle } from "../../session/state.ts";
import type { SessionMarks } from "../sessionEntry.ts";
import { DoubleClicks } from "../doubleClicks.ts";
import type { ListedSession } from "../sessionGroups.ts";
import type { FolderRow } from "./folderRows.ts";
import type { SessionsRow, SessionsTree } from "./sessionsTree.ts";
import { restoreRemovedSessions } from "./removedSessions.ts";
import { titleOf } from "./sessionTexts.ts";
import { showInformationMessage, showInputBox } from "../../editor/editorUi.ts";
import { forkSession, importSession, offeringHelp, type AgentSessionsOptions } from "./agentSessions.ts";
import { confirmDeletion } from "./confirmDeletion.ts";
import { exportSession } from "./exportSession.ts";
import type { SessionList } from "../sessionList.ts";
import type { WaitingOrder } from "../waitingOrder.ts";
import type { OtherFoldersFeature } from "./createOtherFolders.ts";
import { pickSession } from "./switchSession.ts";
import { continueWith, type ContinueWithOptions } from "./continueWith.ts";
import { hasSession, openInSurface, showSession } from "./showSession.ts";

type SessionListCommandId =
  | "parley.switchSession"
  | "parley.nextWaitingSession"
  | "parley.goToSessions"
  | "parley.openSession"
  | "parley.openSessionInEditor"
  | "parley.renameSession"
  | "parley.markSessionDone"
  | "parley.markSessionNotDone"
  | "parley.markSessionUnread"
  | "parley.markSessionRead"
  | "parley.pinSession"
  | "parley.unpinSession"
  | "parley.exportSession"
  | "parley.deleteSession"
  | "parley.restoreSessions"
  | "parley.importSession"
  | "parley.forkSession"
  | "parley.continueWith"
  | "parley.showContinuedSession"
  | "parley.showDoneSessions"
  | "parley.hideDoneSessions"
  | "parley.openSessionFolder";

export interface SessionListCommandsOptions
  extends AgentSessionsOptions, Pick<ContinueWithOptions, "pages" | "undecided"> {
  /** Reads the stored sessions. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly list: SessionList;
  readonly tree: SessionsTree;
  readonly waiting: Pick<WaitingOrder, "next">;
  readonly otherFolders: Pick<OtherFoldersFeature, "open">;
}

/** Handlers of the commands for sessions in lists. */
export function sessionListCommands(options: SessionListCommandsOptions): CommandHandlers<SessionListCommandId> {
  const { registry, stored, list, tree, chat, clock, otherFolders } = options;
  const show = (id: string): Promise<void> => showSession(options, id);
  const clicks = new DoubleClicks(clock);
  /** The sessions that the command is about: those of the view, which passes its rows, or the active one. */
  const targets = async (args: readonly unknown[]): Promise<readonly ListedSession[]> => {
    const [row, rows] = args as [SessionsRow | "key" | undefined, readonly SessionsRow[] | undefined];
    if (row === "key") return sessionsOf(await tree.rowsForKey());
    const selected = rows ?? (row ? [row] : undefined);
    if (selected) return sessionsOf(selected);
    const active = registry.open.active?.id;
    return list.sessions().filter(({ id }) => id === active);
  };
  /** The same sessions, once they are stored. The stored sessions are read only after the start of the window. */
  const storedTargets = async (args: readonly unknown[]): Promise<readonly ListedSession[]> => {
    const found = await targets(args);
    if (found.some(({ id }) => !stored.get(id))) await options.refresh();
    return found;
  };
  const mark =
    (marks: { readonly [K in keyof SessionMarks]: SessionMarks[K] | null }) =>
    async (...args: readonly unknown[]): Promise<void> => {
      for (const { id } of await storedTargets(args)) stored.mark(id, marks);
    };
  const showDone = (shows: boolean) => (): void => {
    setContextKey("parley.showsDoneSessions", shows);
    tree.showDone(shows);
  };
  return {
    "parley.switchSession": async id => {
      const shown = registry.open.active?.id;
      const listed = (): Promise<readonly ListedSession[]> => options.refresh().then(() => list.sessions());
      const chosen = typeof id === "string" ? id : await pickSession({ sessions: listed(), shown, now: clock.now() });
      if (chosen !== undefined) await show(chosen);
    },
    "parley.nextWaitingSession": async () => {
      const next = options.waiting.next(registry.open.active);
      if (next) return show(next.id);
      void showInformationMessage(t("No session is waiting for you."));
    },
    "parley.goToSessions": async () => {
      await options.refresh();
      await tree.focus(registry.open.active?.id);
    },
    "parley.openSession": async (...args) => {
      if (args[0] === "key") return openForKey(await tree.rowsForKey(), options);
      if (args.length > 0) {
        for (const { id } of (await targets(args)).slice(0, 1)) await show(id);
        return;
      }
      // A click on a row.
      const row = await tree.clickedRow();
      if (row?.kind === "folderSession" && clicks.isSecond(row.session.id))
        return otherFolders.open(row.folder, { session: row.session.id });
      const [clicked] = sessionsOf(row ? [row] : []);
      if (clicked) await (clicks.isSecond(clicked.id) ? show(clicked.id) : showSession(options, clicked.id, "list"));
    },
    "parley.openSessionInEditor": async (...args) => {
      for (const { id } of await targets(args)) {
        const surface = chat.openEditor();
        await openInSurface(options, id, surface);
      }
    },
    "parley.renameSession": async (...args) => {
      const [target] = await targets(args);
      if (target) await rename(options, target);
    },
    "parley.markSessionDone": async (...args) => {
      for (const { id, status } of await storedTargets(args)) {
        stored.mark(id, { done: true, unread: null });
        const session = registry.open.get(id);
        const isShown = session !== undefined && registry.open.surfacesOf(session).length > 0;
        if (status !== "working" && status !== "waiting" && !isShown) registry.release(id);
      }
    },
    "parley.markSessionNotDone": mark({ done: null }),
    "parley.markSessionUnread": mark({ unread: true }),
    "parley.markSessionRead": mark({ unread: null }),
    "parley.pinSession": async (...args) => {
      const pinned = await storedTargets(args);
      // The key in the view also unpins.
      const isUndone = args[0] === "key" && pinned.every(({ isPinned }) => isPinned);
      for (const { id } of pinned) stored.mark(id, { pinned: isUndone ? null : true });
    },
    "parley.unpinSession": mark({ pinned: null }),
    "parley.exportSession": async (...args) => {
      for (const target of await targets(args)) await exportSession(options, target);
    },
    "parley.deleteSession": async (...args) => deleteSessions(options, await storedTargets(args)),
    "parley.restoreSessions": async () => {
      await options.refresh();
      await restoreRemovedSessions(stored, clock.now());
    },
    "parley.importSession": async () => {
      const obstacle = registry.obstacle;
      if (obstacle) throw new ProblemError(obstacle);
      await options.refresh();
      return importSession(options);
    },
    "parley.forkSession": async (...args) => {
      const [target] = await storedTargets(args);
      if (target) await forkSession(options, target.id);
    },
    "parley.continueWith": async (...args) => {
      const [target] = await storedTargets(args);
      if (target) await continueWith(options, target.id);
    },
    "parley.showContinuedSession": async (...args) => {
      const [target] = await targets(args);
      const id = target?.continues?.session;
      if (id === undefined) return void showInformationMessage(t("This session continues no other session."));
      await options.refresh();
      if (!hasSession(options, id)) throw new Error(t("This session was deleted, so it cannot be shown."));
      await show(id);
    },
    "parley.showDoneSessions": showDone(true),
    "parley.hideDoneSessions": showDone(false),
    "parley.openSessionFolder": async row => {
      if (row !== undefined) await openFolder(options, row as FolderRow);
    },
  };
}

const sessionsOf = (rows: readonly SessionsRow[]): readonly ListedSession[] =>
  rows.flatMap(row => (row.kind === "session" ? [row.session] : []));

/** Enter in the view: shows the session, opens the folder of a session of another one, or opens and closes a group. */
async function openForKey(rows: readonly SessionsRow[], options: SessionListCommandsOptions): Promise<void> {
  const [first] = sessionsOf(rows);
  if (first) return showSession(options, first.id);
  const other = rows.find(row => row.kind === "folderSession" || row.kind === "damagedFile");
  if (other) return openFolder(options, other);
  await vscode.commands.executeCommand("list.toggleExpand");
}

const openFolder = ({ otherFolders }: SessionListCommandsOptions, row: FolderRow): Promise<void> =>
  otherFolders.open(row.folder, row.kind === "folderSession" ? { session: row.session.id } : undefined);

async function rename({ registry, stored }: SessionListCommandsOptions, { id, title }: ListedSession): Promise<void> {
  const own = registry.open.get(id);
  const entered = await showInputBox({
    title: t("Rename Session"),
    prompt: t("Leave empty to use the agent's title."),
    value: own ? sessionTitle(own.state) : title,
  });
  if (entered === undefined) return;
  const entry = stored.get(id);
  if (registry.open.get(id)) registry.open.get(id)?.rename(entered);
  // A closed session is opened for a moment, because its title belongs to its log.
  else if (entry)
    await registry.useClosed({ id, agent: entry.agent, cwd: entry.folder }, session => session.rename(entered));
}

async function deleteSessions(options: SessionListCommandsOptions, targets: readonly ListedSession[]): Promise<void> {
  const { registry, agents, stored } = options;
  if (!(await confirmDeletion(targets, id => registry.open.get(id)?.state))) return;
  const shown = registry.open.active?.id;
  for (const { id } of targets) {
    registry.release(id);
    stored.delete(id);
  }
  const [first] = targets as readonly [ListedSession];
  const atAgent = targets.flatMap(({ id }) => {
    const entry = stored.get(id);
    const { delete: remove } = agents.sessionStoreOf(entry?.agent ?? "");
    const { agentSession } = entry ?? {};
    if (!entry || !remove || agentSession === undefined) return [];
    return [() => offeringHelp(options, entry.agent, () => remove(agentSession))];
  });
  const message =
    targets.length === 1 ? t("Deleted the session “{0}”.", titleOf(first)) : t("Deleted {0} sessions.", targets.length);
  const undo = t("Undo");
  const deleteToo = t("Delete from Agent Too");
  const buttons = atAgent.length > 0 ? [undo, deleteToo] : [undo];
  const pressed = await showInformationMessage(message, ...buttons);
  if (pressed === deleteToo) for (const run of atAgent) await run();
  if (pressed !== undo) return;
  const restored = await stored.restore(targets.map(({ id }) => id));
  if (restored.length < targets.length) throw new Error(t("The session can no longer be restored."));
  if (shown !== undefined && restored.includes(shown)) await showSession(options, shown);
}
