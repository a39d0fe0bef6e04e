// The locations of the agent in the benchmark, for both processes that take part.

/** When the agent reported a line (ms since the epoch). */
export interface AgentUpdate {
  readonly line: number;
  readonly at: number;
}

export const agentName = "Bench Agent";
/** All lines up to this one are visible at once. */
export const lastLine = 30;
