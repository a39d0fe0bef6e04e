// An agent on the official SDK that reports the MCP servers that it got when its session opened. Plain Node.
//   node mcpAgent.mjs [http] [sse] [acp]   the types of servers that it can use besides stdio
// A prompt "write <path> <text>" writes a file through Parley. A prompt "tool <name> <arguments as JSON>" calls a tool of
// Parley's server, in the way that the server has, and shows its progress and the text of the result. It answers each
// other prompt with "The session has <count> servers: <names>." and the servers as JSON. Each variable also has its digest,
// because Parley hides secrets in what an agent says.
import { createHash, randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import { agent, McpOverAcpCaller, methods, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const digest = text => createHash("sha256").update(text).digest("hex");
const withDigests = ({ env, ...server }) => ({
  ...server,
  ...(env && { env: env.map(({ name, value }) => ({ name, value, digest: digest(value) })) }),
});

const textOf = ({ content }) => content.map(({ text }) => text).join("\n");
const caller = new McpOverAcpCaller({ clientInfo: { name: "mcp-agent", version: "1.0.0" } });

/** How an agent reaches the server over HTTP, or starts it. */
function transportOf({ type, url, headers, command, args, env }) {
  if (type !== "http") return new StdioClientTransport({ command, args, env: named(env) });
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: named(headers) } });
}
const named = list => Object.fromEntries(list.map(({ name, value }) => [name, value]));

/** Calls a tool of the server, as an agent does. `onProgress` gets each notification of progress. */
async function callTool(server, name, given, { client, onProgress }) {
  const call = { name, arguments: given };
  if (server.type === "acp") {
    const asked = { ...call, _meta: { progressToken: 1 } };
    const { result, error } = await caller.request(client, server.serverId, "tools/call", asked, {
      onNotification: ({ method, params }) => method === "notifications/progress" && onProgress(params),
    });
    return error ? `Failed: ${error.message}` : textOf(result);
  }
  const mcp = new Client({ name: "mcp-agent", version: "1.0.0" });
  await mcp.connect(transportOf(server));
  try {
    return textOf(await mcp.callTool(call, { onprogress: onProgress, resetTimeoutOnProgress: true }));
  } finally {
    await mcp.close();
  }
}

const types = process.argv.slice(2);
const servers = new Map();

const app = agent({ name: "mcp-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentInfo: { name: "mcp-agent", title: "MCP Agent", version: "1.0.0" },
    agentCapabilities: {
      mcpCapabilities: Object.fromEntries(["http", "sse", "acp"].map(type => [type, types.includes(type)])),
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
    },
  }))
  .onNotification(methods.agent.mcp.message, caller.handleNotification)
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
      const server = given.find(({ name }) => name === "parley");
      const result = server
        ? await callTool(server, tool, JSON.parse(toolArguments), {
            client,
            onProgress: ({ progress, message }) => void say(`Progress ${progress}: ${message}\n\n`),
          }).catch(error => `Failed: ${error.message}`)
        : "Failed: The session has no server of Parley.";
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
