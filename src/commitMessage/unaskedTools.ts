// Finds the tool that an agent uses without asking while it writes a commit message, in what the agent reports.
import { Emitter, type Disposable, type Event } from "../base/lifecycle.ts";
import type { Clock } from "../base/log.ts";
import type { ToolKind } from "../session/events.ts";
import type { SessionState, ToolEntry } from "../session/state.ts";

/**
 * Agents may report that a call runs before they ask about it, in recordings up to 0.4 s before. A call that runs longer
 * without a question was not asked about (ms).
 */
export const maxAskDelay = 5000;

/** The kinds of tools that change something. */
const acting: ReadonlySet<string> = new Set<ToolKind>(["edit", "delete", "move", "execute"]);

export class UnaskedTools implements Disposable {
  readonly #clock: Pick<Clock, "after">;
  readonly #expired = new Emitter<void>();
  /** Fires when a call has run for too long, so that {@link find} finds it. */
  readonly onDidExpire: Event<void> = this.#expired.event;
  /** The calls that were refused. The agent can report each as running until it has ended it. */
  readonly #asked = new Set<string>();
  /** The calls that run without a question, by id. */
  readonly #running = new Map<string, Disposable>();
  readonly #late = new Set<string>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The agent has asked about the call. A question without a call is about any of those that run. */
  asked(call: string | undefined): void {
    for (const id of call === undefined ? [...this.#running.keys()] : [call]) {
      this.#asked.add(id);
      this.#forget(id);
    }
  }

  /** The tool that was used without asking. `isOver`: the turn has ended. */
  find({ entries }: Pick<SessionState, "entries">, isOver: boolean): ToolEntry["fields"] | undefined {
    for (const entry of entries) {
      if (entry.kind !== "tool") continue;
      const { fields, toolCallId: id } = entry;
      // A thought is shown as a tool, too.
      if (fields.status === "completed" && fields.kind !== "think") return fields;
      const isUnasked = fields.status === "in_progress" && acting.has(fields.kind ?? "") && !this.#asked.has(id);
      if (!isUnasked) this.#forget(id);
      else if (isOver || this.#late.has(id)) return fields;
      else if (!this.#running.has(id))
        this.#running.set(
          id,
          this.#clock.after(maxAskDelay, () => this.#expire(id)),
        );
    }
    return undefined;
  }

  dispose(): void {
    for (const timer of this.#running.values()) timer.dispose();
    this.#running.clear();
    this.#expired.dispose();
  }

  #expire(id: string): void {
    this.#running.delete(id);
    this.#late.add(id);
    this.#expired.fire();
  }

  #forget(id: string): void {
    this.#running.get(id)?.dispose();
    this.#running.delete(id);
  }
}
