// An MCP server that requires a sign-in, with the authorization server and the middleware of the official SDK.
import { createServer, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { everything } from "./servers.ts";

/** The packages of the published server of the MCP project. */
const load = createRequire(everything);

/** The authorization server of the official SDK, with its middleware before a server. */
export async function startOfficialServer(): Promise<{ readonly url: string; close(): Promise<void> }> {
  type Handler = (request: unknown, response: ServerResponse, next: () => void) => void;
  interface App {
    use(...handlers: unknown[]): void;
    all(path: string, ...handlers: unknown[]): void;
    (request: unknown, response: unknown): void;
  }
  const express = load("express") as () => App;
  const { mcpAuthRouter, getOAuthProtectedResourceMetadataUrl } = load(
    "@modelcontextprotocol/sdk/server/auth/router.js",
  ) as {
    mcpAuthRouter(options: object): Handler;
    getOAuthProtectedResourceMetadataUrl(url: URL): string;
  };
  const { requireBearerAuth } = load("@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js") as {
    requireBearerAuth(options: object): Handler;
  };
  const { DemoInMemoryAuthProvider } = load(
    "@modelcontextprotocol/sdk/examples/server/demoInMemoryOAuthProvider.js",
  ) as {
    DemoInMemoryAuthProvider: new () => object;
  };
  const app = express();
  const server = createServer(app);
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const provider = new DemoInMemoryAuthProvider();
  const resource = new URL("/mcp", base);
  app.use(mcpAuthRouter({ provider, issuerUrl: base, resourceServerUrl: resource, scopesSupported: ["mcp:tools"] }));
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource);
  app.all(
    "/mcp",
    requireBearerAuth({ verifier: provider, requiredScopes: [], resourceMetadataUrl }),
    (_: unknown, response: ServerResponse) => {
      response.writeHead(405);
      response.end();
    },
  );
  return {
    url: resource.href,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
