// An agent that takes servers over HTTP and writes those of its session into servers.json, beside the workspace. Plain Node.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const answers = {
  initialize: () => ({
    protocolVersion: 1,
    agentCapabilities: { mcpCapabilities: { http: true } },
  }),
  "session/new": ({ cwd, mcpServers }) => {
    writeFileSync(join(dirname(cwd), "servers.json"), JSON.stringify(mcpServers));
    return { sessionId: "tools" };
  },
  "session/prompt": () => ({ stopReason: "end_turn" }),
};

createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
});
