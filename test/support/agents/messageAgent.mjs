// An agent on the official SDK that is asked for a commit message: it first tries everything that it must not do, and writes
// into a file what came of it. Plain Node; the SDK comes from the project's node_modules.
//   node messageAgent.mjs <log file> [--waits]
// With --waits it writes a part of the message and then waits until it is cancelled. The log has a line of JSON for each
// session that began, each attempt, each cancellation, and each session that was deleted.
import { randomUUID } from "node:crypto";
import { appendFileSync, readdirSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const [logFile = "", ...flags] = process.argv.slice(2);
const waits = flags.includes("--waits");
const note = line => appendFileSync(logFile, `${JSON.stringify(line)}\n`);

/** What ends the turn of each session. */
const turns = new Map();

const app = agent({ name: "message-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: "message-agent", title: "Message Agent", version: "1.0.0" },
    agentCapabilities: { sessionCapabilities: { delete: {}, list: {} } },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    note({ began: readdirSync(params.cwd), servers: params.mcpServers.length });
    return { sessionId: randomUUID() };
  })
  .onRequest("session/delete", ({ params }) => {
    note({ deleted: turns.has(params.sessionId) });
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const stop = new AbortController();
    turns.set(sessionId, stop);
    const text = prompt.map(block => block.text ?? "").join("");
    note({ prompt: text });
    const attempt = async (method, more) => {
      const outcome = await client.request(method, { sessionId, ...more }).then(
        result => result.outcome ?? result.action ?? "done",
        error => `refused: ${error.message}`,
      );
      note({ attempt: method, outcome });
    };
    const update = fields => client.notify(methods.client.session.update, { sessionId, update: fields });
    const call = { toolCallId: "t", title: "Edit a file", kind: "edit", status: "pending" };
    await update({ sessionUpdate: "tool_call", ...call });
    await attempt("session/request_permission", {
      toolCall: call,
      options: [
        { optionId: "yes", name: "Allow", kind: "allow_once" },
        { optionId: "no", name: "Reject", kind: "reject_once" },
      ],
    });
    await update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed" });
    await attempt("fs/read_text_file", { path: logFile });
    await attempt("fs/write_text_file", { path: logFile, content: "" });
    await attempt("terminal/create", { command: "true" });
    for (const method of ["output", "wait_for_exit", "kill", "release"])
      await attempt(`terminal/${method}`, { terminalId: "1" });
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    await attempt("elicitation/create", { mode: "form", message: "Your name?", requestedSchema });
    const address = { mode: "url", message: "Open it", elicitationId: "e", url: "https://example.com" };
    await attempt("elicitation/create", address);
    const messageId = randomUUID();
    const words = waits ? ["Describe ", "a part"] : ["```\n", "Describe ", "the change\n", "\n", "It is new.\n", "```"];
    for (const word of words) {
      await update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text: word } });
      await sleep(20);
    }
    if (waits && !stop.signal.aborted)
      await new Promise(resolve => stop.signal.addEventListener("abort", resolve, { once: true }));
    return {
      stopReason: stop.signal.aborted ? "cancelled" : "end_turn",
      usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
    };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    note({ cancelled: true });
    turns.get(params.sessionId)?.abort();
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
void connection.closed.then(() => process.exit(0));
