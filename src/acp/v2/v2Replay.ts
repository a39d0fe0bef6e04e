// The replay of a session that an agent resumes: it sends the whole conversation again before its answer. The log has the
// conversation up to an interruption, so only what the interruption cut and what comes after the last known entry counts.
import type { SessionEvent } from "../../session/events.ts";
import { isFinal } from "../../session/state.ts";

/** At most this many events of each kind are kept, so that an agent cannot fill the memory before it answers. */
const maxKept = 10_000;

/** An answer can arrive in one piece for each word. */
const maxCut = 100_000;

/** Keeps the events of a replay until the agent has answered. */
export interface V2Replay {
  /** Adds events of the replay. */
  keep(events: readonly SessionEvent[]): void;
  /** Whether events have arrived since the last call. */
  takeProgress(): boolean;
  /** The events that count. Called once. */
  end(): readonly SessionEvent[];
}

/** What the log has of the entry of an event. `cut`: an interruption may have cut it. */
export type KnownPart = "whole" | "cut" | undefined;

/** The replay of a conversation that Parley has. */
export class V2ConversationReplay implements V2Replay {
  readonly #knownPart: (event: SessionEvent) => KnownPart;
  /** The entries and terminals after the last known entry. */
  #entries: SessionEvent[] = [];
  readonly #settings: SessionEvent[] = [];
  /** The names of messages that the conversation has. */
  readonly #names: SessionEvent[] = [];
  #activity: Extract<SessionEvent, { type: "activity" }> | undefined;
  readonly #cut = new CutEntries();
  readonly #terminals: TerminalEvent[] = [];
  #hasKnown = false;
  readonly #wholeTerminals = new Set<string>();
  #hasMore = false;

  /** `knownPart`: what the log has of the entry of an event. */
  constructor(knownPart: (event: SessionEvent) => KnownPart) {
    this.#knownPart = knownPart;
  }

  keep(events: readonly SessionEvent[]): void {
    this.#hasMore = true;
    for (const event of events) this.#keep(event);
  }

  #keep(event: SessionEvent): void {
    if (event.type === "activity") this.#activity = event;
    else if (!isKept(event)) addLimited(this.#settings, event);
    else if (event.type === "terminal" || event.type === "terminalOutput") {
      if (this.#terminals.length <= maxCut) this.#terminals.push(event);
      addLimited(this.#entries, event);
    } else this.#keepEntry(event, this.#knownPart(event));
  }

  #keepEntry(event: SessionEvent, part: KnownPart): void {
    if (part === undefined) return addLimited(this.#entries, event);
    this.#hasKnown = true;
    this.#entries = [];
    if (event.type === "message" && event.shownAs !== undefined) addLimited(this.#names, event);
    else if (part === "cut") this.#cut.keep(event);
    else for (const id of shownTerminals(event)) if (this.#wholeTerminals.size < maxKept) this.#wholeTerminals.add(id);
  }

  takeProgress(): boolean {
    const hadMore = this.#hasMore;
    this.#hasMore = false;
    return hadMore;
  }

  /**
   * The events that count: what an interruption cut, entries and terminals after the last known entry, settings, and the
   * latest state of the agent. If the agent names none of the known entries, it has given them other ids, so none of its
   * entries counts.
   */
  end(): readonly SessionEvent[] {
    // With the beginning only, the log has more than the agent repeated.
    const isWhole = this.#cut.isWhole && this.#terminals.length <= maxCut;
    const isCut = (event: SessionEvent): boolean => "terminalId" in event && this.#cut.terminals.has(event.terminalId);
    const isNew = (event: SessionEvent): boolean =>
      !("terminalId" in event) || !(this.#wholeTerminals.has(event.terminalId) || isCut(event));
    return [
      ...this.#names,
      ...(isWhole ? this.#cut.events(this.#activity) : []),
      ...(isWhole ? outputAgain(this.#terminals.filter(isCut)) : []),
      ...(this.#hasKnown ? this.#entries.filter(isNew) : []),
      ...this.#settings,
      ...(this.#activity ? [this.#activity] : []),
    ];
  }
}

type TerminalEvent = Extract<SessionEvent, { type: "terminal" | "terminalOutput" }>;

/** The events of terminals whose output is repeated from its beginning. */
function outputAgain(events: readonly TerminalEvent[]): readonly SessionEvent[] {
  const seen = new Set<string>();
  return events.flatMap((event): readonly SessionEvent[] => {
    const { terminalId } = event;
    const isFirst = !seen.has(terminalId);
    seen.add(terminalId);
    return isFirst ? [{ type: "terminal", terminalId, output: "" }, event] : [event];
  });
}

/** What an agent repeats of entries that an interruption cut. It replaces what the log has of them. */
class CutEntries {
  readonly #events: SessionEvent[] = [];
  /** The entries whose content has begun again. */
  readonly #begun = new Set<string>();
  /** The statuses of the tool calls. */
  readonly #statuses = new Map<string, string>();
  /** The terminals that the tool calls show. */
  readonly terminals = new Set<string>();

  keep(event: SessionEvent): void {
    if (!this.isWhole) return;
    for (const id of shownTerminals(event)) this.terminals.add(id);
    if (event.type === "tool" && typeof event.patch.status === "string")
      this.#statuses.set(event.toolCallId, event.patch.status);
    this.#events.push(this.#fromItsBeginning(event));
  }

  /** Whether all that the agent repeated is kept. */
  get isWhole(): boolean {
    return this.#events.length <= maxCut;
  }

  /** The first piece of a content replaces what the log has. */
  #fromItsBeginning(event: SessionEvent): SessionEvent {
    switch (event.type) {
      case "message":
        if (event.content !== undefined) this.#begin(`message ${event.author} ${event.messageId}`);
        return event;
      case "messageChunk": {
        const { type: _, content, ...message } = event;
        return this.#begin(`message ${event.author} ${event.messageId}`)
          ? { type: "message", ...message, content: [content] }
          : event;
      }
      case "tool":
        if (event.patch.content !== undefined) this.#begin(`tool ${event.toolCallId}`);
        return event;
      case "toolChunk":
        return this.#begin(`tool ${event.toolCallId}`)
          ? { type: "tool", toolCallId: event.toolCallId, patch: { content: [event.content] } }
          : event;
      case "compaction":
        if (event.summary !== undefined) this.#begin(`compaction ${event.compactionId}`);
        return event;
      case "compactionChunk": {
        const { type: _, content, ...compaction } = event;
        return this.#begin(`compaction ${event.compactionId}`)
          ? { type: "compaction", ...compaction, summary: [content] }
          : event;
      }
      default:
        return event;
    }
  }

  /** Returns whether the content has not begun before. */
  #begin(key: string): boolean {
    const isFirst = !this.#begun.has(key);
    this.#begun.add(key);
    return isFirst;
  }

  /** The events, of which calls that the agent still runs are open again. `activity`: the latest state of the agent. */
  events(activity: Extract<SessionEvent, { type: "activity" }> | undefined): readonly SessionEvent[] {
    const { state = "idle", background = [] } = activity ?? {};
    const isRunning = (id: string): boolean =>
      state !== "idle" || background.some(({ toolCallId }) => toolCallId === id);
    const open = [...this.#statuses].flatMap(([toolCallId, status]) =>
      isFinal(status) || !isRunning(toolCallId) ? [] : toolCallId,
    );
    return [
      ...this.#events,
      ...open.map(toolCallId => ({ type: "tool", toolCallId, patch: {}, reopened: true }) as const),
    ];
  }
}

function addLimited(events: SessionEvent[], event: SessionEvent): void {
  if (events.length < maxKept) events.push(event);
}

/** The events that the log keeps as a part of the conversation. */
const keptTypes: readonly string[] = [
  ...["message", "messageChunk", "tool", "toolChunk", "terminal", "terminalOutput"],
  ...["notice", "compaction", "compactionChunk", "unknown"],
];
/** Whether the log keeps the event as a part of the conversation. */
export const isKept = ({ type }: SessionEvent): boolean => keptTypes.includes(type);

/** The terminals that a tool call shows. */
function shownTerminals(event: SessionEvent): readonly string[] {
  const content =
    event.type === "tool" ? (event.patch.content ?? []) : event.type === "toolChunk" ? [event.content] : [];
  return content.flatMap(item => (item.type === "terminal" ? [item.terminalId] : []));
}
