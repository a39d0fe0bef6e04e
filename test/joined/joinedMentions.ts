// Mentions of a joined window: files of its folder, without VS Code and its index, and its conversations.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { nullLog } from "../../src/base/log.ts";
import type { OpenSessions } from "../../src/library/openSessions.ts";
import { entryOf, lastActivity } from "../../src/library/sessionEntry.ts";
import { pathPreview } from "../../src/mentions/pathPreview.ts";
import {
  conversationDetail,
  conversationLabel,
  conversationPrefix,
  digestLabel,
  digestPrefix,
  matchingConversations,
} from "../../src/mentions/mentionedConversations.ts";
import { promptContent, type PathContent } from "../../src/mentions/promptContent.ts";
import { intentHandlers } from "../../src/panel/intentHandlers.ts";
import type { Attachment } from "../../src/panel/protocol.ts";
import { ConversationAttachments, type HitToAttach } from "../../src/search/conversationAttachments.ts";
import type { Session } from "../../src/session/session.ts";
import type { LogStorage } from "../../src/session/log/sessionStore.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import type { NodeDocuments } from "../support/fakes/nodeDocuments.ts";

export class JoinedMentions {
  readonly #folder: string;
  readonly #documents: NodeDocuments;
  readonly #conversations: () => ConversationAttachments<Session>;

  constructor(folder: string, documents: NodeDocuments, conversations: () => ConversationAttachments<Session>) {
    this.#folder = folder;
    this.#documents = documents;
    this.#conversations = conversations;
  }

  /**
   * Answers the composer with files whose path contains what was typed, and after the prefix with conversations. The keys of
   * files are their paths in the folder.
   */
  readonly intents = intentHandlers({
    complete: ({ request, query }, replyTarget) => {
      const prefix = [conversationPrefix, digestPrefix].find(one => query.startsWith(one));
      if (prefix !== undefined) {
        const isDigest = prefix === digestPrefix;
        const words = query.slice(prefix.length);
        const found = matchingConversations(words, this.#conversations().list(), { limit: 30 });
        const items = found.map(({ conversation: { id, title, agentName, updated }, matches }) => ({
          ...{ key: `${prefix}${id}`, kind: isDigest ? ("digest" as const) : ("conversation" as const) },
          ...(isDigest
            ? { label: digestLabel(conversationLabel(title)) }
            : { label: conversationLabel(title), matches }),
          detail: conversationDetail(agentName, updated),
        }));
        return replyTarget.reply({ type: "completions", request, items });
      }
      const files = readdirSync(this.#folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(this.#folder.length + 1))
        .filter(path => path.includes(query));
      const items = files.map(path => ({
        ...{ key: path, kind: "file" as const, label: basename(path) },
        ...(dirname(path) !== "." && { detail: dirname(path) }),
      }));
      replyTarget.reply({ type: "completions", request, items });
    },
    attachItem: async ({ key }, replyTarget) => {
      if (key.startsWith(conversationPrefix)) {
        const attachment = await this.#conversations().attachment(key.slice(conversationPrefix.length));
        return replyTarget.reply({ type: "attached", attachments: [attachment], key });
      }
      if (key.startsWith(digestPrefix)) {
        const attachment = await this.#conversations().digest(key.slice(digestPrefix.length));
        return replyTarget.reply({ type: "attached", attachments: [attachment], key });
      }
      const source = { type: "path", path: join(this.#folder, key) } as const;
      const attachment: Attachment = { id: randomUUID(), kind: "file", label: basename(key), source };
      replyTarget.reply({ type: "attached", attachments: [attachment], key });
    },
    preview: async ({ request, target }, replyTarget) => {
      const path = target.type === "path" ? target.path : join(this.#folder, target.key);
      const access = basename(path) === ".env" ? "secret" : "allowed";
      replyTarget.reply({ type: "preview", request, preview: await pathPreview({ path }, access, this.#documents) });
    },
  });

  /** The passage at a hit of the search. */
  passage(id: string, hit: HitToAttach): Promise<Attachment> {
    return this.#conversations().passage(id, hit);
  }

  /** The content of a prompt, as the window sends it. */
  async content(text: string, attachments: readonly Attachment[]): Promise<readonly ContentBlock[]> {
    const read = async ({ path }: { readonly path: string }): Promise<PathContent> => ({
      kind: "text",
      uri: pathToFileURL(path).href,
      text: await this.#documents.read(path),
    });
    const prompt = await promptContent(text, attachments, { accepts: null, agentName: "The agent", read });
    if ("unsent" in prompt) throw new Error(prompt.unsent);
    return prompt.content;
  }
}

/** The conversations of a window, of which all are open. */
export function joinedConversations(
  open: OpenSessions | undefined,
  storage: LogStorage,
): ConversationAttachments<Session> {
  assert.ok(open, "the window is closed");
  const entries = open.sessions.flatMap(({ id, state }) => entryOf(id, state, lastActivity(state) ?? 0) ?? []);
  return new ConversationAttachments({
    ...{ open, storage, version: "joined", log: nullLog, newId: () => randomUUID() },
    stored: { entries, get: id => entries.find(entry => entry.id === id) },
    refresh: () => Promise.resolve(),
    undecided: () => [],
  });
}
