// What a new session takes over from the one whose conversation it continues.
import type { InitialChoices } from "../session/choices.ts";
import type { SessionState } from "../session/state.ts";

export interface TakenOver {
  /** The values of options, by their ids. */
  readonly choices?: InitialChoices["defaults"];
  /** The id of the session whose choices of MCP servers the new one has. */
  readonly serversOf: string;
}

/**
 * What a session with the agent takes over from the session with this id and state. The same agent keeps the mode, the
 * model and the other options that the user chose.
 */
export function takenOverFrom(id: string, { agent, choices }: SessionState, agentId: string | undefined): TakenOver {
  if (agentId === undefined || agentId !== agent?.id) return { serversOf: id };
  const kept = choices.filter(({ status }) => status !== "refused").map(choice => [choice.id, choice.value] as const);
  return { choices: Object.fromEntries(kept), serversOf: id };
}
