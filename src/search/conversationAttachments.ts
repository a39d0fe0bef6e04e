// Attaches stored conversations, and passages of them, to a message: reads them from the open session or from the log.
import { asError } from "../base/errors.ts";
import { t } from "../base/l10n.ts";
import type { Log } from "../base/log.ts";
import type { OpenSession, OpenSessions } from "../library/openSessions.ts";
import type { StoredSessions } from "../library/storedSessions.ts";
import {
  conversationDetail,
  conversationLabel,
  digestLabel,
  type MentionedConversation,
  type MentionedConversations,
} from "../mentions/mentionedConversations.ts";
import { maxEmbeddedBytes } from "../mentions/promptContent.ts";
import { previewText } from "../panel/itemPreview.ts";
import type { Attachment } from "../panel/protocol.ts";
import type { SearchRow } from "../panel/searchPage.ts";
import {
  conversationPassage,
  wholeConversation,
  type ConversationPassage,
} from "../session/conversation/conversationPassage.ts";
import { conversationDigest } from "../session/conversation/conversationDigest.ts";
import { openLog } from "../session/log/openLog.ts";
import type { LogStorage } from "../session/log/sessionStore.ts";
import { hasConversation, sessionTitle, type SessionState } from "../session/state.ts";
import { makeEntryText } from "./makeJoinedText.ts";

export interface ConversationAttachmentsOptions<S extends OpenSession> {
  readonly open: OpenSessions<S>;
  readonly stored: Pick<StoredSessions, "get" | "entries">;
  readonly storage: LogStorage;
  /** The version of Parley. */
  readonly version: string;
  readonly log: Log;
  /** Reads the list of stored sessions. Never rejects. */
  readonly refresh: () => Promise<void>;
  readonly newId: () => string;
  /** The paths of the files whose changes in the session wait for review. */
  readonly undecided: (session: string) => readonly string[];
}

/** The place of a line with hits. */
export type HitToAttach = Pick<SearchRow, "entry" | "lineInEntry" | "column">;

export class ConversationAttachments<S extends OpenSession> implements MentionedConversations {
  readonly #options: ConversationAttachmentsOptions<S>;
  #loading: Promise<void> | undefined;

  constructor(options: ConversationAttachmentsOptions<S>) {
    this.#options = options;
  }

  load(): Promise<void> {
    this.#loading ??= this.#options.refresh();
    return this.#loading;
  }

  /** The stored conversations but for the one that the user is in. */
  list(): readonly MentionedConversation[] {
    const { stored, open } = this.#options;
    return stored.entries.filter(({ id }) => id !== open.active?.id);
  }

  async attachment(id: string): Promise<Attachment> {
    const { state, updated } = await this.#read(id);
    const whole = wholeConversation(state, updated, maxEmbeddedBytes);
    if (!whole) throw new Error(t("It contains no messages."));
    return this.#attachment(state, updated, whole, id);
  }

  async digest(id: string): Promise<Attachment> {
    const { state, updated } = await this.#read(id);
    if (!hasConversation(state)) throw new Error(t("It contains no messages."));
    const text = conversationDigest(state, { undecided: this.#options.undecided(id), isReference: true });
    // The preview begins after the explanation.
    const preview = text.slice(text.indexOf("\n\n") + 2);
    const whole = this.#attachment(state, updated, { text, preview }, `${id}/digest`);
    return { ...whole, kind: "digest", label: digestLabel(whole.label) };
  }

  /** The passage at a hit of the search. Rejects with a sentence if the conversation, or the passage, no longer exists. */
  async passage(id: string, { entry, lineInEntry: line, column }: HitToAttach): Promise<Attachment> {
    const { state } = await this.#read(id);
    const { log } = this.#options;
    const failed = (error: unknown): void =>
      log.error("A part of a session could not be read for an attachment.", asError(error).stack);
    const texts = await makeEntryText(state, entry, pause, failed);
    const passage = conversationPassage(state, { entry, texts, line, column });
    const at = state.entries.at(entry)?.at;
    if (!passage || at === undefined) throw new Error(t("The passage is no longer there. Search again."));
    return this.#attachment(state, at, passage, `${id}/${entry + 1}`);
  }

  async #read(id: string): Promise<{ readonly state: SessionState; readonly updated: number }> {
    const { open, stored, storage, version, log } = this.#options;
    const session = open.get(id);
    const entry = stored.get(id);
    if (entry ? entry.deleted !== undefined : !session) throw new Error(t("It was deleted."));
    const state = session?.state ?? (await openLog({ storage, session: id, version, log }))?.state;
    if (!state) throw new Error(t("Its log contains nothing that Parley can read."));
    return { state, updated: entry?.updated ?? state.entries.at(-1)?.at ?? 0 };
  }

  #attachment(state: SessionState, at: number, { text, preview }: ConversationPassage, path: string): Attachment {
    const label = conversationLabel(sessionTitle(state));
    const uri = `parley:/conversation/${path}/${encodeURIComponent(label)}`;
    return {
      ...{ id: this.#options.newId(), kind: "conversation", label },
      detail: conversationDetail(state.agent?.name ?? t("The agent"), at),
      bytes: new TextEncoder().encode(text).length,
      source: { type: "text", text, uri, mimeType: "text/markdown" },
      preview: previewText(preview),
    };
  }
}

const pause = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
