// An MCP server over HTTP that requires a sign-in, with its authorization server, on 127.0.0.1. A test changes what single
// paths answer, to play a hostile one. `browse` does what the browser of a user who agrees does.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

/** A request that a server got. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Answer = (request: SeenRequest, response: ServerResponse) => void;

const sendJson = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};

/** One HTTP server on 127.0.0.1. */
class LoopbackServer {
  readonly requests: SeenRequest[] = [];
  /** Answers in place of the usual ones, by path. */
  readonly instead = new Map<string, Answer>();
  readonly #server: Server;
  url = "";

  constructor(answer: Answer) {
    this.#server = createServer((request, response) => {
      read(request)
        .then(seen => {
          this.requests.push(seen);
          (this.instead.get(seen.path.split("?")[0] ?? "") ?? answer)(seen, response);
        })
        .catch(() => response.destroy());
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** The bodies of the requests to a path, as forms. */
  forms(path: string): readonly URLSearchParams[] {
    return this.requests.filter(each => each.path === path).map(({ body }) => new URLSearchParams(body));
  }
}

async function read(request: IncomingMessage): Promise<SeenRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const { method = "", url = "", headers } = request;
  return { method, path: url, authorization: headers.authorization, body: Buffer.concat(chunks).toString() };
}

function mcpServer(): McpServer {
  const server = new McpServer({ name: "authorized", version: "1.0.0" });
  server.registerPrompt("secret", { description: "Only after a sign-in" }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "You are signed in." } }],
  }));
  return server;
}

/** The MCP server and its authorization server, which are at different addresses. */
export class AuthorizedServer {
  readonly resource = new LoopbackServer((request, response) => void this.#answerResource(request, response));
  readonly authorization = new LoopbackServer((request, response) => this.#answerAuthorization(request, response));
  /** The tokens that the MCP server takes. */
  readonly accessTokens = new Set<string>();
  readonly refreshTokens = new Set<string>();
  /** The lifetime of tokens (seconds). */
  lifetime = 3600;
  /** Parts of the metadata of the authorization server that differ. Undefined removes one. */
  metadata: Readonly<Record<string, unknown>> = {};
  /** Parts of the answers with tokens that differ. */
  tokens: Readonly<Record<string, unknown>> = {};
  /** Parts of the address to which the browser goes back that differ. Undefined removes one. */
  redirect: Readonly<Record<string, string | undefined>> = {};
  readonly #codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>();
  readonly #handler = createMcpHandler(mcpServer);

  /** Starts both servers. */
  static async start(): Promise<AuthorizedServer> {
    const server = new AuthorizedServer();
    await server.resource.listen();
    await server.authorization.listen();
    return server;
  }

  /** The address of the MCP server. */
  get url(): string {
    return `${this.resource.url}/mcp`;
  }

  async close(): Promise<void> {
    await this.resource.close();
    await this.authorization.close();
  }

  async #answerResource({ method, path, authorization, body }: SeenRequest, response: ServerResponse): Promise<void> {
    if (path === "/.well-known/oauth-protected-resource/mcp")
      return sendJson(response, {
        resource: this.url,
        authorization_servers: [this.authorization.url],
        scopes_supported: ["prompts:read"],
      });
    if (path !== "/mcp") return sendJson(response, {}, 404);
    const [, token = ""] = /^Bearer (.*)$/.exec(authorization ?? "") ?? [];
    if (!this.accessTokens.has(token)) {
      const metadata = `${this.resource.url}/.well-known/oauth-protected-resource/mcp`;
      response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}", scope="prompts:read"`);
      return sendJson(response, { error: "invalid_token" }, 401);
    }
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = new Request(this.url, { method, headers, ...(body !== "" && { body }) });
    const answered = await this.#handler.fetch(request);
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    for await (const part of (answered.body ?? []) as AsyncIterable<Uint8Array>) response.write(part);
    response.end();
  }

  #answerAuthorization({ path, body }: SeenRequest, response: ServerResponse): void {
    const { url } = this.authorization;
    const { pathname, searchParams } = new URL(path, url);
    switch (pathname) {
      case "/.well-known/oauth-authorization-server":
        return sendJson(response, {
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          registration_endpoint: `${url}/register`,
          revocation_endpoint: `${url}/revoke`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
          ...this.metadata,
        });
      case "/register":
        return sendJson(response, { ...(JSON.parse(body) as object), client_id: randomUUID() }, 201);
      case "/authorize":
        return this.#authorize(searchParams, response);
      case "/token":
        return this.#makeTokens(new URLSearchParams(body), response);
      case "/revoke": {
        const token = new URLSearchParams(body).get("token") ?? "";
        this.accessTokens.delete(token);
        this.refreshTokens.delete(token);
        return sendJson(response, {});
      }
      default:
        return sendJson(response, {}, 404);
    }
  }

  #authorize(asked: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    const redirectUri = asked.get("redirect_uri") ?? "";
    this.#codes.set(code, { challenge: asked.get("code_challenge") ?? "", redirectUri });
    const back = new URL(redirectUri);
    const values = { code, state: asked.get("state") ?? undefined, iss: this.authorization.url, ...this.redirect };
    for (const [name, value] of Object.entries(values)) if (value !== undefined) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href });
    response.end();
  }

  #makeTokens(asked: URLSearchParams, response: ServerResponse): void {
    if (asked.get("grant_type") === "refresh_token") {
      // Each can be used once.
      if (!this.refreshTokens.delete(asked.get("refresh_token") ?? ""))
        return sendJson(response, { error: "invalid_grant" }, 400);
    } else {
      const known = this.#codes.get(asked.get("code") ?? "");
      this.#codes.delete(asked.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(asked.get("code_verifier") ?? "")
        .digest("base64url");
      if (!known || known.challenge !== challenge || known.redirectUri !== asked.get("redirect_uri"))
        return sendJson(response, { error: "invalid_grant" }, 400);
    }
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    this.accessTokens.add(access);
    this.refreshTokens.add(refresh);
    sendJson(response, {
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      expires_in: this.lifetime,
      ...this.tokens,
    });
  }
}

/**
 * Opens the page of a sign-in, agrees, and follows the way back. `reach` is where the browser reaches an address. Resolves
 * with the last page.
 */
export async function browse(
  href: string,
  reach: (address: string) => string = address => address,
): Promise<{ readonly status: number; readonly text: string }> {
  const page = await fetch(reach(href), { redirect: "manual" });
  const back = page.headers.get("location");
  if (back === null) throw new Error(`The page answered with ${page.status}: ${await page.text()}`);
  const last = await fetch(reach(back), { redirect: "manual" });
  return { status: last.status, text: await last.text() };
}
