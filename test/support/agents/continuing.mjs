// An agent whose sessions outlive its process, for tests of continuing a conversation. Plain Node.
//   node continuing.mjs <resumes|loads|forgets|expires> <file of the sessions> [tokens of its context] [file]
// `resumes` advertises session/resume, `loads` session/load, whose replay begins before the answer and ends after it, and
// `forgets` session/resume, which it refuses. A session of `expires` takes one prompt only. Each answer
// says how many prompts the session has, and whether the prompt came with more than its text. With tokens, the agent
// reports them and a cost after each prompt, and offers two modes. With a file, it answers nothing before the file exists.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const [, , kind, file, tokens, gate] = process.argv;
const sessions = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId, body) => send({ method: "session/update", params: { sessionId, update: body } });
const chunk = (author, text) => ({ sessionUpdate: `${author}_message_chunk`, content: { type: "text", text } });
const commands = { sessionUpdate: "available_commands_update", availableCommands: [{ name: "go", description: "Go" }] };

/** What the agent offers in a session. */
const modes = tokens && {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "plan", name: "Plan" },
  ],
};

function replay(sessionId, from, to) {
  for (const [prompt, answer] of sessions[sessionId].slice(from, to)) {
    update(sessionId, chunk("user", prompt));
    update(sessionId, chunk("agent", answer));
  }
}

const capabilities = {
  resumes: { sessionCapabilities: { resume: {} } },
  loads: { loadSession: true },
  forgets: { sessionCapabilities: { resume: {} } },
  expires: {},
};

const methods = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: capabilities[kind],
    agentInfo: { name: "lasting", version: "1" },
  }),
  "session/new": () => {
    const sessionId = randomUUID();
    sessions[sessionId] = [];
    return { sessionId, ...(modes && { modes }) };
  },
  "session/resume": ({ sessionId }) => {
    if (kind === "forgets" || !sessions[sessionId]) throw { code: -32002, message: "Resource not found" };
    return modes ? { modes } : {};
  },
  "session/set_mode": () => ({}),
  "session/load": ({ sessionId }) => {
    replay(sessionId, 0, 1);
    // The rest follows after the answer.
    setTimeout(() => {
      replay(sessionId, 1);
      update(sessionId, commands);
    }, 100);
    return modes ? { modes } : null;
  },
  "session/prompt": ({ sessionId, prompt }) => {
    const turns = sessions[sessionId];
    if (kind === "expires" && turns.length > 0) throw { code: -32602, message: `Session not found: ${sessionId}` };
    const answer = `Prompt ${turns.length + 1} of this session${prompt.length > 1 ? ", with the conversation" : ""}.`;
    turns.push([prompt[0].text, answer]);
    writeFileSync(file, JSON.stringify(sessions));
    update(sessionId, chunk("agent", answer));
    const cost = { amount: 0.5 * turns.length, currency: "USD" };
    if (tokens) update(sessionId, { sessionUpdate: "usage_update", used: Number(tokens), size: 200_000, cost });
    return { stopReason: "end_turn" };
  },
};

while (gate && !existsSync(gate)) await delay(20);

createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  try {
    const serve = methods[method];
    if (!serve) throw { code: -32601, message: "Method not found" };
    send({ id, result: serve(params) });
  } catch (error) {
    send({ id, error });
  }
});
