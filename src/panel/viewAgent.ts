// An agent as the panel shows it, in the lists of agents and in the header.

/** An agent to choose, or the one of the session. */
export interface ViewAgent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** The name of a codicon. */
  readonly icon?: string;
  /** The seconds after which the user is asked whether to wait longer for the agent to start. */
  readonly startTimeout?: number;
  /** The account that the agent works with. */
  readonly account?: string;
  /** The agent runs, and can sign the user out. */
  readonly canSignOut?: true;
}
