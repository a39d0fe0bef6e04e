// An agent that repeats every secret that it gets, in each field that it can send. Plain Node, no packages.
//   node tellingAgent.mjs [arguments that contain secrets]
// It needs a sign-in by the variable SIGN_IN_KEY. A secret is a text with the word of TELLING_MARK.
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const mark = process.env.TELLING_MARK ?? "no mark";
const secrets = new Set();

/** Collects the texts with the mark. */
function learn(value) {
  if (typeof value === "string") {
    if (value.includes(mark)) secrets.add(value);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      learn(name);
      learn(inner);
    }
  }
}
for (const [name, value] of Object.entries(process.env)) if (name !== "TELLING_MARK") learn(value);
learn(process.argv.slice(2));

/** Every secret, plain and encoded. */
const all = () =>
  [...secrets]
    .flatMap(secret => [
      secret,
      JSON.stringify({ secret }),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("base64"),
      Buffer.from(`me:${secret}`).toString("base64url"),
    ])
    .join(" | ");

const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const answer = (id, result) => send({ id, result });
const refuse = (id, code, message, data) => send({ id, error: { code, message, data } });
let sessionId = "";
const update = fields => send({ method: "session/update", params: { sessionId, update: fields } });
const text = words => ({ type: "text", text: words });
const say = (words, messageId, sessionUpdate = "agent_message_chunk") =>
  update({ sessionUpdate, messageId, content: text(words) });

/** Responses to our requests, by their id. */
const awaited = new Map();
function ask(method, params) {
  const id = randomUUID();
  const answered = new Promise(done => awaited.set(id, done));
  send({ id, method, params });
  return answered;
}

function tellOutside() {
  process.stderr.write(`stderr: ${all()}\n`);
  process.stdout.write(`not a message: ${all()}\n`);
}

async function tell() {
  const requestedSchema = { type: "object", properties: { password: { type: "string", title: "Password" } } };
  learn(await ask("elicitation/create", { sessionId, mode: "form", message: "The password?", requestedSchema }));
  tellOutside();
  const everything = all();
  update({ sessionUpdate: "session_info_update", title: everything });
  update({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "go", description: everything }] });
  say(everything, "whole");
  say(everything, "thought", "agent_thought_chunk");
  for (let at = 0; at < everything.length; at += 3) say(everything.slice(at, at + 3), "pieces");
  update({ sessionUpdate: "plan", entries: [{ content: everything, priority: "high", status: "pending" }] });
  const fields = { [everything]: everything, secrets: [...secrets] };
  update({
    ...{ sessionUpdate: "tool_call", toolCallId: "t1", title: everything, kind: "other", status: "pending" },
    ...{ rawInput: fields, content: [{ type: "content", content: text(everything) }] },
  });
  update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed", rawOutput: fields });
  say("All is told.", "last");
}

const handlers = {
  initialize: ({ id }) =>
    answer(id, {
      protocolVersion: 1,
      agentInfo: { name: "telling-agent", title: "Telling Agent", version: all() },
      agentCapabilities: { mcpCapabilities: { http: true } },
      authMethods: [
        { type: "env_var", id: "key", name: "Use a key", vars: [{ name: "SIGN_IN_KEY", label: "The key" }] },
      ],
    }),
  "session/new": ({ id, params }) => {
    learn(params);
    tellOutside();
    if (process.env.SIGN_IN_KEY === undefined) return refuse(id, -32000, "Authentication required", { details: all() });
    sessionId = randomUUID();
    answer(id, { sessionId });
  },
  "session/prompt": async ({ id, params }) => {
    const words = params.prompt.map(block => block.text ?? "").join("");
    if (words.includes("fail")) return refuse(id, -32603, `It failed: ${all()}`, { details: all() });
    if (words.includes("exit")) return process.stderr.write(`The end: ${all()}\n`, () => process.exit(3));
    await tell();
    answer(id, { stopReason: "end_turn" });
  },
};

tellOutside();
createInterface({ input: process.stdin }).on("line", line => {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    awaited.get(message.id)?.(message.result ?? message.error);
    awaited.delete(message.id);
  } else if (handlers[message.method]) void handlers[message.method](message);
  else if (message.id !== undefined) refuse(message.id, -32601, "Method not found");
});
