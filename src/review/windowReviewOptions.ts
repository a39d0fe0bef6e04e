// What the review of a window needs from its surroundings.
import type { ReviewPort } from "../files/ports.ts";
import type { Slices } from "./fileComparisons.ts";
import type { EarlierFileStates } from "./reviewDecision.ts";

export interface WindowReviewOptions {
  readonly port: ReviewPort;
  readonly earlier?: EarlierFileStates;
  /** Whether the file is outside the workspace folders. */
  readonly isOutside?: (path: string) => boolean;
  /** Runs the function once, soon. */
  readonly schedule: (run: () => void) => void;
  readonly slices?: Slices;
  /** The time, in ms since the epoch. By default that of the system. */
  readonly now?: () => number;
}
