// An agent that puts the same text into every field that the editor shows. Plain Node, no packages.
//   node hostileTexts.mjs <file with the text> [file to wait for before the start]
// The prompt says what it does: `ask` requests permission for a command with the text as its title once the file `go` exists, `edit` writes a
// file whose name and content have the text, `title` names the session, `fail` refuses the prompt. Requests for a list
// or a deletion of sessions are answered with the text, too. Every start writes the text to stderr.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [, , file = "", startFile] = process.argv;
const text = readFileSync(file, "utf8");
/** The part of the text that a file name can have. */
const name = text.split(/[\n\r/]/)[0].slice(0, 200);
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId, body) => send({ method: "session/update", params: { sessionId, update: body } });
const content = [{ type: "content", content: { type: "text", text } }];
const folders = new Map();
const waiting = new Map();

process.stderr.write(`${text}\n`);

async function exists(path) {
  while (!existsSync(path)) await new Promise(resolve => setTimeout(resolve, 20));
}

/** Sends a request and resolves with its result. */
function ask(method, params) {
  const id = randomUUID();
  send({ id, method, params });
  return new Promise(resolve => waiting.set(id, resolve));
}

const actions = {
  async ask(sessionId) {
    await exists(join(folders.get(sessionId), "go"));
    // Parley offers no rule for a command that it cannot fully parse.
    const rawInput = { command: `echo '${name.split(" ").slice(0, 2).join(" ")}'` };
    const toolCall = { toolCallId: randomUUID(), title: text, kind: "execute", status: "pending", content, rawInput };
    update(sessionId, { sessionUpdate: "tool_call", ...toolCall });
    const options = [
      { optionId: "yes", name: text, kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ];
    await ask("session/request_permission", { sessionId, toolCall, options });
    return { stopReason: "end_turn" };
  },
  edit(sessionId) {
    const path = join(folders.get(sessionId), `${name}.txt`);
    writeFileSync(path, `${text}\n`);
    const toolCall = {
      toolCallId: randomUUID(),
      title: text,
      kind: "edit",
      status: "completed",
      locations: [{ path }],
    };
    update(sessionId, { sessionUpdate: "tool_call", ...toolCall });
    return { stopReason: "end_turn" };
  },
  async run(sessionId) {
    const { terminalId } = await ask("terminal/create", { sessionId, command: "echo", args: [text] });
    const toolCall = { toolCallId: randomUUID(), title: text, kind: "execute", status: "in_progress" };
    update(sessionId, { sessionUpdate: "tool_call", ...toolCall, content: [{ type: "terminal", terminalId }] });
    await ask("terminal/wait_for_exit", { sessionId, terminalId });
    return { stopReason: "end_turn" };
  },
  title(sessionId) {
    update(sessionId, { sessionUpdate: "session_info_update", title: text });
    return { stopReason: "end_turn" };
  },
  fail() {
    throw { code: -32603, message: text };
  },
};

const methods = {
  initialize: async () => {
    if (startFile) await exists(startFile);
    return {
      protocolVersion: 1,
      agentInfo: { name: "hostile", title: text, version: text },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, delete: {} } },
      authMethods: [{ id: "login", name: text, description: text }],
    };
  },
  authenticate: () => ({}),
  "session/new": ({ cwd }) => {
    const sessionId = randomUUID();
    folders.set(sessionId, cwd);
    const modes = { currentModeId: "one", availableModes: [{ id: "one", name: text, description: text }] };
    const availableCommands = [{ name, description: text }];
    setTimeout(() => update(sessionId, { sessionUpdate: "available_commands_update", availableCommands }), 0);
    return { sessionId, modes };
  },
  "session/list": ({ cwd }) => ({ sessions: [{ sessionId: text, cwd, title: text }] }),
  "session/load": () => {
    throw { code: -32603, message: text };
  },
  "session/delete": () => {
    throw { code: -32603, message: text };
  },
  "session/prompt": ({ sessionId, prompt }) => {
    const words = prompt[0].text.trim();
    return (actions[words] ?? actions.title)(sessionId);
  },
};

createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    waiting.get(id)?.(result);
    return;
  }
  if (id === undefined) return;
  Promise.resolve()
    .then(() => {
      const serve = methods[method];
      if (!serve) throw { code: -32601, message: "Method not found" };
      return serve(params);
    })
    .then(
      answer => send({ id, result: answer }),
      error => send({ id, error: error instanceof Error ? { code: -32603, message: error.message } : error }),
    );
});
