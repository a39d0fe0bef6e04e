// Creates the search of all conversations, and its commands.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type * as vscode from "vscode";
import { asError } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import { setContextKey } from "../../editor/contextKeys.ts";
import type { CommandHandlers } from "../../editor/commandHandlers.ts";
import { showInformationMessage } from "../../editor/editorUi.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { SessionRegistry } from "../../library/sessionRegistry.ts";
import { hasSession, showSession, type ShowSessionOptions } from "../../library/vscode/showSession.ts";
import type { RequestedHit, RequestedSession } from "../../library/openedFolders.ts";
import type { OtherFoldersFeature } from "../../library/vscode/createOtherFolders.ts";
import type { StoredSessionsFeature } from "../../library/vscode/createStoredSessions.ts";
import { conversationLabel, type MentionedConversations } from "../../mentions/mentionedConversations.ts";
import { ConversationAttachments } from "../conversationAttachments.ts";
import type { HeadPart } from "../../panel/headParts.ts";
import { intentHandlers, type IntentHandlers } from "../../panel/intentHandlers.ts";
import type { UnsearchedSession } from "../../panel/searchPage.ts";
import { sessionFileName } from "../../session/log/sessionStore.ts";
import type { UnreadableSession } from "../../library/storedSessions.ts";
import { ConversationSearch, readSessionElsewhere } from "../conversationSearch.ts";
import { JoinedTexts } from "../joinedTexts.ts";
import { TextSearch } from "../textSearch.ts";
import { SearchTab, type AttachedFind } from "./searchTab.ts";

export interface SearchSources {
  readonly registry: SessionRegistry;
  readonly storedSessions: StoredSessionsFeature;
  readonly otherFolders: Pick<OtherFoldersFeature, "folders" | "open">;
  readonly chat: ShowSessionOptions["chat"];
  /** The folder of the logs. */
  readonly folder: string;
  /** The paths of the files whose changes in the session wait for review. */
  readonly undecided: (session: string) => readonly string[];
  /** Shows the page of the search in a webview. */
  readonly openPage: (webview: vscode.Webview) => void;
}

export interface SearchFeature {
  readonly commands: CommandHandlers<
    | "parley.searchConversations"
    | "parley.showSearchHits"
    | "parley.nextSearchHit"
    | "parley.previousSearchHit"
    | "parley.rebuildSearchTexts"
  >;
  /** What the composer offers after `@`. */
  readonly conversations: MentionedConversations;
  readonly intents: IntentHandlers<"goToSearchHit">;
  readonly head: HeadPart<"hasSearchHits">;
  /** Shows the session that another window requests, at its hit. Rejects with a sentence. */
  showRequested(requested: RequestedSession): Promise<void>;
  /** Resolves when nothing is being written. */
  whenIdle(): Promise<void>;
}

/** A session of which not even the title is known is named by its file. */
const unreadableText = ({ id, reason }: UnreadableSession): UnsearchedSession => ({
  title: sessionFileName(id),
  reason: reason === "" ? t("Its log contains nothing that Parley can read.") : reason,
});

/** Creates the search. From now on, the text of each session is stored when a turn ends. */
export function createSearch(
  { context, store, storage, clock, log }: ExtensionPlatform,
  { registry, storedSessions, otherFolders, chat, folder, undecided, openPage }: SearchSources,
): SearchFeature {
  const { version } = context.extension.packageJSON as { readonly version: string };
  const { stored } = storedSessions;
  const texts = store.add(
    new JoinedTexts({ storage, open: registry.open, version, log, flushLog: id => registry.flushLog(id) }),
  );
  const worker = store.add(new TextSearch(join(context.extensionUri.fsPath, "dist", "search.js"), clock));
  const search = new ConversationSearch({
    ...{
      folder,
      texts,
      others: otherFolders.folders,
      entries: () => stored.entries,
      unreadable: () => stored.unreadable.map(unreadableText),
      now: () => clock.now(),
    },
    searchTexts: (task, onProgress) => worker.search(task, onProgress),
  });
  const openSession = async (id: string, hit?: RequestedHit): Promise<void> => {
    const elsewhere = readSessionElsewhere(id);
    if (elsewhere) {
      const isThere = ({ uri }: { readonly uri: string }): boolean => uri === elsewhere.uri;
      // A hit can be shown before all folders are read.
      const other = otherFolders.folders.folders.find(isThere) ?? (await otherFolders.folders.read()).find(isThere);
      if (!other) throw new Error(t("This session no longer exists."));
      if (!hit) return otherFolders.open(other, { session: elsewhere.id });
      const { entry, nth, query, matchCase, wholeWord, regex } = hit;
      return otherFolders.open(other, {
        session: elsewhere.id,
        hit: { entry, nth, query, matchCase, wholeWord, regex },
      });
    }
    if (!hasSession({ registry, stored }, id)) throw new Error(t("This session no longer exists."));
    await showSession({ registry, stored, chat }, id);
    const session = registry.open.get(id);
    const entry = hit && session?.state.entries.at(hit.entry);
    if (!session || !hit || !entry || hit.query === "") return;
    const { nth, query, matchCase, wholeWord, regex } = hit;
    await chat.reveal(
      { type: "findAt", session: id, entry: entry.id, nth, query, matchCase, wholeWord, regex },
      registry.open.surfacesOf(session).slice(0, 1),
    );
  };
  const refresh = async (): Promise<void> => {
    await storedSessions.refresh();
    await texts.removeOrphans().catch((error: unknown) => {
      log.warn("Texts of removed sessions could not be removed.", asError(error).message);
    });
  };
  const conversations = new ConversationAttachments({
    ...{ open: registry.open, stored, storage, version, log, undecided, newId: randomUUID },
    refresh: () => storedSessions.refresh(),
  });
  const attach = async (find: AttachedFind): Promise<void> => {
    const { session } = find;
    if (readSessionElsewhere(session))
      throw new Error(t("A conversation of another folder cannot be attached. Open its folder first."));
    const attachment = await (
      find.type === "attachHit" ? conversations.passage(session, find) : conversations.attachment(session)
    ).catch((error: unknown) => {
      const label = conversationLabel(stored.get(session)?.title ?? "");
      throw new Error(t("“{0}” could not be attached: {1}", label, asError(error).message));
    });
    // Where the user works with the chat, also if the tab of the search covers it.
    const surfaces = [registry.open.activeSurface];
    await chat.reveal({ type: "attached", attachments: [attachment] }, surfaces);
    await chat.focus("composer", surfaces);
  };
  const tab = store.add(new SearchTab({ search, log, openPage, refresh, openSession, attach }));
  store.add(tab.onDidChangeHits(() => setContextKey("parley.hasSearchHits", tab.hasHits)));
  const go = (step: 1 | -1) => (): void => {
    if (!tab.go(step)) tab.show();
  };
  return {
    commands: {
      "parley.searchConversations": () => tab.show(),
      "parley.showSearchHits": () => tab.show("hit"),
      "parley.nextSearchHit": go(1),
      "parley.previousSearchHit": go(-1),
      "parley.rebuildSearchTexts": async () => {
        await texts.removeAll();
        void showInformationMessage(t("The next search reads all conversations again."));
      },
    },
    conversations,
    intents: intentHandlers({
      goToSearchHit: ({ step }) => {
        if (tab.hasHits) tab.go(step === "next" ? 1 : -1);
      },
    }),
    head: { values: { hasSearchHits: () => tab.hasHits }, onDidChange: tab.onDidChangeHits },
    showRequested: async ({ session, hit }) => {
      await storedSessions.refresh();
      await openSession(session, hit);
    },
    whenIdle: () => texts.whenIdle(),
  };
}
