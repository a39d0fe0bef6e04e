// A long turn as lines of the wire: text, thoughts, tool calls and their updates, a plan, usage; all of one length.

/** This many `session/update` lines of this many bytes each, including the line feed, for the session "flood". */
export function floodLines(count: number, bytes: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, n) => Buffer.from(line(n, count, bytes))));
}

function line(n: number, count: number, bytes: number): string {
  const write = (fill: string): string => {
    const update =
      n === count - 1 ? { sessionUpdate: "session_info_update", title: `Update ${n}`, fill } : updateOf(n, fill);
    return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "flood", update } })}\n`;
  };
  return write("x".repeat(bytes - write("").length));
}

/** Twenty updates are one step: thoughts, text, and a tool call from its announcement to its end. */
function updateOf(n: number, fill: string): Readonly<Record<string, unknown>> {
  const step = Math.floor(n / 20);
  const toolCallId = `call-${step}`;
  const text = { type: "text", text: fill };
  const at = n % 20;
  if (at < 4) return { sessionUpdate: "agent_thought_chunk", content: text };
  if (at < 14) return { sessionUpdate: "agent_message_chunk", content: text };
  switch (at) {
    case 14:
      return { sessionUpdate: "tool_call", toolCallId, title: `Step ${step}`, kind: "read", rawInput: { path: fill } };
    case 15:
    case 16:
      return { sessionUpdate: "tool_call_update", toolCallId, content: [{ type: "content", content: text }] };
    case 17:
      return { sessionUpdate: "tool_call_update", toolCallId, status: "completed", rawOutput: { text: fill } };
    case 18:
      return { sessionUpdate: "plan", entries: [{ content: fill, priority: "high", status: "in_progress" }] };
    default:
      return { sessionUpdate: "usage_update", used: n, size: 200_000, _meta: { fill } };
  }
}
