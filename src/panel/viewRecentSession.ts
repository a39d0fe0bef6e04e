// A session that an empty conversation offers to continue, as a panel shows it.

/** A session that an empty chat offers to continue. */
export interface ViewRecentSession {
  readonly id: string;
  readonly title: string;
  readonly agentName: string;
  /** The name of the codicon of its agent. */
  readonly icon?: string;
  /** The time of the last change, in ms since the epoch. */
  readonly updated?: number;
  readonly status: "waiting" | "working" | "failed" | "interrupted" | "idle";
  readonly isUnread?: true;
}
