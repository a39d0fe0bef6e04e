// The MCP server of the official SDK with the tools of one session.
import { McpServer } from "@modelcontextprotocol/server";
import type { MessageContext } from "../toolServer.ts";
import { reportProgress } from "./callProgress.ts";

const instructions =
  "Tools of the code editor in which the user works. They show what the user sees: text that is not saved yet, open editors, problems, changes that wait for review, and what language servers know. The annotations of a tool say whether it only reads. Before another one acts, the user is asked.";

/** A server for one request. It has the tools of one session. */
export function mcpServer({
  tools,
  version,
  clock,
  signal,
  onWarning,
}: Pick<MessageContext, "tools" | "version" | "clock" | "signal" | "onWarning">): McpServer {
  const server = new McpServer(
    { name: "parley", title: "Parley", version },
    { capabilities: { tools: {} }, instructions },
  );
  server.server.setRequestHandler("tools/list", () => ({
    tools: tools.descriptions.map(({ inputSchema, outputSchema, ...tool }) => ({
      ...tool,
      inputSchema: { ...inputSchema } as { type: "object" },
      outputSchema: { ...outputSchema } as { type: "object" },
    })),
  }));
  server.server.setRequestHandler("tools/call", async ({ params }, context) => {
    const ended = AbortSignal.any([signal, context.mcpReq.signal]);
    const progress = reportProgress({
      token: context.mcpReq._meta?.progressToken,
      notify: notification => context.mcpReq.notify(notification),
      ...{ clock, onWarning, signal: ended },
    });
    try {
      const { text, structured, isError } = await tools.call(params.name, params.arguments, ended);
      return {
        content: [{ type: "text", text }],
        ...(structured && { structuredContent: { ...structured } }),
        ...(isError && { isError }),
      };
    } finally {
      progress.dispose();
    }
  });
  return server;
}
