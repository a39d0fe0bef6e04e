// Creates the index of the stored sessions, reads it when the window has started, notes what open sessions do and what the
// user has seen of them, and removes sessions beyond the limits, which the user can undo.
import * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { ConversationPageFiles } from "../../files/conversationPageFiles.ts";
import type { ChatSurface } from "../../panel/chatSurface.ts";
import { sessionOfLogFile } from "../../session/log/sessionStore.ts";
import type { Session } from "../../session/session.ts";
import type { OpenSessions } from "../openSessions.ts";
import type { SessionLimits } from "../retention.ts";
import { announceRemoval, unseenRemovals } from "./removedSessions.ts";
import { StoredSessions, type StoredSessionsOptions } from "../storedSessions.ts";

/** The index is read this long after the extension starts, because the chat comes first (ms). */
const loadDelay = 2000;
const hour = 60 * 60 * 1000;

export interface StoredSessionsSources extends Pick<StoredSessionsOptions, "trash" | "openElsewhere"> {
  readonly open: OpenSessions;
  readonly chat: Pick<ChatSurface, "isVisible" | "onDidShow">;
  readonly limits: () => SessionLimits;
  /** The pages of long conversations. */
  readonly pages: ConversationPageFiles;
}

export interface StoredSessionsFeature {
  readonly stored: StoredSessions;
  /** Reads the entries again, because other windows on the workspace change them too. */
  refresh(): Promise<void>;
  /** Resolves when every entry is written. */
  flush(): Promise<void>;
}

/** Creates the index. */
export function createStoredSessions(
  { context, store, storage, clock, log }: ExtensionPlatform,
  { limits, open, chat, pages, ...sources }: StoredSessionsSources,
): StoredSessionsFeature {
  const { version } = context.extension.packageJSON as { readonly version: string };
  const isOpen = (id: string): boolean => open.get(id) !== undefined;
  const stored = store.add(new StoredSessions({ storage, clock, log, version, isOpen, ...sources }));
  const note = (session: Session): void =>
    stored.update(session.id, session.state, chat.isVisible(open.surfacesOf(session)));
  const noteAll = (): void => open.sessions.forEach(note);
  store.add(
    open.onDidChange(change => {
      if (change.type === "opened" || (change.type === "changed" && !change.isContent)) note(change.session);
      else if (change.type === "selected") noteAll();
    }),
  );
  store.add(chat.onDidShow(noteAll));
  let timer = clock.after(loadDelay, () => void start());
  store.add({ dispose: () => timer.dispose() });
  const failed = (error: unknown): void => log.error("The stored sessions could not be read.", asError(error).stack);
  const start = async (): Promise<void> => {
    await stored.load().catch(failed);
    await prune();
    // Also those of which an earlier window has shown no notice.
    await unseenRemovals(stored).then(announce, failed);
    pruneInAnHour();
  };
  const prune = async (): Promise<readonly string[]> => {
    const removed = (await stored.prune(limits()).catch(failed)) ?? [];
    await removePages().catch((error: unknown) =>
      log.warn("Pages of removed sessions could not be removed.", asError(error).message),
    );
    return removed.filter(({ reason }) => reason === "limit").map(({ id }) => id);
  };
  /** The pages stay as long as the log of their session, which can be in the trash. */
  const removePages = async (): Promise<void> => {
    const files = [...(await storage.list()), ...(await sources.trash.list())];
    const logs = files.map(({ name }) => sessionOfLogFile(name)).filter(id => id !== undefined);
    await pages.removeUnknown(new Set([...logs, ...open.sessions.map(({ id }) => id)]), clock.now());
  };
  // The hour begins after a removal was announced, so that no other one announces it again.
  const pruneInAnHour = (): void => {
    if (!store.isDisposed) timer = clock.after(hour, () => void prune().then(announce).then(pruneInAnHour));
  };
  const announce = (ids: readonly string[]): void => void announceRemoval(stored, ids, log);
  const refresh = (): Promise<void> => stored.load().catch(failed);
  store.add(vscode.window.onDidChangeWindowState(({ focused }) => void (focused && refresh())));
  return { stored, refresh, flush: () => stored.flush() };
}
