// Messages between two sessions of an agent, which it reports on the stream of each of them (`session_message` and
// `session_message_chunk`). Each is shown once, in the card of the sub-agent: a task from its parent as a prompt, and its
// reply as a message. The same in all protocol versions. No I/O.
import type { ContentBlock, MessageAuthor, SessionEvent } from "../session/events.ts";
import { appendContent } from "../session/messages.ts";
import { asString, parseContent, type JsonObject } from "./parse.ts";
import { subAgentCard } from "./subAgentCard.ts";

/** Where a message between two sessions is shown. */
interface MessagePlace {
  readonly author: MessageAuthor;
  readonly messageId: string;
  readonly parent: string;
  /** The stream that its content comes from. The other stream repeats it. */
  source?: string;
  /** No update has named its sessions, so that the author is a guess. */
  isGuess?: boolean;
  /** The author, if the guess was wrong. */
  shownAuthor?: MessageAuthor;
}

/** At most this many pieces of messages are kept that arrive before their messages. */
const maxEarlyPieces = 10_000;

/** The messages between the sessions of one conversation. */
export class SessionMessages {
  readonly #isSubAgent: (sessionId: string) => boolean;
  readonly #scopedId: (sessionId: string, id: string) => string;
  /** By the session that received the update, and the id of the message there. */
  readonly #places = new Map<string, MessagePlace>();
  /** The content of messages that arrived before them, by stream and id. */
  readonly #early = new Map<string, Map<string, readonly ContentBlock[]>>();
  #earlyCount = 0;

  /** `scopedId`: the id in the conversation of an id of a sub-agent. */
  constructor(isSubAgent: (sessionId: string) => boolean, scopedId: (sessionId: string, id: string) => string) {
    this.#isSubAgent = isSubAgent;
    this.#scopedId = scopedId;
  }

  /** The events for `session_message`. Undefined if it names no message, or no sub-agent. */
  message(streamId: string, update: JsonObject): readonly SessionEvent[] | undefined {
    const messageId = asString(update["messageId"]);
    const place = messageId === undefined ? undefined : this.#placeOf(streamId, messageId, update);
    if (messageId === undefined || !place) return undefined;
    const early = this.#takeEarly(streamId, messageId).flatMap(content => this.#chunk(streamId, place, content));
    const { content } = update;
    const { source, shownAuthor } = place;
    const message = { ...identityOf(place), ...(shownAuthor !== undefined && { shownAuthor }) };
    const isRepeated = source !== undefined && source !== streamId;
    if (content === undefined || isRepeated) return [...early, { type: "message", ...message }];
    if (Array.isArray(content) && content.length > 0) place.source ??= streamId;
    const blocks = Array.isArray(content) ? content.map(parseContent).filter(block => block !== undefined) : null;
    return [...early, { type: "message", ...message, content: blocks }];
  }

  /** The events for `session_message_chunk`. Undefined if it is malformed, or if its message has not arrived. */
  chunk(streamId: string, update: JsonObject): readonly SessionEvent[] | undefined {
    const messageId = asString(update["messageId"]);
    const content = parseContent(update["content"]);
    if (messageId === undefined || content === undefined) return undefined;
    const place = this.#places.get(keyOf(streamId, messageId));
    if (place) return this.#chunk(streamId, place, content);
    // The message, which names the sessions, can follow its pieces. The log keeps each piece in any case.
    if (this.#earlyCount >= maxEarlyPieces) return undefined;
    this.#earlyCount++;
    const early = this.#early.get(streamId) ?? new Map<string, readonly ContentBlock[]>();
    this.#early.set(streamId, early);
    early.set(messageId, appendContent(early.get(messageId) ?? [], content));
    return undefined;
  }

  /**
   * A sub-agent has finished. Pieces on its stream whose message has not arrived are shown as its task. A later message
   * that names its sessions can still show that it is a reply.
   */
  finished(streamId: string): readonly SessionEvent[] {
    const early = [...(this.#early.get(streamId)?.keys() ?? [])];
    return early.flatMap(messageId => {
      const events = this.message(streamId, { messageId }) ?? [];
      const place = this.#places.get(keyOf(streamId, messageId));
      if (place) place.isGuess = true;
      return events;
    });
  }

  #chunk(streamId: string, place: MessagePlace, content: ContentBlock): readonly SessionEvent[] {
    place.source ??= streamId;
    return place.source === streamId ? [{ type: "messageChunk", ...identityOf(place), content }] : [];
  }

  #takeEarly(streamId: string, messageId: string): readonly ContentBlock[] {
    const early = this.#early.get(streamId);
    const content = early?.get(messageId) ?? [];
    early?.delete(messageId);
    if (early?.size === 0) this.#early.delete(streamId);
    if (this.#early.size === 0) this.#earlyCount = 0;
    return content;
  }

  /** A message keeps its place. Its later updates need not name its sessions. */
  #placeOf(streamId: string, messageId: string, update: JsonObject): MessagePlace | undefined {
    const key = keyOf(streamId, messageId);
    const known = this.#places.get(key);
    const sender = asString(update["senderSessionId"]);
    const recipient = asString(update["recipientSessionId"]);
    if (known && (!known.isGuess || (sender === undefined && recipient === undefined))) return known;
    const task = this.#recipientOfTask(streamId, sender, recipient);
    const child = task ?? [sender, streamId].find(id => id !== undefined && this.#isSubAgent(id));
    if (child === undefined) return known;
    const isOnRecipient = streamId === recipient || (streamId === task && sender !== streamId);
    // The message on the other stream, if this one names it.
    const otherStream = isOnRecipient ? sender : recipient;
    const otherId = asString(update[isOnRecipient ? "senderMessageId" : "recipientMessageId"]);
    const other = otherStream === undefined || otherId === undefined ? undefined : keyOf(otherStream, otherId);
    const author = task === undefined ? "agent" : "user";
    const childId = streamId === child ? messageId : (otherId ?? messageId);
    const place: MessagePlace = known ??
      (other === undefined ? undefined : this.#places.get(other)) ??
      this.#guess(child, childId) ?? {
        author,
        messageId: this.#scopedId(child, childId),
        parent: subAgentCard(child),
      };
    if (place.isGuess && author !== place.author) place.shownAuthor = author;
    place.isGuess = false;
    this.#places.set(key, place);
    if (other !== undefined) this.#places.set(other, place);
    return place;
  }

  /** The message of the sub-agent whose author is a guess, if there is one. */
  #guess(child: string, messageId: string): MessagePlace | undefined {
    const place = this.#places.get(keyOf(child, messageId));
    return place?.isGuess ? place : undefined;
  }

  /**
   * The sub-agent that gets the message as its task. A message on the stream of a sub-agent that names no recipient is for
   * the sub-agent, unless it has sent the message itself.
   */
  #recipientOfTask(streamId: string, sender: string | undefined, recipient = streamId): string | undefined {
    return this.#isSubAgent(recipient) && sender !== recipient ? recipient : undefined;
  }
}

/** What events of the message have in common. */
const identityOf = ({
  author,
  messageId,
  parent,
}: MessagePlace): Pick<MessagePlace, "author" | "messageId" | "parent"> => ({
  author,
  messageId,
  parent,
});

const keyOf = (streamId: string, messageId: string): string => JSON.stringify([streamId, messageId]);
