// An agent on the official SDK that reports the MCP servers that it got when its session opened. Plain Node.
//   node mcpAgent.mjs [http] [sse]   the types of servers that it can use besides stdio
// A prompt "write <path> <text>" writes a file through Parley. It answers each other prompt with "The session has <count>
// servers: <names>." and the servers as JSON. Each variable also has its digest, because Parley hides secrets in what an
// agent says.
import { createHash, randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";

const digest = text => createHash("sha256").update(text).digest("hex");
const withDigests = ({ env, ...server }) => ({
  ...server,
  ...(env && { env: env.map(({ name, value }) => ({ name, value, digest: digest(value) })) }),
});

const types = process.argv.slice(2);
const servers = new Map();

const app = agent({ name: "mcp-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: "mcp-agent", title: "MCP Agent", version: "1.0.0" },
    agentCapabilities: {
      mcpCapabilities: { http: types.includes("http"), sse: types.includes("sse") },
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
    },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const sessionId = randomUUID();
    servers.set(sessionId, params.mcpServers);
    return { sessionId };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [, path, content] = /^write (\S+) (.*)$/s.exec(params.prompt[0]?.text ?? "") ?? [];
    if (path !== undefined)
      await client.request(methods.client.fs.writeTextFile, { sessionId: params.sessionId, path, content });
    const given = servers.get(params.sessionId);
    const names = given.map(({ name }) => name).join(", ") || "none";
    const text = `The session has ${given.length} servers: ${names}.\n\n\`\`\`\n${JSON.stringify(given.map(withDigests))}\n\`\`\``;
    await client.notify(methods.client.session.update, {
      sessionId: params.sessionId,
      update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
    });
    return { stopReason: "end_turn" };
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
void connection.closed.then(() => process.exit(0));
