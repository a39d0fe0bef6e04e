// Checks patterns without the time limits of a form, which a busy machine can reach with any pattern.
import { runWithTimeLimit } from "../../../src/panel/find/findTimeLimit.ts";
import { PatternChecker } from "../../../src/panel/form/patternMatch.ts";

/** The time for each pattern (ms). No machine is too slow for a usual one, and a hostile one needs years. */
const maxTime = 2000;

/** A checker with much time, by a clock that stands still. */
export const patientPatterns = (): PatternChecker =>
  new PatternChecker(
    (_, work) => runWithTimeLimit(maxTime, work),
    () => 0,
  );
