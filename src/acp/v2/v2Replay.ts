// The replay of a session that an agent resumes: it sends the whole conversation again before its answer. The log has the
// conversation up to an interruption, so only what comes after the last known entry counts.
import type { SessionEvent } from "../../session/events.ts";

/** Keeps the events of a replay until the agent has answered. */
export class V2Replay {
  readonly #isKnown: (event: SessionEvent) => boolean;
  readonly #events: SessionEvent[] = [];
  #hasMore = false;

  /** `isKnown`: whether the log has the entry of the event. */
  constructor(isKnown: (event: SessionEvent) => boolean) {
    this.#isKnown = isKnown;
  }

  /** Keeps events. */
  keep(events: readonly SessionEvent[]): void {
    this.#hasMore = true;
    for (const event of events) this.#events.push(event);
  }

  /** Whether events have arrived since the last call. */
  takeProgress(): boolean {
    const hadMore = this.#hasMore;
    this.#hasMore = false;
    return hadMore;
  }

  /**
   * The events that count: entries and terminals after the last known entry, the latest state of the agent, and settings.
   * If the agent names none of the known entries, it has given them other ids, so none of its entries counts.
   */
  end(): readonly SessionEvent[] {
    const lastKnown = this.#events.findLastIndex(event => isKept(event) && this.#isKnown(event));
    const lastActivity = this.#events.findLastIndex(({ type }) => type === "activity");
    const knownTerminals = new Set(this.#events.filter(event => this.#isKnown(event)).flatMap(shownTerminals));
    return this.#events.filter((event, at) => {
      if (event.type === "activity") return at === lastActivity;
      if (!isKept(event)) return true;
      if (lastKnown < 0 || at < lastKnown || this.#isKnown(event)) return false;
      return !("terminalId" in event) || !knownTerminals.has(event.terminalId);
    });
  }
}

/** The events that the log keeps as a part of the conversation. */
const keptTypes: readonly string[] = [
  ...["message", "messageChunk", "tool", "toolChunk", "terminal", "terminalOutput"],
  ...["notice", "compaction", "compactionChunk", "unknown"],
];
const isKept = ({ type }: SessionEvent): boolean => keptTypes.includes(type);

/** The terminals that a tool call shows. */
function shownTerminals(event: SessionEvent): readonly string[] {
  const content =
    event.type === "tool" ? (event.patch.content ?? []) : event.type === "toolChunk" ? [event.content] : [];
  return content.flatMap(item => (item.type === "terminal" ? [item.terminalId] : []));
}
