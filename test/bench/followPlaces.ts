// Where the agent of the benchmark goes, for both processes that take part.

/** When the agent was said to be at a line, ms since the epoch. */
export interface Told {
  readonly line: number;
  readonly at: number;
}

export const agentName = "Bench Agent";
/** All lines down to this one are in sight at once. */
export const lastLine = 30;
