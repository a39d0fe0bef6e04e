// One message of each kind that an agent of version 2 sends, as the start of random changes.

const text = (words: string): object => ({ type: "text", text: words });
const base64 = (words: string): string => Buffer.from(words).toString("base64");

/** Updates of the session and of its sub-agent, and requests of the agent. */
export function version2Messages(sessionId: string): readonly object[] {
  const updates = [
    { sessionUpdate: "user_message_chunk", messageId: "u", content: text("Hi") },
    { sessionUpdate: "user_message", messageId: "u", content: [text("Hi")] },
    { sessionUpdate: "agent_message_chunk", messageId: "m", content: text("Hello") },
    { sessionUpdate: "agent_message", messageId: "m", content: [text("Hello"), { type: "_video", url: "x" }] },
    { sessionUpdate: "agent_thought_chunk", messageId: "th", content: text("Hm") },
    { sessionUpdate: "agent_thought", messageId: "th", content: null, _meta: { a: { parentToolUseId: "t" } } },
    { sessionUpdate: "state_update", state: "running", background: [{ type: "tool_call", toolCallId: "t" }] },
    { sessionUpdate: "state_update", state: "idle", stopReason: "error", error: { code: 1, message: "No" } },
    { sessionUpdate: "state_update", state: "requires_action", background: [{ type: "terminal", terminalId: "x" }] },
    { sessionUpdate: "state_change", state: "idle", stop_reason: "max_tokens", usage: { totalTokens: 3 } },
    {
      ...{ sessionUpdate: "tool_call_update", toolCallId: "t", name: "bash", title: "Run", kind: "execute" },
      ...{ status: "in_progress", rawInput: { command: "ls" }, rawOutput: "x", capabilities: { cancel: {} } },
      content: [
        { type: "content", content: text("out") },
        { type: "terminal", terminalId: "x" },
        {
          type: "diff",
          changes: [{ operation: "move", oldPath: "/w/a", path: "/w/b" }],
          patch: { format: "git_patch", text: "diff --git a/a b/b" },
        },
      ],
      locations: [{ path: "/w/a", line: 3 }],
    },
    { sessionUpdate: "tool_call_content_chunk", toolCallId: "t", content: { type: "content", content: text("more") } },
    {
      ...{ sessionUpdate: "terminal_update", terminalId: "x", command: "ls", cwd: "/w" },
      ...{ output: { data: base64("all") }, exitStatus: { exitCode: 1, signal: null }, size: { cols: 80, rows: 24 } },
    },
    { sessionUpdate: "terminal_output_chunk", terminalId: "x", data: base64("\u001b[31m€") },
    {
      sessionUpdate: "plan_update",
      plan: { type: "items", planId: "p", entries: [{ content: "One", priority: "high", status: "pending" }] },
    },
    { sessionUpdate: "plan_update", plan: { type: "markdown", planId: "q", content: "# Plan" } },
    { sessionUpdate: "plan_removed", planId: "q" },
    { sessionUpdate: "_weather", sky: { clouds: 3 } },
    {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ type: "command", name: "go", description: "Go", input: { type: "text", hint: "x" } }],
    },
    {
      sessionUpdate: "config_option_update",
      configOptions: [
        {
          configId: "m",
          name: "M",
          type: "select",
          currentValue: "a",
          options: [{ groupId: "g", name: "G", options: [{ value: "a", name: "A" }] }],
        },
        { configId: "b", name: "B", type: "boolean", currentValue: true },
      ],
    },
    { sessionUpdate: "session_info_update", title: "T", updatedAt: "2026-01-01T00:00:00Z" },
    { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 1, currency: "EUR" } },
    { sessionUpdate: "notice", severity: "warning", title: "Careful", description: "Really" },
    { sessionUpdate: "compaction_update", compactionId: "c", status: "completed", summary: [text("s")], error: null },
    { sessionUpdate: "compaction_summary_chunk", compactionId: "c", content: text("s") },
    {
      sessionUpdate: "subagent_update",
      sessionId: "child",
      title: "Helper",
      capabilities: { cancel: {} },
      state: { state: "running" },
    },
    { sessionUpdate: "session_message", messageId: "sm", recipientSessionId: "child", content: [text("Look")] },
    { sessionUpdate: "session_message_chunk", messageId: "sm", content: text("more") },
    { sessionUpdate: "_vendor", anything: [1, { a: null }] },
  ];
  const notification =
    (to: string) =>
    (update: object): object => ({
      method: "session/update",
      params: { sessionId: to, update },
    });
  const options = [{ optionId: "y", name: "Yes", kind: "allow_once" }];
  const toolCall = { toolCallId: "t", title: "Run" };
  const ask = (subject: object): object => ({
    ...{ id: "ask", method: "session/request_permission" },
    params: { sessionId, title: "May I?", description: "Because", subject, options },
  });
  return [
    ...updates.map(notification(sessionId)),
    ...updates.map(notification("child")),
    ask({ type: "tool_call", toolCall }),
    ask({ type: "command", command: "ls", cwd: "/w", toolCallId: "t", terminalId: "x" }),
    ask({ type: "_future" }),
    {
      ...{ id: "form", method: "elicitation/create" },
      params: {
        sessionId,
        mode: "form",
        message: "Which?",
        requestedSchema: { type: "object", properties: { a: { type: "string" } } },
      },
    },
    { method: "elicitation/complete", params: { elicitationId: "e" } },
    { method: "auth/status_update", params: { state: "authenticated", accounts: [{ label: "me" }] } },
    { method: "$/cancel_request", params: { requestId: "ask" } },
  ];
}
