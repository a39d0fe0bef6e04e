// Sub-agents with sessions of their own. The agent announces such a session on the session of its parent, and then sends
// updates and requests under its id. The conversation shows one card for each of them. Ids are unique per session of the
// agent, so those of a sub-agent get the id of its session as a prefix. The same in all protocol versions. No I/O.
import type { Patch, SessionEvent, ToolContent, ToolFields } from "../session/events.ts";
import { asObject, asString, isObject, optionalField, type JsonObject } from "./parse.ts";
import { SessionMessages } from "./sessionMessages.ts";
import { subAgentCard } from "./subAgentCard.ts";

/** Converts the updates of one session of the agent. */
export interface UpdateReader {
  /** An update that is not understood becomes an `unknown` event. */
  update(update: JsonObject): readonly SessionEvent[];
  /** Parley runs the terminal, so its id is unique already. */
  isClientTerminal(terminalId: string): boolean;
}

/** At most this many sub-agents of a session get cards. */
const maxSubAgents = 1000;

/** What the card of a sub-agent says. */
interface CardTexts {
  /** The title that the parent gave. */
  readonly title?: string | undefined;
  /** The title of its session, which it reports itself. */
  readonly ownTitle?: string | undefined;
  readonly description?: string | undefined;
  /** The error that ended its work. */
  readonly error?: string | undefined;
}

/** The sub-agents of one session, at any depth. */
export class SubAgents<Reader extends UpdateReader> {
  readonly #rootId: string;
  readonly #root: Reader;
  readonly #readers = new Map<string, Reader>();
  readonly #createReader: () => Reader;
  readonly #onAnnounced: (sessionId: string) => void;
  readonly #messages = new SessionMessages(id => this.#readers.has(id), scopedId);
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
        return this.#messages.message(sessionId, update) ?? [unknownEvent(update)];
      case "session_message_chunk":
        return this.#messages.chunk(sessionId, update) ?? [unknownEvent(update)];
      // In version 2, a sub-agent also reports its state itself: as `state_update`, or as `state_change` in an earlier draft.
      case "state_change":
      case "state_update":
        if (this.#readers.has(sessionId)) return this.#changeCard(sessionId, { state: update });
        return this.reader(sessionId).update(update);
      case "session_info_update":
        if (this.#readers.has(sessionId)) return this.#inform(sessionId, update);
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
    const parent = this.#readers.has(parentId) ? subAgentCard(parentId) : undefined;
    return this.#changeCard(sessionId, update, { ...(isNew && { subAgent: true }) }, parent);
  }

  /** Changes what the update names. `more`: further changes of the card. */
  #changeCard(
    sessionId: string,
    update: JsonObject,
    more: Patch<ToolFields> = {},
    parent?: string,
  ): readonly SessionEvent[] {
    const { title, description, state, capabilities } = update;
    const was = this.#texts.get(sessionId) ?? {};
    const changes = this.#write(sessionId, {
      ...was,
      ...((title === null || typeof title === "string") && { title: title ?? undefined }),
      ...(description !== undefined && { description: asString(description) }),
      ...(state !== undefined && { error: asString(asObject(asObject(state)["error"])["message"]) }),
    });
    const patch: Patch<ToolFields> = {
      ...more,
      ...(capabilities !== undefined && { canCancel: isObject(asObject(capabilities)["cancel"]) || null }),
      ...changes,
      ...(isObject(state) && { status: statusOf(state) }),
      // The agent does not know whether it works.
      ...(state === null && { status: null }),
    };
    const changed: SessionEvent = {
      ...{ type: "tool", toolCallId: subAgentCard(sessionId), patch },
      ...optionalField("parent", parent),
    };
    return isObject(state) && state["state"] === "idle" ? [changed, ...this.#messages.finished(sessionId)] : [changed];
  }

  /** What a sub-agent reports about its session. Its title is that of the card if its parent gave it none. */
  #inform(sessionId: string, update: JsonObject): readonly SessionEvent[] {
    const events = this.reader(sessionId).update(update);
    const info = events.find(event => event.type === "info");
    const rest = this.scoped(
      sessionId,
      events.filter(event => event !== info),
    );
    if (info?.title === undefined) return [...rest, unknownEvent(update)];
    const patch = this.#write(sessionId, { ...this.#texts.get(sessionId), ownTitle: info.title ?? undefined });
    if (Object.keys(patch).length === 0) return [...rest, unknownEvent(update)];
    return [...rest, { type: "tool", toolCallId: subAgentCard(sessionId), patch }];
  }

  /** Sets what the card says. Returns the changes of its title and of its content: the description and the error. */
  #write(sessionId: string, is: CardTexts): Patch<ToolFields> {
    const was = this.#texts.get(sessionId) ?? {};
    this.#texts.set(sessionId, is);
    const title = is.title ?? is.ownTitle;
    const texts = [is.description, is.error].filter(text => text !== undefined && text !== "");
    const content = texts.map(text => ({ type: "content", content: { type: "text", text: text ?? "" } }) as const);
    return {
      ...(title !== (was.title ?? was.ownTitle) && { title: title ?? null }),
      ...((is.description !== was.description || is.error !== was.error) && {
        content: content.length === 0 ? null : content,
      }),
    };
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

  /** Undefined for what concerns only the sub-agent: its options, commands, context and activity. */
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
      case "compaction":
      case "compactionChunk":
        return { ...event, compactionId: this.#id(event.compactionId), parent: this.#card };
      case "plan":
      case "planRemoved":
        return { ...event, parent: this.#card };
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

/**
 * The id in the conversation of an id of a sub-agent. Session ids can contain a slash, so that it is escaped: `a` with
 * `b/t` and `a/b` with `t` are two calls.
 */
const scopedId = (sessionId: string, id: string): string =>
  `${sessionId.replace(/[%/]/g, char => (char === "/" ? "%2F" : "%25"))}/${id}`;

/** The status of the card. A state that Parley does not know counts as running, and so does background work. */
function statusOf({ state, stopReason, background }: JsonObject): string {
  if (state !== "idle" || (Array.isArray(background) && background.length > 0)) return "in_progress";
  if (stopReason === "cancelled") return "cancelled";
  return stopReason === "error" || stopReason === "refusal" ? "failed" : "completed";
}
