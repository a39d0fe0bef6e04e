// A well-behaved agent, built on the official SDK: repeats what it is told, and says how it was told.
// Bundle it, then run it with Node; it speaks ACP v1 over stdin and stdout.
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream, RequestError, type ContentBlock } from "@agentclientprotocol/sdk";

const sessions = new Set<string>();

const app = agent({ name: "echo-agent" })
  .onRequest("initialize", () => ({
    protocolVersion: 1,
    agentInfo: { name: "echo-agent", title: "Echo", version: "1.0.0" },
    agentCapabilities: { promptCapabilities: { image: true, audio: true, embeddedContext: true } },
  }))
  .onRequest("session/new", () => {
    const sessionId = randomUUID();
    sessions.add(sessionId);
    return { sessionId };
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const { sessionId, prompt } = params;
    if (!sessions.has(sessionId)) throw RequestError.resourceNotFound(sessionId);
    const messageId = randomUUID();
    for (const block of prompt) {
      const update = { sessionUpdate: "agent_message_chunk" as const, messageId, content: echoed(block) };
      await client.notify("session/update", { sessionId, update });
    }
    return { stopReason: "end_turn" };
  });

function echoed(block: ContentBlock): ContentBlock {
  return block.type === "text" ? { type: "text", text: `You said: ${block.text}` } : block;
}

const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const connection = app.connect(ndJsonStream(output, input));
void connection.closed.then(() => process.exit(0));
