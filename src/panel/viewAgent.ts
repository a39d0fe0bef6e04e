// An agent as the panel shows it, in the lists of agents and in the header.

/** An agent to choose, or the one of the session. */
export interface ViewAgent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** The name of a codicon. */
  readonly icon?: string;
  /** The account that the agent works with. */
  readonly account?: string;
}
