// Slices of a review whose comparisons are complete when the call returns, however busy the machine is.
import type { Slices } from "../../../src/review/fileComparisons.ts";

export const undividedWork: Slices = { time: Infinity, pause: () => Promise.resolve() };
