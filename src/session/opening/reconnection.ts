// Connects again to an agent that was out of reach, such as one on a server after the network was gone.
import { asProblem, type Problem } from "../../base/errors.ts";
import { t } from "../../base/l10n.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import type { AgentConnector } from "../agent.ts";

/** The pauses before the attempts (ms), about five minutes in total. Then the user decides. */
const reconnectPauses: readonly number[] = [1, 2, 4, 8, 15, 30, 60, 60, 60, 60].map(seconds => seconds * 1000);

interface ReconnectionOptions {
  readonly clock: Clock;
  readonly connection: Pick<AgentConnector, "connect">;
  /** Called when the agent is in reach again. */
  readonly onConnected: () => void;
  /** Called with the reason when Parley no longer tries. */
  readonly onGivenUp: (problem: Problem) => void;
}

/** A session that stays open for this time (ms) has connected. What breaks off sooner goes on with the longer pauses. */
const stableAfter = 60_000;

/** Tries to connect until it succeeds, gets another reason than a lost connection, or is cancelled. */
export class Reconnection implements Disposable {
  readonly #options: ReconnectionOptions;
  #attempts = 0;
  #timer: Disposable | undefined;
  #isOpen = false;
  /** Identifies the running attempt. The outcome of an earlier one is ignored. */
  #run = 0;

  constructor(options: ReconnectionOptions) {
    this.#options = options;
  }

  /**
   * Begins, or goes on after a connection that broke off before the session was open again. False: this is not a problem
   * that passes, or it has lasted too long.
   */
  begin({ reconnects }: Problem): boolean {
    this.#cancelAttempt();
    this.#isOpen = false;
    const pause = reconnectPauses[this.#attempts];
    if (reconnects !== true || pause === undefined) {
      this.#attempts = 0;
      return false;
    }
    this.#attempts++;
    const run = this.#run;
    this.#timer = this.#options.clock.after(pause, () => void this.#connect(run));
    return true;
  }

  /** Whether Parley waits for an attempt or makes one, and the session is not open yet. */
  get isTrying(): boolean {
    return this.#attempts > 0 && !this.#isOpen;
  }

  async #connect(run: number): Promise<void> {
    const { connection, onConnected, onGivenUp } = this.#options;
    try {
      await connection.connect(() => {});
      if (run === this.#run) onConnected();
    } catch (error) {
      if (run !== this.#run) return;
      const problem = asProblem(error);
      if (!this.begin(problem)) onGivenUp(problem);
    }
  }

  #cancelAttempt(): void {
    this.#run++;
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  /** The session is open. */
  opened(): void {
    this.#cancelAttempt();
    this.#isOpen = true;
    if (this.#attempts > 0) this.#timer = this.#options.clock.after(stableAfter, () => this.dispose());
  }

  /** A turn has ended, so the connection works. */
  turnEnded(): void {
    if (this.#isOpen) this.dispose();
  }

  /** The user does something else. */
  dispose(): void {
    this.#cancelAttempt();
    this.#attempts = 0;
    this.#isOpen = false;
  }
}

/** The problem as users see it while Parley tries. */
export const reconnectingProblem = (problem: Problem): Problem => ({
  ...problem,
  message: t("{0} Parley connects again by itself.", problem.message),
});
