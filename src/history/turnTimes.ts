// When the current turn began and ended, and which times of changes belong to it. Pure. All times are in milliseconds.

/** Changes of a turn may be reported this long after its end. */
export const maxReportDelay = 5000;

/** The clock of a file system's timestamps may be this far behind. */
export const clockTick = 20;

/** A time from one moment to another. `to` is undefined while it lasts. */
export interface Period {
  readonly from: number;
  readonly to?: number;
}

/** The times of the current or latest turn. */
export class TurnTimes {
  #busy = false;
  #began = 0;
  #ended = 0;
  #comparisons = 0;

  /** Whether the turn is running. */
  get isBusy(): boolean {
    return this.#busy;
  }

  /** From its beginning to its end. */
  get period(): Period {
    return { from: this.#began, ...(!this.#busy && { to: this.#ended }) };
  }

  /** The turn begins, or the agent works again. */
  begin(now: number): void {
    this.#began = now;
    this.#busy = true;
  }

  end(now: number): void {
    this.#busy = false;
    this.#ended = now;
  }

  /** The comparison of the files with the start of the turn begins. It can find changes long after the turn. */
  beginComparison(): void {
    this.#comparisons++;
  }

  endComparison(): void {
    this.#comparisons--;
  }

  /** Whether changes made in the turn can still be reported. */
  canBeReported(now: number): boolean {
    return this.#busy || this.#comparisons > 0 || now - this.#ended < maxReportDelay;
  }

  /** Whether a file's change time is certainly before the turn. */
  isBefore(time: number | undefined): boolean {
    return time !== undefined && time < this.#began - clockTick;
  }

  /** Whether a file's change time is within the turn. */
  includes(time: number): boolean {
    return !this.isBefore(time) && (this.#busy || time <= this.#ended + clockTick);
  }
}
