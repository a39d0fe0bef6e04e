// Handlers of the commands for sessions in the Sessions view. In the Command Palette, they are about the session in the chat.
import { ProblemError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { openQuestions, sessionTitle } from "../../session/state.ts";
import { nextWaiting } from "../../sessions/attention.ts";
import type { SessionMarks } from "../../sessions/sessionEntry.ts";
import type { ListedSession } from "../../sessions/sessionGroups.ts";
import type { StoredSessions } from "../../sessions/storedSessions.ts";
import type { SessionsRow, SessionsTree } from "../../sessions/vscode/sessionsTree.ts";
import { restoreRemovedSessions } from "../../sessions/vscode/removedSessions.ts";
import { titleOf } from "../../sessions/vscode/sessionTexts.ts";
import type { ChatPanels } from "../chatPanels.ts";
import { showInformationMessage, showInputBox } from "../../editor/editorUi.ts";
import { forkSession, importSession, offeringHelp, type AgentSessionsOptions } from "./agentSessions.ts";
import { confirmEndOfWork } from "./confirmEndOfWork.ts";
import { exportSession } from "./exportSession.ts";
import type { SessionList } from "./sessionList.ts";
import { pickSession } from "./switchSession.ts";
import type { WindowSessions } from "./windowSessions.ts";

type SessionListCommandId =
  | "parley.switchSession"
  | "parley.nextWaitingSession"
  | "parley.openSession"
  | "parley.openSessionInEditor"
  | "parley.renameSession"
  | "parley.markSessionDone"
  | "parley.markSessionNotDone"
  | "parley.markSessionUnread"
  | "parley.markSessionRead"
  | "parley.exportSession"
  | "parley.deleteSession"
  | "parley.restoreSessions"
  | "parley.importSession"
  | "parley.forkSession"
  | "parley.showDoneSessions"
  | "parley.hideDoneSessions";

export interface SessionListCommandsOptions {
  readonly sessions: WindowSessions;
  readonly stored: StoredSessions;
  /** Reads the stored sessions. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly list: SessionList;
  readonly tree: SessionsTree;
  readonly chat: ChatPanels;
  readonly agentSessions: AgentSessionsOptions;
  /** The time, in milliseconds since the epoch. */
  readonly now: () => number;
}

/** Handlers of the commands for sessions in lists. */
export function sessionListCommands(options: SessionListCommandsOptions): CommandHandlers<SessionListCommandId> {
  const { sessions, stored, list, tree, chat } = options;
  const show = (id: string): Promise<void> => showSession(options, id);
  /** The sessions that the command is about: those of the view, which passes its rows, or the active one. */
  const targets = (args: readonly unknown[]): readonly ListedSession[] => {
    const [row, rows] = args as [SessionsRow | "selection" | undefined, readonly SessionsRow[] | undefined];
    if (row === "selection") return tree.selection;
    const selected = rows ?? (row ? [row] : undefined);
    if (selected) return selected.flatMap(each => (each.kind === "session" ? [each.session] : []));
    const active = sessions.open.active?.id;
    return list.sessions().filter(({ id }) => id === active);
  };
  /** The same sessions, once they are stored. The stored sessions are read only after the start of the window. */
  const storedTargets = async (args: readonly unknown[]): Promise<readonly ListedSession[]> => {
    const found = targets(args);
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
      const shown = sessions.open.active?.id;
      const listed = (): Promise<readonly ListedSession[]> => options.refresh().then(() => list.sessions());
      const chosen = typeof id === "string" ? id : await pickSession({ sessions: listed(), shown, now: options.now() });
      if (chosen !== undefined) await show(chosen);
    },
    "parley.nextWaitingSession": async () => {
      const { open } = sessions;
      const next = nextWaiting(open.sessions, open.active);
      if (next) return show(next.id);
      void showInformationMessage(t("No session is waiting for you."));
    },
    "parley.openSession": async (...args) => {
      const [first] = targets(args);
      if (first) await show(first.id);
    },
    "parley.openSessionInEditor": async (...args) => {
      for (const { id } of targets(args)) {
        const surface = chat.openEditor();
        await openInSurface(options, id, surface);
      }
    },
    "parley.renameSession": async (...args) => {
      const [target] = targets(args);
      if (target) await rename(options, target);
    },
    "parley.markSessionDone": async (...args) => {
      for (const { id, status } of await storedTargets(args)) {
        stored.mark(id, { done: true, unread: null });
        const session = sessions.open.get(id);
        const isShown = session !== undefined && sessions.open.surfacesOf(session).length > 0;
        if (status !== "working" && status !== "waiting" && !isShown) sessions.release(id);
      }
    },
    "parley.markSessionNotDone": mark({ done: null }),
    "parley.markSessionUnread": mark({ unread: true }),
    "parley.markSessionRead": mark({ unread: null }),
    "parley.exportSession": async (...args) => {
      for (const target of targets(args)) await exportSession({ ...options.agentSessions, sessions }, target);
    },
    "parley.deleteSession": async (...args) => deleteSessions(options, await storedTargets(args)),
    "parley.restoreSessions": async () => {
      await options.refresh();
      await restoreRemovedSessions(stored, options.now());
    },
    "parley.importSession": async () => {
      const obstacle = sessions.startObstacle();
      if (obstacle) throw new ProblemError(obstacle);
      await options.refresh();
      return importSession(options.agentSessions);
    },
    "parley.forkSession": async (...args) => {
      const [target] = await storedTargets(args);
      if (target) await forkSession(options.agentSessions, target.id);
    },
    "parley.showDoneSessions": showDone(true),
    "parley.hideDoneSessions": showDone(false),
  };
}

type Opening = Pick<SessionListCommandsOptions, "sessions" | "stored" | "chat">;

/** Shows a session, where it is shown already or else in the active surface, at its open question. */
export async function showSession(options: Opening, id: string): Promise<void> {
  const { sessions, chat } = options;
  const { open } = sessions;
  const session = open.get(id);
  const surface = (session && open.surfacesOf(session)[0]) ?? open.activeSurface;
  if (!(await openInSurface(options, id, surface))) return;
  open.activate(surface);
  await chat.focus(openQuestions(open.activeState).length > 0 ? "ask" : "composer", [surface]);
}

/** Shows the session in the surface, and opens it if necessary. False if there is no such session. */
export async function openInSurface(
  { sessions, stored }: Pick<Opening, "sessions" | "stored">,
  id: string,
  surface: string,
): Promise<boolean> {
  if (sessions.open.get(id)) {
    sessions.show(id, surface);
    return true;
  }
  const entry = stored.get(id);
  const remembered = entry
    ? { id, agent: entry.agent, cwd: entry.folder, title: entry.title }
    : sessions.unopened.find(each => each.id === id);
  if (!remembered) return false;
  await sessions.openStored(remembered, surface);
  return true;
}

async function rename({ sessions, stored }: SessionListCommandsOptions, { id, title }: ListedSession): Promise<void> {
  const own = sessions.open.get(id);
  const entered = await showInputBox({
    title: t("Rename Session"),
    prompt: t("Leave empty to use the agent's title."),
    value: own ? sessionTitle(own.state) : title,
  });
  if (entered === undefined) return;
  const entry = stored.get(id);
  if (sessions.open.get(id)) sessions.open.get(id)?.rename(entered);
  // A closed session is opened for a moment, because its title belongs to its log.
  else if (entry)
    await sessions.useClosed({ id, agent: entry.agent, cwd: entry.folder }, session => session.rename(entered));
}

/** Its states must not be in {@link deleteSessions}, which waits as long as VS Code keeps the notification. */
function confirmDeletion({ open }: WindowSessions, targets: readonly ListedSession[]): Promise<boolean> {
  const states = targets.flatMap(({ id }) => open.get(id)?.state ?? []);
  return confirmEndOfWork(states, t("Delete"));
}

async function deleteSessions(options: SessionListCommandsOptions, targets: readonly ListedSession[]): Promise<void> {
  const { sessions, stored } = options;
  if (targets.length === 0 || !(await confirmDeletion(sessions, targets))) return;
  const shown = sessions.open.active?.id;
  for (const { id } of targets) {
    sessions.release(id);
    stored.delete(id);
  }
  const [first] = targets as readonly [ListedSession];
  const atAgent = targets.flatMap(({ id }) => {
    const entry = stored.get(id);
    const remove = sessions.deleteAtAgent(entry);
    return entry && remove ? [() => offeringHelp(options.agentSessions, entry.agent, remove)] : [];
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
