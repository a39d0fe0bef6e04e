// Whether an agent takes longer to start than its time limit. The user decides then whether to wait or to stop it.
import type { ViewHead } from "../../src/panel/protocol.ts";

/** The start limit of the panel's agent. Keeps the user's decision to wait until the limit has passed once more. */
export class StartLimit {
  #kept = { since: 0, until: 0 };

  /** The limit in milliseconds. Undefined if the panel does not know it. */
  limit(head: ViewHead): number | undefined {
    const seconds = head.agents.find(({ id }) => id === head.agent?.id)?.startTimeout;
    return seconds === undefined ? undefined : seconds * 1000;
  }

  /** Whether the limit has passed. The time in which the agent waits for the user does not count. */
  isOver(head: ViewHead, now: number): boolean {
    const since = head.connection?.since;
    const limit = this.limit(head);
    if (since === undefined || limit === undefined || head.questions.length > 0) return false;
    return now >= (this.#kept.since === since ? this.#kept.until : since + limit);
  }

  /** The user wants to wait for as long again. */
  keepWaiting(head: ViewHead, now: number): void {
    this.#kept = { since: head.connection?.since ?? 0, until: now + (this.limit(head) ?? 0) };
  }
}
