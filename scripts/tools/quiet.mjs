// Time limits that no machine is too slow for: a suite ends early only if none of its tests has started or ended for
// four minutes.
import fs from "node:fs";

/** A suite is ended after so many seconds in which no test has started or ended. */
export const maxQuietSeconds = 240;

/**
 * The time limit of a test, in milliseconds. It is shorter than {@link maxQuietSeconds}, so that mocha reports the test
 * and goes on with the next one.
 */
export const maxTestTime = 200_000;

/**
 * Calls `onQuiet` once when the file of results has not grown for so many seconds. Counts seconds in which this process
 * ran, so that a machine that sleeps ends nothing. Returns a function that stops it.
 * @param {string} file
 * @param {() => void} onQuiet
 * @param {number} [seconds]
 */
export function whenQuiet(file, onQuiet, seconds = maxQuietSeconds) {
  let size = -1;
  let quiet = 0;
  const timer = setInterval(() => {
    const now = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    quiet = now === size ? quiet + 1 : 0;
    size = now;
    if (quiet < seconds) return;
    clearInterval(timer);
    onQuiet();
  }, 1000);
  return () => clearInterval(timer);
}
