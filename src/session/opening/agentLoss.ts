// The end of an agent's process, while a session uses it.
import type { Problem } from "../../base/errors.ts";
import type { Disposable, Event } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";

/** After an agent's output ends, wait at most this long for its process to exit. Milliseconds. */
const maxExitWait = 2000;

/** The agent, as its connector returns it. */
interface RunningAgent {
  readonly onDidDie: Event<Problem>;
  hasEnded(): boolean;
}

/** Watches a process until it is disposed. */
export class AgentLoss implements Disposable {
  readonly #running: RunningAgent;
  readonly #subscription: Disposable;
  readonly #died: Promise<void>;
  #problem: Problem | undefined;

  constructor(running: RunningAgent, onLost: (problem: Problem) => void) {
    this.#running = running;
    let resolveDied = (): void => {};
    this.#died = new Promise(resolve => (resolveDied = resolve));
    this.#subscription = running.onDidDie(problem => {
      this.#problem = problem;
      onLost(problem);
      resolveDied();
    });
  }

  /** Why the process ended; undefined while it runs. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /**
   * If the agent's output has ended, waits briefly for the exit of the process. The exit comes later and has more to
   * report, its code and last output.
   */
  async whenReported(clock: Clock): Promise<void> {
    if (!this.#running.hasEnded() || this.#problem) return;
    let timeOut = (): void => {};
    const timedOut = new Promise<void>(resolve => (timeOut = resolve));
    const timer = clock.after(maxExitWait, timeOut);
    await Promise.race([this.#died, timedOut]);
    timer.dispose();
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
