// The tokens of sign-ins to MCP servers: which are kept, renewed and revoked.
import assert from "node:assert/strict";
import { UnauthorizedError } from "@modelcontextprotocol/client";
import type { ExtensionStates } from "../../src/base/memento.ts";
import { rememberSecrets } from "../../src/base/secrets/secret.ts";
import { ServerAuthorization } from "../../src/mcp/client/serverAuthorization.ts";
import type { ServerTarget } from "../../src/mcp/promptServer.ts";
import { takesSignIn } from "../../src/mcp/signIn/serverSignIns.ts";
import { serverAddressKey, SignInStore } from "../../src/mcp/signIn/signInStore.ts";
import { until } from "../support/fakes/until.ts";
import { AuthorizedServer } from "../support/mcp/authorizedServer.ts";
import { challengeOf, connectWith, SignInBench } from "../support/mcp/signInBench.ts";

describe("the address of a server", () => {
  for (const [url, takes] of [
    ["https://tickets.example/mcp", true],
    ["http://127.0.0.1:8000/mcp", true],
    ["http://[::1]:8000/mcp", true],
    ["http://localhost:8000/mcp", true],
    ["http://tickets.example/mcp", false],
    ["http://10.0.0.1/mcp", false],
    ["http://localhost.example/mcp", false],
    ["http://tickets.localhost/mcp", false],
    ["http://127.0.0.1.example/mcp", false],
  ] as const)
    it(`${url} ${takes ? "takes" : "does not take"} a sign-in`, () =>
      assert.equal(takesSignIn({ type: "http", url, headers: {} }), takes));

  it("without encryption is the reason why the user cannot sign in", () => {
    const sentence = (target: Extract<ServerTarget, { type: "http" | "sse" }>): string =>
      new ServerAuthorization(target).sentence(new UnauthorizedError()).message;
    const target = { type: "http", url: "http://tickets.example/mcp", headers: {} } as const;
    assert.match(sentence(target), /Parley signs in only to servers with https:\/\/\.$/);
    assert.match(sentence({ ...target, headers: { authorization: "Bearer mine" } }), /Add the header/);
  });
});

describe("the tokens of a sign-in to an MCP server", () => {
  let server: AuthorizedServer;
  let bench: SignInBench;
  beforeEach(async () => {
    server = await AuthorizedServer.start();
    bench = new SignInBench();
  });
  afterEach(async () => {
    bench.signIns.dispose();
    await server.close();
  });

  describe("in two windows", () => {
    let other: SignInBench;
    beforeEach(async () => {
      other = new SignInBench(bench);
      server.lifetime = 10;
      await bench.signIn(server.url);
      server.lifetime = 3600;
    });
    afterEach(() => other.signIns.dispose());

    it("is renewed once, and the window that comes second waits for the tokens", async () => {
      let second: Promise<string | undefined> | undefined;
      bench.onRenewed = () => {
        second = other.signIns.token(server.url);
        return until(() => other.ahead > 0);
      };
      const first = await bench.signIns.token(server.url);
      assert.ok(first !== undefined && server.accessTokens.has(first));
      assert.equal(await second, first);
      assert.equal(await bench.signIns.token(server.url), first);
    });

    it("stays when one of them gives up before the other has its tokens", async () => {
      bench.onRenewed = async () => assert.equal(await other.signIns.token(server.url), undefined);
      const first = await bench.signIns.token(server.url);
      assert.ok(first !== undefined && server.accessTokens.has(first));
      assert.equal(await other.signIns.token(server.url), first);
      assert.equal(other.signIns.isSignedIn(server.url), true);
    });

    it("is over in both when the user signs out in one, also while the other renews it", async () => {
      bench.onRenewed = () => other.signIns.signOut(serverAddressKey(server.url));
      assert.equal(await bench.signIns.token(server.url), undefined);
      assert.equal(bench.secrets.size, 0);
      assert.equal(bench.signIns.isSignedIn(server.url), false);
      assert.deepEqual([server.accessTokens.size, server.refreshTokens.size], [0, 0]);
    });
  });

  it("are renewed at most every ten seconds for a server that rejects all of them", async () => {
    await bench.signIn(server.url);
    const { token, renew } = bench.signIns.credentials(server.url);
    const renewals = (): number => server.authorization.forms("/token").length - 1;
    assert.equal(await renew(await token()), true);
    for (let n = 0; n < 5; n++) assert.equal(await renew(await token()), false);
    assert.equal(renewals(), 1);
    assert.equal(bench.signIns.isSignedIn(server.url), true);
    bench.ahead += 10_000;
    assert.equal(await renew(await token()), true);
    assert.equal(renewals(), 2);
  });

  it("that end at once are renewed at most every ten seconds", async () => {
    server.lifetime = 1;
    await bench.signIn(server.url);
    const first = await bench.signIns.token(server.url);
    assert.equal(await bench.signIns.token(server.url), first);
    assert.equal(server.authorization.forms("/token").length, 2);
  });

  it("are asked for once in half a minute if the authorization server fails", async () => {
    server.lifetime = 10;
    await bench.signIn(server.url);
    server.authorization.instead.set("/token", (_, response) => response.destroy());
    const attempts = (): number => server.authorization.forms("/token").length - 1;
    for (let n = 0; n < 3; n++) await assert.rejects(bench.signIns.token(server.url), /could not be reached/);
    assert.equal(attempts(), 1);
    bench.ahead += 30_000;
    server.authorization.instead.clear();
    assert.ok(server.accessTokens.has((await bench.signIns.token(server.url)) ?? ""));
    assert.equal(attempts(), 2);
  });

  it("can be listed again after another window overwrote the list", async () => {
    await bench.signIn(server.url);
    bench.state.clear();
    await bench.signIns.token(server.url);
    assert.equal(bench.signIns.isSignedIn(server.url), true);
  });

  describe("that the user signs out of", () => {
    const signOut = (): Promise<void> => bench.signIns.signOut(serverAddressKey(server.url));

    it("are all revoked as far as possible, and a failure is shown", async () => {
      await bench.signIn(server.url);
      const [refresh] = server.refreshTokens;
      server.authorization.instead.set("/revoke", ({ body }, response) => {
        const token = new URLSearchParams(body).get("token") ?? "";
        if (token !== refresh) server.accessTokens.delete(token);
        response.writeHead(token === refresh ? 503 : 200);
        response.end();
      });
      await signOut();
      assert.equal(server.accessTokens.size, 0);
      assert.equal(bench.secrets.size, 0);
      assert.equal(bench.warnings.length, 1);
      assert.match(bench.warnings[0] ?? "", /could not be revoked: .* the HTTP status 503\.$/);
    });

    it("are revoked also if they are just being renewed", async () => {
      server.lifetime = 10;
      await bench.signIn(server.url);
      let signedOut: Promise<void> | undefined;
      bench.onRenewed = () => {
        signedOut = signOut();
        return Promise.resolve();
      };
      const renewed = await bench.signIns.token(server.url);
      await signedOut;
      assert.ok(renewed !== undefined && !server.accessTokens.has(renewed));
      assert.deepEqual([server.refreshTokens.size, bench.secrets.size], [0, 0]);
    });

    it("are revoked with the secret of the client as at the token endpoint", async () => {
      const oauth = { clientId: "my-client", clientSecret: "walrus-secret-4713" };
      await bench.signIn(server.url, { oauth });
      await signOut();
      const [made, ...revoked] = server.authorization.requests.filter(({ path }) => /^\/(?:token|revoke)$/.test(path));
      assert.match(made?.authorization ?? "", /^Basic /);
      assert.deepEqual(
        revoked.map(({ path, authorization }) => [path, authorization]),
        [made, made].map(each => ["/revoke", each?.authorization]),
      );
      assert.ok(revoked.every(({ body }) => !body.includes("walrus")));
    });
  });

  it("do not suffice for a server that answers with 403", async () => {
    await bench.signIn(server.url);
    server.resource.instead.set("/mcp", (_, response) => response.writeHead(403).end());
    await assert.rejects(connectWith(bench, server.url), /does not allow this with your sign-in\. Sign out/);
  });

  it("keep their permissions when the server asks for more", async () => {
    await bench.signIn(server.url, {}, { scope: "prompts:read" });
    server.resource.instead.set("/mcp", (_, response) =>
      response.writeHead(403, { "www-authenticate": 'Bearer error="insufficient_scope", scope="prompts:write"' }).end(),
    );
    const challenge = await challengeOf(bench, server.url);
    assert.deepEqual(challenge, { scope: "prompts:write", isMore: true });
    await bench.signIn(server.url, {}, challenge);
    assert.equal(new URL(bench.opened[1] ?? "").searchParams.get("scope"), "prompts:read prompts:write");
    server.resource.instead.set("/mcp", (_, response) =>
      response
        .writeHead(403, { "www-authenticate": `Bearer error="insufficient_scope", scope="${"x ".repeat(1500)}"` })
        .end(),
    );
    assert.deepEqual(await challengeOf(bench, server.url), { isMore: true });
  });

  it("are not renewed by an authorization server that is down, which the user reads", async () => {
    server.lifetime = 10;
    await bench.signIn(server.url);
    server.authorization.instead.set("/token", (_, response) =>
      response.writeHead(503, { "content-type": "text/html" }).end("<h1>Down</h1>"),
    );
    await assert.rejects(connectWith(bench, server.url), {
      message: "The authorization server answered with the HTTP status 503.",
    });
  });

  it("are listed without a secret in the path of the server", async () => {
    rememberSecrets(["walrus-path-4714"]);
    const state = new Map<string, unknown>();
    const globalState = {
      get: (key: string, otherwise?: unknown) => state.get(key) ?? otherwise,
      update: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
    } as ExtensionStates["globalState"];
    const secrets = {
      get: () => Promise.resolve(undefined),
      store: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    const store = new SignInStore({ secrets, states: { globalState } });
    const signedIn = { issuer: "https://login.example", tokenEndpoint: "https://login.example/token", authMethods: [] };
    const url = "https://tickets.example/walrus-path-4714/mcp?key=1";
    await store.write("key", url, { ...signedIn, client: { id: "x" }, accessToken: "access-token-4714" });
    assert.equal(store.names["key"]?.address, "https://tickets.example/•••/mcp");
  });
});
