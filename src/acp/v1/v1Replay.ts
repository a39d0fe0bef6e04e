// The replay of a session that an agent loads: it sends the whole conversation again, a part of it after its answer. The
// log has the conversation, so only the options and commands of the replay count.
import { untilAborted } from "../../base/async.ts";
import type { Disposable } from "../../base/lifecycle.ts";
import type { Clock } from "../../base/log.ts";
import type { SessionEvent } from "../../session/events.ts";

/** The replay is over when the agent has sent no update for this time after its answer (ms). */
const quietTime = 300;
/** The first prompt waits at most this long for the end of the replay, counted from the answer (ms). */
const maxReplayTime = 3000;

/** Filters the events of a loaded session. */
export class V1Replay {
  readonly #isKnown: (event: SessionEvent) => boolean;
  readonly #clock: Clock;
  readonly #shows: boolean;
  #isOver = false;
  #hasMore = false;
  #restartQuietTimer: (() => void) | undefined;

  /** `isKnown`: whether the log has the entry of the event. `shows`: the conversation has no log, so every event counts. */
  constructor(isKnown: (event: SessionEvent) => boolean, clock: Clock, shows = false) {
    this.#isKnown = isKnown;
    this.#clock = clock;
    this.#shows = shows;
  }

  /** The events that count. Events of known entries never do, because a replay can go on after the first prompt. */
  filter(events: readonly SessionEvent[]): readonly SessionEvent[] {
    this.#hasMore = true;
    this.#restartQuietTimer?.();
    return this.#shows ? events : events.filter(event => isSetting(event) || (this.#isOver && !this.#isKnown(event)));
  }

  /** Whether updates have arrived since the last call. */
  takeProgress(): boolean {
    const hadMore = this.#hasMore;
    this.#hasMore = false;
    return hadMore;
  }

  /** Resolves when the replay is over, or when the signal aborts. Call this when the agent has answered. */
  async whenOver(signal: AbortSignal): Promise<void> {
    const timers: Disposable[] = [];
    try {
      const over = new Promise<void>(resolve => {
        timers.push(this.#clock.after(maxReplayTime, resolve));
        let quiet: Disposable | undefined;
        this.#restartQuietTimer = () => {
          quiet?.dispose();
          quiet = this.#clock.after(quietTime, resolve);
        };
        this.#restartQuietTimer();
        timers.push({ dispose: () => quiet?.dispose() });
      });
      await untilAborted(over, [signal], () => undefined);
    } finally {
      this.#restartQuietTimer = undefined;
      this.#isOver = true;
      for (const timer of timers) timer.dispose();
    }
  }
}

/** Whether the event is about the session as it is now, not about its past. */
const isSetting = ({ type }: SessionEvent): boolean => type === "options" || type === "option" || type === "commands";
