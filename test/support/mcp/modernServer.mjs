// An MCP server on the 2.x SDK, which speaks the newest revision: `node modernServer.mjs [stdio|http]`. With http, it
// prints its port as the first line.
import { createServer } from "node:http";
import { McpServer, acceptedContent, completable, createMcpHandler, inputRequired } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod/v4";

function build() {
  const server = new McpServer(
    { name: "modern", version: "1.0.0" },
    { capabilities: { prompts: { listChanged: true } } },
  );
  server.registerPrompt(
    "review",
    {
      title: "Review",
      description: "Reviews a file",
      argsSchema: z.object({
        language: completable(z.string(), value => ["TypeScript", "TOML"].filter(each => each.startsWith(value))),
        style: z.string().optional(),
      }),
    },
    ({ language, style }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Review this ${language} file. ${style ?? ""}` } }],
    }),
  );
  for (const [name, content] of [
    ["text", { mimeType: "text/plain", text: "inside" }],
    ["blob", { blob: "CCCC" }],
  ]) {
    const uri = `demo://${name}`;
    server.registerResource(name, uri, {}, () => ({ contents: [{ uri, ...content }] }));
  }
  server.registerPrompt("grow", { description: "Adds a prompt" }, () => {
    server.registerPrompt("grown", { description: "Was added" }, () => ({ messages: [] }));
    return { messages: [{ role: "user", content: { type: "text", text: "There is one more." } }] };
  });
  server.registerPrompt("kinds", { description: "Every kind of content" }, () => ({
    messages: [
      { type: "text", text: "words", annotations: { audience: ["user", "assistant"], priority: 0.5 } },
      { type: "image", mimeType: "image/png", data: "AAAA", annotations: { priority: 1 } },
      { type: "audio", mimeType: "audio/wav", data: "BBBB" },
      {
        type: "resource",
        resource: { uri: "demo://text", mimeType: "text/plain", text: "inside" },
        annotations: { audience: ["assistant"], lastModified: "2026-01-01T00:00:00Z" },
      },
      { type: "resource", resource: { uri: "demo://blob", blob: "CCCC" } },
      {
        ...{ type: "resource_link", uri: "demo://link", name: "link", title: "A link", description: "far" },
        ...{ mimeType: "text/plain", size: 12, annotations: { priority: 0 } },
      },
    ].map((content, at) => ({ role: at === 0 ? "assistant" : "user", content })),
  }));
  server.registerPrompt("ask", { description: "Asks for a ticket first" }, async context => {
    const schema = z.object({ ticket: z.string() });
    const given = acceptedContent(context.mcpReq.inputResponses, "ticket", schema);
    if (!given)
      return inputRequired({
        inputRequests: { ticket: inputRequired.elicit({ message: "Which ticket?", requestedSchema: schema }) },
      });
    return { messages: [{ role: "user", content: { type: "text", text: `Fix ticket ${given.ticket}.` } }] };
  });
  return server;
}

if (process.argv[2] === "http") {
  const handler = createMcpHandler(build);
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", chunk => chunks.push(chunk));
    request.on("end", async () => {
      const body = Buffer.concat(chunks);
      const init = { method: request.method, headers: request.headers, ...(body.length > 0 && { body }) };
      const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, init));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const part of answer.body ?? []) response.write(part);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
} else serveStdio(build);
