// Moves the clock of the code under test, so that no test waits until a limit of time has passed.

/** Runs `run` while Date.now() is this many milliseconds ahead, or behind if it is negative. Times of files don't move. */
export async function withShiftedClock(ms: number, run: () => Promise<void>): Promise<void> {
  const { now } = Date;
  Date.now = () => now() + ms;
  try {
    await run();
  } finally {
    Date.now = now;
  }
}
