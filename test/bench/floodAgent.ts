// An agent that answers its first prompt with the lines of a file, as fast as the pipe accepts them: floodAgent.mjs
// <file>. Each line is a complete `session/update` of the session "flood".
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

const [file = ""] = process.argv.slice(2);

const answer = (id: unknown, result: unknown): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as { readonly id?: unknown; readonly method?: string };
  if (method === "initialize") answer(id, { protocolVersion: 1, agentCapabilities: {} });
  else if (method === "session/new") answer(id, { sessionId: "flood" });
  else if (method === "session/prompt") {
    // pipe() waits for room in the pipe.
    createReadStream(file)
      .on("end", () => answer(id, { stopReason: "end_turn" }))
      .pipe(process.stdout, { end: false });
  }
}
