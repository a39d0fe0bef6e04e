// The replay of a session that an agent resumes: it sends the whole conversation again before its answer. The log has the
// conversation up to an interruption, so only what comes after the last known entry counts.
import type { SessionEvent } from "../../session/events.ts";

/** At most this many events of each kind are kept, so that an agent cannot fill the memory before it answers. */
const maxKept = 10_000;

/** Keeps the events of a replay until the agent has answered. */
export interface V2Replay {
  /** Adds events of the replay. */
  keep(events: readonly SessionEvent[]): void;
  /** Whether events have arrived since the last call. */
  takeProgress(): boolean;
  /** The events that count. Called once. */
  end(): readonly SessionEvent[];
}

/** The replay of a conversation that Parley has. */
export class V2ConversationReplay implements V2Replay {
  readonly #isKnown: (event: SessionEvent) => boolean;
  /** The entries and terminals after the last known entry. */
  #entries: SessionEvent[] = [];
  readonly #settings: SessionEvent[] = [];
  #activity: SessionEvent | undefined;
  #hasKnown = false;
  readonly #knownTerminals = new Set<string>();
  #hasMore = false;

  /** `isKnown`: whether the log has the entry of the event. */
  constructor(isKnown: (event: SessionEvent) => boolean) {
    this.#isKnown = isKnown;
  }

  keep(events: readonly SessionEvent[]): void {
    this.#hasMore = true;
    for (const event of events) this.#keep(event);
  }

  #keep(event: SessionEvent): void {
    if (event.type === "activity") this.#activity = event;
    else if (!isKept(event)) addLimited(this.#settings, event);
    else if (!this.#isKnown(event)) addLimited(this.#entries, event);
    else {
      this.#hasKnown = true;
      this.#entries = [];
      for (const id of shownTerminals(event)) if (this.#knownTerminals.size < maxKept) this.#knownTerminals.add(id);
    }
  }

  takeProgress(): boolean {
    const hadMore = this.#hasMore;
    this.#hasMore = false;
    return hadMore;
  }

  /**
   * The events that count: entries and terminals after the last known entry, settings, and the latest state of the agent.
   * If the agent names none of the known entries, it has given them other ids, so none of its entries counts.
   */
  end(): readonly SessionEvent[] {
    const isNew = (event: SessionEvent): boolean =>
      !("terminalId" in event) || !this.#knownTerminals.has(event.terminalId);
    return [
      ...(this.#hasKnown ? this.#entries.filter(isNew) : []),
      ...this.#settings,
      ...(this.#activity ? [this.#activity] : []),
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
