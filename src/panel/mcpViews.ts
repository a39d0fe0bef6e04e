// The views of MCP servers and of their prompts.

/** A prompt in the list after `/`, or a server whose prompts are not known yet. */
export interface ViewPrompt {
  /** `server:prompt`. */
  readonly name: string;
  readonly description: string;
  readonly hint?: string;
  /** Choosing the row does this with the server, instead of using a prompt. `wait`: it starts already. */
  readonly action?: { readonly server: string; readonly kind: "allow" | "retry" | "wait" };
}

export interface ViewMcpServer {
  readonly name: string;
  /** The command line or the web address. */
  readonly detail: string;
  /** Whether agents get it in this session. */
  readonly on: boolean;
  /** The agent's session was opened with the other choice. */
  readonly pending?: true;
  /**
   * The state of Parley's own connection. `notStarted` and `notAllowed`: Parley asks before it starts the server. Agents
   * get the user's servers meanwhile (`notStarted`), but not those of the workspace (`notAllowed`).
   */
  readonly state: "notStarted" | "notAllowed" | "stopped" | "starting" | "ready" | "failed";
  /** Why it failed, or why the agent does not get it. A sentence. */
  readonly reason?: string;
}

/** What a server offers for a field of a form. `typed` is the text that the values complete. */
export interface ArgumentValues {
  readonly ask: string;
  readonly field: string;
  readonly typed: string;
  readonly values: readonly string[];
}
