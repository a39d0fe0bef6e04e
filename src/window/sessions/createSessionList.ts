// Creates the list of sessions, and notes in the index what open sessions do and what the user has seen of them.
import * as vscode from "vscode";
import type { AgentDefinition } from "../../agents/registry.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { Review } from "../../review/review.ts";
import { linesBySession } from "../../review/turns/linesBySession.ts";
import type { Session } from "../../session/session.ts";
import type { OpenSessions } from "../../sessions/openSessions.ts";
import type { StoredSessionsFeature } from "../../sessions/vscode/createStoredSessions.ts";
import type { ChatPanels } from "../chatPanels.ts";
import { SessionList } from "./sessionList.ts";

export interface SessionListSources {
  readonly open: OpenSessions;
  readonly chat: ChatPanels;
  readonly storedSessions: StoredSessionsFeature;
  readonly agents: () => readonly AgentDefinition[];
  readonly canFork: (agent: string) => boolean;
  readonly review: Pick<Review, "files" | "turns" | "onDidChange">;
}

/** Creates the list. */
export function createSessionList(
  { store, clock }: ExtensionPlatform,
  { open, chat, storedSessions, agents, canFork, review }: SessionListSources,
): SessionList {
  const { stored } = storedSessions;
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
  store.add(vscode.window.onDidChangeWindowState(({ focused }) => void (focused && storedSessions.refresh())));
  const changes = (): ReturnType<typeof linesBySession> => linesBySession(review);
  const list = store.add(new SessionList({ open, stored, agents, changes, canFork, clock }));
  store.add(review.onDidChange(() => list.refresh()));
  return list;
}
