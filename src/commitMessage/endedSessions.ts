// What follows a session that has written a commit message: its usage is counted, and the agent deletes the session. The
// window can close meanwhile.
import { withTimeout } from "../base/async.ts";
import { asError } from "../base/errors.ts";
import type { Clock, Log } from "../base/log.ts";
import type { CommitMessageUsage } from "./commitMessageUsage.ts";
import type { EndedMessageSession } from "./messageSession.ts";

/** The agent of a session. */
export interface SessionAgent {
  readonly name: string;
  /** Deletes the session with this id if the agent can. It runs by then. */
  readonly remove: (id: string) => Promise<void>;
}

/** VS Code ends the extension host after about 5 s, and other work is stored in this time, too (ms). */
export const maxCloseWait = 1000;

export class EndedSessions {
  readonly #usage: Pick<CommitMessageUsage, "add" | "flush">;
  readonly #clock: Pick<Clock, "after">;
  readonly #log: Log;
  readonly #settling = new Set<Promise<void>>();
  #isClosing = false;

  constructor(usage: Pick<CommitMessageUsage, "add" | "flush">, clock: Pick<Clock, "after">, log: Log) {
    this.#usage = usage;
    this.#clock = clock;
    this.#log = log;
  }

  /** Counts what the session has used once it has ended, and lets the agent delete it. */
  settle(agent: SessionAgent, whenEnded: Promise<EndedMessageSession>): void {
    const settled = this.#settle(agent, whenEnded);
    this.#settling.add(settled);
    void settled.finally(() => this.#settling.delete(settled));
  }

  /** Never rejects. */
  async #settle({ name, remove }: SessionAgent, whenEnded: Promise<EndedMessageSession>): Promise<void> {
    const { spending, agentSessions } = await whenEnded;
    await this.#usage.add(name, spending);
    for (const id of agentSessions) {
      // The agents end with the window.
      if (this.#isClosing) return;
      await remove(id).catch((error: unknown) =>
        this.#log.debug(`${name} did not delete the session of a commit message.`, asError(error).message),
      );
    }
  }

  /** Resolves when all counts are stored, and after 1 s also if a session has not ended. Never rejects. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await withTimeout(Promise.all(this.#settling), maxCloseWait, () => undefined, this.#clock);
    await this.#usage.flush();
  }
}
