// Sub-agents with sessions of their own. The agent announces such a session on the session of its parent, and then sends
// updates and requests under its id. The conversation shows one card for each of them. Ids are unique per session of the
// agent, so those of a sub-agent get the id of its session as a prefix. The same in all protocol versions. No I/O.
import type { ContentBlock, MessageAuthor, Patch, SessionEvent, ToolContent, ToolFields } from "../session/events.ts";
import { asObject, asString, isObject, optionalField, parseContent, type JsonObject } from "./parse.ts";

/** Converts the updates of one session of the agent. */
export interface UpdateReader {
  /** An update that is not understood becomes an `unknown` event. */
  update(update: JsonObject): readonly SessionEvent[];
  /** Parley runs the terminal, so its id is unique already. */
  isClientTerminal(terminalId: string): boolean;
}

/** Where a message between two sessions is shown. */
interface MessagePlace {
  readonly author: MessageAuthor;
  readonly messageId: string;
  readonly parent: string;
}

/** At most this many sub-agents of a session get cards. */
const maxSubAgents = 1000;

/** At most this many pieces of messages are kept that arrive before their messages. */
const maxEarlyPieces = 1000;

/** What a sub-agent does, and the error that ended its work. */
interface CardTexts {
  readonly description?: string | undefined;
  readonly error?: string | undefined;
}

/** The id of the card of a sub-agent. */
export const subAgentCard = (sessionId: string): string => `subagent:${sessionId}`;

/** The session of the sub-agent whose card this is. Undefined for any other tool call. */
export const subAgentOfCard = (toolCallId: string): string | undefined =>
  toolCallId.startsWith("subagent:") ? toolCallId.slice("subagent:".length) : undefined;

/** The id of something of a sub-agent. Without its own slashes, the session ends at the first one. */
const scopedId = (sessionId: string, id: string): string =>
  `${sessionId.replaceAll("%", "%25").replaceAll("/", "%2F")}/${id}`;

/** The sub-agents of one session, at any depth. */
export class SubAgents<Reader extends UpdateReader> {
  readonly #rootId: string;
  readonly #root: Reader;
  readonly #readers = new Map<string, Reader>();
  readonly #createReader: () => Reader;
  readonly #onAnnounced: (sessionId: string) => void;
  /** The messages between sessions, by the session that received the update and their ids there. */
  readonly #messages = new Map<string, MessagePlace>();
  /** The pieces of messages that arrived before their messages, by the same keys. */
  readonly #earlyPieces = new Map<string, ContentBlock[]>();
  #earlyCount = 0;
  /** The texts of the cards, by session. */
  readonly #texts = new Map<string, CardTexts>();

  /** `onAnnounced` is called with the id of each new sub-agent, before its first update. */
  constructor(
    rootId: string,
    root: Reader,
    createReader: () => Reader,
    onAnnounced: (sessionId: string) => void = () => {},
  ) {
    this.#rootId = rootId;
    this.#root = root;
    this.#createReader = createReader;
    this.#onAnnounced = onAnnounced;
  }

  /** The ids of the sub-agents. */
  get sessionIds(): readonly string[] {
    return [...this.#readers.keys()];
  }

  /** The reader of the session itself or of a sub-agent. */
  reader(sessionId: string | undefined): Reader {
    return (sessionId === undefined ? undefined : this.#readers.get(sessionId)) ?? this.#root;
  }

  /** One `session/update` that the agent sent for the session or for a sub-agent. */
  update(sessionId: string, update: JsonObject): readonly SessionEvent[] {
    switch (update["sessionUpdate"]) {
      case "subagent_update":
        return this.#announce(sessionId, update) ?? [unknownEvent(update)];
      case "session_message":
        return this.#message(sessionId, update) ?? [unknownEvent(update)];
      case "session_message_chunk":
        return this.#messageChunk(sessionId, update) ?? [unknownEvent(update)];
      case "state_update":
        // In version 2, a sub-agent also reports its state itself.
        if (this.#readers.has(sessionId))
          return [{ type: "tool", toolCallId: subAgentCard(sessionId), patch: { status: statusOf(update) } }];
        return this.reader(sessionId).update(update);
      default:
        return this.scoped(sessionId, this.reader(sessionId).update(update), update);
    }
  }

  /** Events of the session, or of a sub-agent with its ids and its card. */
  scoped(sessionId: string, events: readonly SessionEvent[], update: JsonObject = {}): readonly SessionEvent[] {
    const reader = this.#readers.get(sessionId);
    if (!reader) return events;
    // Parley runs the terminals of sub-agents for the session.
    const scope = new Scope(sessionId, id => this.#root.isClientTerminal(id) || reader.isClientTerminal(id));
    return events.flatMap(event => scope.event(event) ?? (isObject(update) ? [unknownEvent(update)] : []));
  }

  /** The id of a tool call in the conversation. */
  toolCallId(sessionId: string | undefined, toolCallId: string): string {
    return sessionId !== undefined && this.#readers.has(sessionId) ? scopedId(sessionId, toolCallId) : toolCallId;
  }

  /** The tool call of the agent that has this id in the conversation, and its session. */
  origin(toolCallId: string): { readonly sessionId: string; readonly toolCallId: string } {
    const child = this.sessionIds.find(id => toolCallId.startsWith(scopedId(id, "")));
    return child === undefined
      ? { sessionId: this.#rootId, toolCallId }
      : { sessionId: child, toolCallId: toolCallId.slice(scopedId(child, "").length) };
  }

  #announce(parentId: string, update: JsonObject): readonly SessionEvent[] | undefined {
    const sessionId = asString(update["sessionId"]);
    if (sessionId === undefined || sessionId === this.#rootId || sessionId === parentId) return undefined;
    const isNew = !this.#readers.has(sessionId);
    if (isNew) {
      if (this.#readers.size >= maxSubAgents) return undefined;
      this.#readers.set(sessionId, this.#createReader());
      this.#onAnnounced(sessionId);
    }
    const state = update["state"];
    const patch: Patch<ToolFields> = {
      ...(isNew && { subAgent: true }),
      ...textOrNull("title", update["title"]),
      ...(update["capabilities"] !== undefined && {
        canCancel: isObject(asObject(update["capabilities"])["cancel"]) || null,
      }),
      ...this.#describe(sessionId, update),
      ...(isObject(state) && { status: statusOf(state) }),
      // The agent does not know whether it works.
      ...(state === null && { status: null }),
    };
    const parent = this.#readers.has(parentId) ? subAgentCard(parentId) : undefined;
    return [{ type: "tool", toolCallId: subAgentCard(sessionId), patch, ...optionalField("parent", parent) }];
  }

  /** The description, and the error that ended the work, as the content of the card, if the update changes them. */
  #describe(
    sessionId: string,
    { description, state }: JsonObject,
  ): { readonly content?: readonly ToolContent[] | null } {
    const was = this.#texts.get(sessionId) ?? {};
    const is: CardTexts = {
      description: description === undefined ? was.description : asString(description),
      error: state === undefined ? was.error : asString(asObject(asObject(state)["error"])["message"]),
    };
    this.#texts.set(sessionId, is);
    if (is.description === was.description && is.error === was.error) return {};
    const texts = [is.description, is.error].filter(text => text !== undefined && text !== "");
    if (texts.length === 0) return { content: null };
    return { content: texts.map(text => ({ type: "content", content: { type: "text", text: text ?? "" } })) };
  }

  /**
   * A message between two sessions, which the agent reports on the stream of each of them. It is shown once, in the card
   * of the sub-agent: a task from its parent as a prompt, and its reply as a message.
   */
  #message(streamId: string, update: JsonObject): readonly SessionEvent[] | undefined {
    const place = this.#placeOf(streamId, update);
    if (!place) return undefined;
    const early = this.#takeEarly(streamId, update).map(
      content => ({ type: "messageChunk", ...place, content }) as const,
    );
    const { content } = update;
    if (content === undefined) return [...early, { type: "message", ...place }];
    const blocks = Array.isArray(content) ? content.map(parseContent).filter(block => block !== undefined) : null;
    return [...early, { type: "message", ...place, content: blocks }];
  }

  #takeEarly(streamId: string, update: JsonObject): readonly ContentBlock[] {
    const key = `${streamId} ${asString(update["messageId"])}`;
    const early = this.#earlyPieces.get(key) ?? [];
    this.#earlyPieces.delete(key);
    this.#earlyCount -= early.length;
    return early;
  }

  #messageChunk(streamId: string, update: JsonObject): readonly SessionEvent[] | undefined {
    const messageId = asString(update["messageId"]);
    const content: ContentBlock | undefined = parseContent(update["content"]);
    if (messageId === undefined || content === undefined) return undefined;
    const key = `${streamId} ${messageId}`;
    const place = this.#messages.get(key) ?? this.#placeOf(streamId, update);
    if (place) return [{ type: "messageChunk", ...place, content }];
    // The message, which names the sessions, can follow its pieces.
    if (this.#earlyCount >= maxEarlyPieces) return undefined;
    this.#earlyCount++;
    this.#earlyPieces.set(key, [...(this.#earlyPieces.get(key) ?? []), content]);
    // The log keeps the piece in any case.
    return undefined;
  }

  #placeOf(streamId: string, update: JsonObject): MessagePlace | undefined {
    const messageId = asString(update["messageId"]);
    if (messageId === undefined) return undefined;
    const key = `${streamId} ${messageId}`;
    const known = this.#messages.get(key);
    const sender = asString(update["senderSessionId"]);
    const recipient = asString(update["recipientSessionId"]);
    if (known && sender === undefined && recipient === undefined) return known;
    const isTask = recipient !== undefined && this.#readers.has(recipient);
    const child = isTask ? recipient : [sender, streamId].find(id => id !== undefined && this.#readers.has(id));
    if (child === undefined) return known;
    // The id of the message in the session of the sub-agent, which both streams name.
    const other = asString(update[isTask ? "recipientMessageId" : "senderMessageId"]);
    const own = streamId === child ? messageId : (other ?? messageId);
    const place: MessagePlace = {
      author: isTask ? "user" : "agent",
      messageId: scopedId(child, own),
      parent: subAgentCard(child),
    };
    this.#messages.set(key, place);
    return place;
  }
}

const unknownEvent = (update: JsonObject): SessionEvent => ({ type: "unknown", method: "session/update", raw: update });

/** Changes the events of a sub-agent so that they fit into the conversation. */
class Scope {
  readonly #sessionId: string;
  readonly #isClientTerminal: (terminalId: string) => boolean;

  constructor(sessionId: string, isClientTerminal: (terminalId: string) => boolean) {
    this.#sessionId = sessionId;
    this.#isClientTerminal = isClientTerminal;
  }

  /** Undefined for what concerns only the sub-agent: its options, commands, title, context and activity. */
  event(event: SessionEvent): SessionEvent | undefined {
    switch (event.type) {
      case "message":
      case "messageChunk":
        return { ...event, messageId: this.#id(event.messageId), parent: this.#card };
      case "tool": {
        const { content } = event.patch;
        const patch = content ? { ...event.patch, content: content.map(item => this.#content(item)) } : event.patch;
        return { ...event, toolCallId: this.#id(event.toolCallId), patch, parent: this.#card };
      }
      case "toolChunk":
        return { ...event, toolCallId: this.#id(event.toolCallId), content: this.#content(event.content) };
      case "terminal":
      case "terminalOutput":
        return { ...event, terminalId: this.#terminal(event.terminalId) };
      case "notice":
      case "unknown":
        return event;
      default:
        return undefined;
    }
  }

  get #card(): string {
    return subAgentCard(this.#sessionId);
  }

  #id(id: string): string {
    return scopedId(this.#sessionId, id);
  }

  #content(item: ToolContent): ToolContent {
    return item.type === "terminal" ? { ...item, terminalId: this.#terminal(item.terminalId) } : item;
  }

  #terminal(id: string): string {
    return this.#isClientTerminal(id) ? id : this.#id(id);
  }
}

const textOrNull = <K extends string>(key: K, value: unknown): { [P in K]?: string | null } =>
  (value === null || typeof value === "string" ? { [key]: value } : {}) as { [P in K]?: string | null };

/** The status of the card. A state that Parley does not know counts as running, and so does background work. */
function statusOf({ state, stopReason, background }: JsonObject): string {
  if (state !== "idle" || (Array.isArray(background) && background.length > 0)) return "in_progress";
  if (stopReason === "cancelled") return "cancelled";
  return stopReason === "error" || stopReason === "refusal" ? "failed" : "completed";
}
