// The card of a sub-agent in the conversation, which has the id of its session. The same in all protocol versions.

/** The id of the card of a sub-agent. */
export const subAgentCard = (sessionId: string): string => `subagent:${sessionId}`;

/** The session of the sub-agent whose card this is. Undefined for any other tool call. */
export const subAgentOfCard = (toolCallId: string): string | undefined =>
  toolCallId.startsWith("subagent:") ? toolCallId.slice("subagent:".length) : undefined;
