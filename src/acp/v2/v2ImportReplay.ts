// The replay of a session that Parley imports: everything counts, in its order. Nothing of it runs any more, so each prompt
// ends the turn before it, which closes the calls that the agent left open.
import type { SessionEvent } from "../../session/events.ts";
import { maxLoadedEvents } from "../protocolAgent.ts";
import { isKept, type V2Replay } from "./v2Replay.ts";

export class V2ImportReplay implements V2Replay {
  readonly #events: SessionEvent[] = [];
  #hasMore = false;
  #inTurn = false;
  /** The latest message of the user, which can arrive in pieces. */
  #prompt: string | undefined;

  keep(events: readonly SessionEvent[]): void {
    this.#hasMore = true;
    for (const event of events) this.#keep(event);
  }

  #keep(event: SessionEvent): void {
    // What the agent does now belongs to no conversation, because Parley closes the session.
    if (event.type === "activity") return;
    if (isKept(event)) this.#beginTurn(promptOf(event));
    this.#add(event);
  }

  #beginTurn(prompt: string | undefined): void {
    const isNext = prompt !== undefined && prompt !== this.#prompt;
    if (isNext) {
      this.#endTurn();
      this.#prompt = prompt;
    }
    if (!this.#inTurn) this.#add({ type: "activity", state: "running" });
    this.#inTurn = true;
  }

  #endTurn(): void {
    if (this.#inTurn) this.#add({ type: "activity", state: "idle", stopReason: "end_turn" });
    this.#inTurn = false;
  }

  /** More than fits is not kept. The conversation then ends with a notice. */
  #add(event: SessionEvent): void {
    if (this.#events.length < maxLoadedEvents) this.#events.push(event);
  }

  takeProgress(): boolean {
    const hadMore = this.#hasMore;
    this.#hasMore = false;
    return hadMore;
  }

  end(): readonly SessionEvent[] {
    this.#endTurn();
    return this.#events;
  }
}

/** The id of the message if the event is about a message of the user to the agent, not to a sub-agent. */
function promptOf(event: SessionEvent): string | undefined {
  if (event.type !== "message" && event.type !== "messageChunk") return undefined;
  return event.author === "user" && event.parent === undefined ? event.messageId : undefined;
}
