// An agent that reads a page of the conversation before, for tests of conversations that are too long for a prompt. Plain
// Node.
//   node pageReader.mjs
// It answers each prompt with 50,000 characters that name the number of the question. If the prompt names pages, it reads the second one through the client, then a
// file beside the folder of the pages, and answers with what it got.
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const pending = new Map();
let nextId = 0;
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const request = (method, params) =>
  new Promise(resolve => {
    const id = nextId++;
    pending.set(id, resolve);
    send({ id, method, params });
  });
const say = (sessionId, text) =>
  send({
    method: "session/update",
    params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
  });
const read = async (sessionId, path) => {
  const { result, error } = await request("fs/read_text_file", { sessionId, path });
  return error ? `error: ${error.message}` : result.content;
};

const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "reader", version: "1" } }),
  "session/new": () => ({ sessionId: randomUUID() }),
  "session/prompt": async ({ sessionId, prompt }) => {
    const texts = prompt.map(({ text = "" }) => text).join("\n");
    const path = /^- (.*-page-2-of-\d+\.md)$/m.exec(texts)?.[1];
    if (path === undefined) {
      const number = /question (\d+)/.exec(texts)?.[1] ?? "";
      say(sessionId, `${`Walrus ${number} is a fact.\n`.repeat(2500)}Answer ${number} ends.`);
      return { stopReason: "end_turn" };
    }
    const page = await read(sessionId, path);
    const [title] = page.split("\n");
    const facts = [...new Set(page.match(/Walrus \d+/g))].join(", ");
    say(sessionId, `I read ${title.slice(title.lastIndexOf("page"))} with ${facts}.\n\n`);
    const other = await read(sessionId, join(dirname(dirname(path)), "other", "conversation-page-1-of-1.md"));
    say(sessionId, `The other file: ${other.slice(0, 200)}`);
    return { stopReason: "end_turn" };
  },
};

createInterface({ input: process.stdin }).on("line", async line => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) {
    pending.get(id)?.({ result, error });
    pending.delete(id);
    return;
  }
  if (id === undefined) return;
  const serve = methods[method];
  send(serve ? { id, result: await serve(params) } : { id, error: { code: -32601, message: "Method not found" } });
});
