// An agent of version 2 of the protocol, built on the official SDK, for tests in the real editor. Plain Node; the SDK
// comes from the project's node_modules.
//   node sdkV2Agent.mjs [file of the sessions]
// With a file, sessions outlive the process. The words of a prompt decide what it does:
//   "tool"        a tool call with a terminal, whose output is streamed
//   "permission"  asks for permission to run a command
//   "background"  ends its turn while a tool call continues, which can be stopped
//   "hold"        does not accept the prompt until it is cancelled
//   "steer"       works until it gets a second prompt
//   "slow"        begins an answer, and finishes it while no client is connected
//   "future"      sends an update that no schema has
//   "forget"      forgets the session, unless it is the first prompt
//   "servers"     names the MCP servers that it got
//   anything else is repeated.
// It lists its sessions one a page, copies and deletes them.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { ndJsonStream, RequestError } from "@agentclientprotocol/sdk";
import { agent, methods } from "@agentclientprotocol/sdk/experimental/v2/unstable";

/** What runs in each session. */
const sessions = new Map();
const [, , file] = process.argv;
/** The updates of each session that a client can ask for again. */
const histories = file && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
const text = words => ({ type: "text", text: words });
const base64 = bytes => Buffer.from(bytes).toString("base64");

class Work {
  background = [];
  steered = () => {};
  returned = () => {};
  constructor(client, sessionId) {
    this.client = client;
    this.sessionId = sessionId;
  }
  update(sessionUpdate, fields) {
    if (sessionUpdate !== "state_update") this.keep({ sessionUpdate, ...fields });
    return this.send(sessionUpdate, fields);
  }
  keep(update) {
    (histories[this.sessionId] ??= []).push(update);
    if (file) writeFileSync(file, JSON.stringify(histories));
  }
  send(sessionUpdate, fields) {
    return this.client.notify(methods.client.session.update, {
      sessionId: this.sessionId,
      update: { sessionUpdate, ...fields },
    });
  }
  say(words, messageId = randomUUID()) {
    return this.update("agent_message_chunk", { messageId, content: text(words) });
  }
  state(state, fields = {}) {
    return this.update("state_update", { state, background: this.background, ...fields });
  }
}

/** The text of the first prompt of a session. */
const firstPrompt = sessionId =>
  histories[sessionId].find(({ sessionUpdate }) => sessionUpdate === "user_message")?.content[0].text;

/** Does what the prompt says, after it was accepted. */
async function work(turn, prompt) {
  await turn.state("running");
  let stopReason = "end_turn";
  if (prompt.includes("tool")) {
    const call = { toolCallId: randomUUID() };
    const terminalId = randomUUID();
    await turn.update("tool_call_update", {
      ...{ ...call, title: "Run the checks", kind: "execute", status: "in_progress" },
      content: [{ type: "terminal", terminalId }],
    });
    await turn.update("terminal_update", { terminalId, command: "npm test", cwd: "/w", size: { cols: 80, rows: 24 } });
    const bytes = Buffer.from("\u001b[32m2 passing ✔\u001b[0m\n");
    for (let at = 0; at < bytes.length; at += 7)
      await turn.update("terminal_output_chunk", { terminalId, data: base64(bytes.subarray(at, at + 7)) });
    await turn.update("terminal_update", { terminalId, exitStatus: { exitCode: 0 } });
    await turn.update("tool_call_update", { ...call, status: "completed" });
    await turn.say("The checks pass.");
  } else if (prompt.includes("permission")) {
    await turn.state("requires_action");
    const { outcome } = await turn.client.request(methods.client.session.requestPermission, {
      sessionId: turn.sessionId,
      title: "Publish the package?",
      description: "It can't be taken back.",
      subject: { type: "command", command: "npm publish", cwd: "/w" },
      options: [
        { optionId: "yes", name: "Allow", kind: "allow_once" },
        { optionId: "no", name: "Reject", kind: "reject_once" },
      ],
    });
    await turn.state("running");
    await turn.say(`You decided: ${outcome.optionId ?? outcome.outcome}.`);
  } else if (prompt.includes("background")) {
    const toolCallId = randomUUID();
    turn.background = [{ type: "tool_call", toolCallId }];
    await turn.update("tool_call_update", {
      ...{ toolCallId, title: "Serve the site", kind: "execute", status: "in_progress" },
      capabilities: { cancel: {} },
    });
    await turn.say("It is being served.");
  } else if (prompt.includes("steer")) {
    const more = await new Promise(resolve => (turn.steered = resolve));
    if (more === undefined) stopReason = "cancelled";
    else await turn.say(`Also: ${more}`);
  } else if (prompt.includes("future")) {
    await turn.send("weather_update", { sky: "grey", wind: { from: "west", speed: 3 } });
    await turn.say("It may rain.");
  } else if (prompt.includes("servers")) {
    await turn.say(`Servers: ${turn.servers.map(({ type, name }) => `${name} (${type})`).join(", ")}`);
  } else if (prompt.includes("slow")) {
    // The rest of the message is sent when the session is resumed.
    const messageId = randomUUID();
    await turn.say("Half of the answer. ", messageId);
    turn.keep({ sessionUpdate: "agent_message_chunk", messageId, content: text("The other half.") });
    return;
  } else await turn.say(`You said: ${prompt}`);
  await turn.state("idle", { stopReason });
}

const app = agent({ name: "sdk-v2-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 2,
    info: { name: "sdk-v2-agent", title: "SDK Agent 2", version: "1.0.0" },
    capabilities: { session: { mcp: { stdio: {} }, delete: {}, fork: {} } },
  }))
  .onRequest(methods.agent.session.list, ({ params }) => {
    const ids = Object.keys(histories);
    const at = Number(params.cursor ?? 0);
    const listed = ids.slice(at, at + 1).map(sessionId => ({
      ...{ sessionId, cwd: params.cwd, title: `Kept: ${firstPrompt(sessionId)}` },
    }));
    return { sessions: listed, nextCursor: at + 1 < ids.length ? String(at + 1) : null };
  })
  .onRequest(methods.agent.session.fork, ({ params, client }) => {
    const sessionId = randomUUID();
    histories[sessionId] = [...(histories[params.sessionId] ?? [])];
    const turn = new Work(client, sessionId);
    turn.servers = params.mcpServers ?? [];
    turn.hasPrompt = true;
    sessions.set(sessionId, turn);
    return { sessionId };
  })
  .onRequest(methods.agent.session.delete, ({ params }) => {
    delete histories[params.sessionId];
    if (file) writeFileSync(file, JSON.stringify(histories));
    return {};
  })
  .onRequest(methods.agent.session.close, ({ params }) => {
    sessions.get(params.sessionId)?.returned();
    sessions.get(params.sessionId)?.steered(undefined);
    sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(methods.agent.session.new, ({ params, client }) => {
    const sessionId = randomUUID();
    const turn = new Work(client, sessionId);
    turn.servers = params.mcpServers ?? [];
    sessions.set(sessionId, turn);
    return { sessionId };
  })
  .onRequest(methods.agent.session.resume, async ({ params, client }) => {
    const { sessionId, replayFrom } = params;
    const history = histories[sessionId];
    if (!history) throw new RequestError(-32002, "Session not found.", { sessionId });
    const turn = new Work(client, sessionId);
    turn.servers = params.mcpServers ?? [];
    turn.hasPrompt = true;
    sessions.set(sessionId, turn);
    if (replayFrom) for (const { sessionUpdate, ...fields } of history) await turn.send(sessionUpdate, fields);
    await turn.state("idle", { stopReason: "end_turn" });
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, signal }) => {
    const turn = sessions.get(params.sessionId);
    const prompt = params.prompt.map(block => block.text ?? "").join("");
    if (prompt.includes("forget") && turn.hasPrompt)
      throw new RequestError(-32002, "Session not found.", { sessionId: params.sessionId });
    turn.hasPrompt = true;
    if (prompt.includes("hold")) {
      await new Promise(resolve => {
        turn.returned = resolve;
        signal.addEventListener("abort", resolve);
      });
      throw new RequestError(-32800, "The prompt was cancelled.");
    }
    const messageId = randomUUID();
    await turn.update("user_message", { messageId, content: params.prompt });
    if (turn.isSteerable) {
      turn.isSteerable = false;
      turn.steered(prompt);
    } else {
      turn.isSteerable = prompt.includes("steer");
      // The answer goes out first.
      setImmediate(() => void work(turn, prompt));
    }
    return { messageId };
  })
  .onRequest(methods.agent.toolCall.cancel, async ({ params }) => {
    const turn = sessions.get(params.sessionId);
    // The SDK can handle the request to close the session first.
    if (!turn) return {};
    setImmediate(async () => {
      await turn.update("tool_call_update", { toolCallId: params.toolCallId, status: "cancelled", capabilities: null });
      turn.background = [];
      await turn.state("idle");
    });
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    const turn = sessions.get(params.sessionId);
    turn.isSteerable = false;
    turn.returned();
    turn.steered(undefined);
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
void connection.closed.then(() => process.exit(0));
