// An agent on the official SDK that reports the MCP servers that it got when its session opened. Plain Node.
//   node mcpAgent.mjs [http] [sse]   the types of servers that it can use besides stdio
// A prompt "write <path> <text>" writes a file through Parley. A prompt "tool <name> <arguments as JSON>" calls a tool of the
// first server over HTTP, and shows the text of the result. It answers each other prompt with "The session has <count>
// servers: <names>." and the servers as JSON. Each variable also has its digest, because Parley hides secrets in what an
// agent says.
import { createHash, randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const digest = text => createHash("sha256").update(text).digest("hex");
const withDigests = ({ env, ...server }) => ({
  ...server,
  ...(env && { env: env.map(({ name, value }) => ({ name, value, digest: digest(value) })) }),
});

/** Calls a tool of the server, as an agent does. */
async function callTool({ url, headers }, name, given) {
  const client = new Client({ name: "mcp-agent", version: "1.0.0" });
  const requestInit = { headers: Object.fromEntries(headers.map(header => [header.name, header.value])) };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  try {
    const { content } = await client.callTool({ name, arguments: given });
    return content.map(({ text }) => text).join("\n");
  } finally {
    await client.close();
  }
}

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
    const say = text =>
      client.notify(methods.client.session.update, {
        sessionId: params.sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      });
    const [, tool, toolArguments] = /^tool (\w+) (\{.*\})$/s.exec(params.prompt[0]?.text ?? "") ?? [];
    if (tool !== undefined) {
      const server = given.find(({ type }) => type === "http");
      const result = server
        ? await callTool(server, tool, JSON.parse(toolArguments)).catch(error => `Failed: ${error.message}`)
        : "Failed: The session has no server over HTTP.";
      await say(`The tool ${tool} answered:\n\n\`\`\`\n${result}\n\`\`\``);
      return { stopReason: "end_turn" };
    }
    const names = given.map(({ name }) => name).join(", ") || "none";
    const text = `The session has ${given.length} servers: ${names}.\n\n\`\`\`\n${JSON.stringify(given.map(withDigests))}\n\`\`\``;
    await say(text);
    return { stopReason: "end_turn" };
  });

const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
void connection.closed.then(() => process.exit(0));
