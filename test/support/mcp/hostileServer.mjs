// An MCP server over stdio that misbehaves: `node hostileServer.mjs <behaviour> [revision]`. Without a behaviour it is
// honest, and speaks the revision. Written by hand, because no SDK sends such messages.
import { createInterface } from "node:readline";

const [behaviour = "honest", revision = "2025-06-18"] = process.argv.slice(2);
const script = "<img src=x onerror=alert(1)><script>alert(2)</script>";
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const prompt = (name, more = {}) => ({ name, description: `The prompt ${name}`, ...more });
const changed = { method: "notifications/prompts/list_changed" };

/** The pages of `prompts/list`, by the cursor. */
const pages = {
  honest: cursor => (cursor ? { prompts: [prompt("second")] } : { prompts: [prompt("first")], nextCursor: "2" }),
  huge: () => ({ prompts: Array.from({ length: 20_000 }, (_, at) => prompt(`p${at}`)) }),
  endless: cursor => ({ prompts: [prompt(`p${cursor}`)], nextCursor: String(Number(cursor ?? 0) + 1) }),
  repeating: () => ({ prompts: [prompt("again")], nextCursor: "again" }),
  malformed: () => ({ prompts: [{ name: 7 }, "x"] }),
  script: () => ({
    prompts: [
      {
        name: script,
        title: script,
        description: `${script} \u202E`,
        arguments: [{ name: script, description: script, required: true }],
      },
    ],
  }),
};

const handlers = {
  initialize: () => ({
    protocolVersion: revision,
    capabilities: { prompts: { listChanged: true }, ...(revision > "2025" && { completions: {} }) },
    serverInfo: { name: "hostile", version: "1" },
  }),
  "prompts/list": params => (pages[behaviour] ?? pages.honest)(params?.cursor),
  "prompts/get": params => {
    if (behaviour === "script")
      return { description: script, messages: [{ role: "user", content: { type: "text", text: script } }] };
    if (params.name === "invalid") throw { code: -32602, message: "Unknown prompt: invalid" };
    if (params.name === "internal") throw { code: -32603, message: "The database is down" };
    if (params.name === "malformed") return { messages: [{ role: "robot", content: "x" }] };
    return {
      messages: [
        { role: "user", content: { type: "text", text: JSON.stringify(params.arguments ?? {}) } },
        { role: "assistant", content: { type: "image", mimeType: "image/png", data: "AAAA" } },
      ],
    };
  },
  "completion/complete": params => ({ completion: { values: [JSON.stringify(params)] } }),
};

createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params } = JSON.parse(line);
  if (method === "server/discover") {
    if (behaviour === "exits") process.exit(1);
    if (behaviour === "silent") return;
  }
  if (behaviour === "noise") process.stdout.write("Listening for messages…\n{not json\n[]\n");
  if (behaviour === "slow" && method === "prompts/list") return;
  if (id === undefined) {
    if (behaviour === "storm" && method === "notifications/initialized")
      for (let at = 0; at < 5000; at++) send(changed);
    return;
  }
  const handler = handlers[method];
  if (!handler) return send({ id, error: { code: -32601, message: "Method not found" } });
  try {
    send({ id, result: handler(params) });
  } catch (error) {
    send({ id, error });
  }
});
