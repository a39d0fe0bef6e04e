// An agent whose sessions share its process and write at the same time. Plain Node, no packages. Prompts:
//   stream   100 chunks a second, each with the time of its writing
//   flood    chunks as fast as the pipe accepts them. With an IPC channel, reports how many, whenever the pipe is full
//   stop     ends what streams and floods
//   long     10,000 updates
//   short    20 updates
//   begin    20 updates, and then nothing until the prompt "stop"
//   large    40 chunks of a megabyte
//   anything else is repeated
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { chunksPerSecond, longUpdates, longWords, shortUpdates } from "./streamWords.mjs";

let sessions = 0;
/** Counts the prompts "stop". */
let stops = 0;

/** Resolves when the pipe has room. Returns nothing if it has room now. */
function write(message) {
  if (!process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`))
    return once(process.stdout, "drain");
}
const update = (sessionId, fields) => write({ method: "session/update", params: { sessionId, update: fields } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

async function stream(session) {
  const started = performance.now();
  for (let written = 0, from = stops; from === stops; await wait(2)) {
    const due = Math.floor(((performance.now() - started) / 1000) * chunksPerSecond);
    for (; written < due; written++) {
      const now = Math.round(performance.timeOrigin + performance.now());
      await say(session, `t${now}${written % 20 === 19 ? ".\n\n" : " "}`);
    }
  }
}

async function flood(session) {
  for (let written = 1, from = stops; from === stops; written++) {
    const room = say(session, written % 40 === 0 ? "flood.\n\n" : "flood ");
    if (room) process.send?.(written);
    await room;
    // Prompts must be read.
    if (written % 200 === 0) await wait(0);
  }
}

async function work(session, updates) {
  for (let n = 0; n < updates; n++) {
    if (n % 5 === 0) {
      const content = [{ type: "content", content: { type: "text", text: `line ${n} `.repeat(20) } }];
      const call = { toolCallId: `t${n}-${Math.random()}`, title: `Read file ${n}`, kind: "read", status: "completed" };
      await update(session, { sessionUpdate: "tool_call", ...call, content });
    } else await say(session, `Twelve words of text for update number ${n}, which is not short. `);
  }
}

const prompts = {
  stream,
  flood,
  stop: () => void stops++,
  short: session => work(session, shortUpdates),
  async begin(session) {
    const from = stops;
    await work(session, shortUpdates);
    while (from === stops) await wait(2);
  },
  async long(session) {
    await work(session, longUpdates - 1);
    await say(session, longWords);
  },
  async large(session) {
    for (let n = 0; n < 40; n++) await say(session, "x".repeat(1024 * 1024));
  },
};

async function answer({ id, method, params }) {
  if (method === "initialize") await write({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") await write({ id, result: { sessionId: `stream-${++sessions}` } });
  else if (method === "session/prompt") {
    const text = params.prompt[0]?.text?.trim();
    await (Object.hasOwn(prompts, text) ? prompts[text](params.sessionId) : say(params.sessionId, text));
    await write({ id, result: { stopReason: "end_turn" } });
  } else if (id !== undefined) await write({ id, error: { code: -32601, message: "Unknown method" } });
}

for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line));
