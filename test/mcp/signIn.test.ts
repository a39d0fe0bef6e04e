// Signing in to MCP servers over HTTP: with the authorization server of the official SDK and with one that tests change to
// be hostile. Everything is on 127.0.0.1.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { maskText } from "../../src/base/mask.ts";
import type { SignInChallenge } from "../../src/mcp/clientSignIn.ts";
import { listenForRedirect } from "../../src/mcp/signIn/redirectListener.ts";
import { maxSignInTime } from "../../src/mcp/signIn/serverSignIns.ts";
import { serverAddressKey } from "../../src/mcp/signIn/signInStore.ts";
import { until } from "../support/fakes/until.ts";
import { AuthorizedServer, browse } from "../support/mcp/authorizedServer.ts";
import { startOfficialServer } from "../support/mcp/officialAuthorization.ts";
import { connected } from "../support/mcp/servers.ts";
import { challengeOf, connectWith, SignInBench } from "../support/mcp/signInBench.ts";

describe("a sign-in to an MCP server", () => {
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

  it("shows the page before the browser opens it, and gets the tokens with PKCE, state and resource", async () => {
    const challenge = await challengeOf(bench, server.url);
    assert.equal(challenge.scope, "prompts:read");
    assert.equal(await bench.signIn(server.url, {}, challenge), true);
    const [question] = bench.questions;
    const [href = ""] = bench.opened;
    const page = new URL(href);
    assert.ok(question);
    assert.ok(question.message.includes(page.host), question.message);
    assert.ok(question.detail.includes(`MCP server: ${new URL(server.url).origin}`), question.detail.join("\n"));
    assert.ok(question.detail.includes("It asks for: prompts:read"));
    assert.equal(page.searchParams.get("code_challenge_method"), "S256");
    assert.equal(page.searchParams.get("resource"), server.url);
    assert.match(page.searchParams.get("state") ?? "", /^[\w-]{43}$/);
    assert.match(page.searchParams.get("redirect_uri") ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const [form] = server.authorization.forms("/token");
    assert.equal(form?.get("resource"), server.url);
    assert.deepEqual(bench.notifications, ["Sign in to the MCP server “tickets” in your browser."]);
    assert.match(String(((await bench.browsed) as { text: string }).text), /You can close this page/);
    const connection = await connectWith(bench, server.url);
    try {
      const { messages } = await connection.getPrompt("secret", {}, new AbortController().signal);
      assert.equal(messages[0]?.content.type === "text" && messages[0].content.text, "You are signed in.");
    } finally {
      await connection.close();
    }
  });

  it("keeps the tokens in the secret storage only, and hides them in logs", async () => {
    await bench.signIn(server.url);
    const [token = ""] = server.accessTokens;
    const [refresh = ""] = server.refreshTokens;
    assert.ok([...bench.secrets.values()].some(value => value.includes(token) && value.includes(refresh)));
    assert.doesNotMatch(JSON.stringify([...bench.state]), new RegExp(`${token}|${refresh}`));
    assert.equal(maskText(`${token} ${refresh}`), "••• •••");
    assert.equal(bench.signIns.isSignedIn(server.url), true);
    assert.equal(bench.signIns.isSignedIn(`${server.resource.url}/other`), false);
    assert.equal(await bench.signIns.token(`${server.resource.url}/other`), undefined);
  });

  it("opens nothing and keeps nothing if the user does not agree", async () => {
    bench.agrees = false;
    assert.equal(await bench.signIn(server.url), false);
    assert.deepEqual(bench.opened, []);
    assert.equal(bench.stored, "[]");
    assert.equal(bench.signIns.isWaiting(server.url), false);
  });

  it("renews a token before it ends, and one that the server rejects, each refresh token once", async () => {
    server.lifetime = 10;
    await bench.signIn(server.url);
    const [first] = server.accessTokens;
    server.lifetime = 3600;
    const [second, third] = await Promise.all([bench.signIns.token(server.url), bench.signIns.token(server.url)]);
    assert.notEqual(second, first);
    assert.equal(second, third);
    server.accessTokens.clear();
    bench.ahead = 10_000;
    const connection = await connectWith(bench, server.url);
    await connection.close();
    assert.equal(server.authorization.forms("/token").length, 3);
    assert.equal(server.authorization.forms("/token")[1]?.get("resource"), server.url);
  });

  it("asks again when the tokens no longer work, and forgets them", async () => {
    await bench.signIn(server.url);
    server.accessTokens.clear();
    server.refreshTokens.clear();
    await challengeOf(bench, server.url);
    assert.equal(bench.signIns.isSignedIn(server.url), false);
    assert.doesNotMatch(bench.stored, /access-|refresh-|127\.0\.0\.1/);
    assert.equal(await bench.signIn(server.url), true);
  });

  it("keeps the tokens when the network fails while they are renewed", async () => {
    server.lifetime = 10;
    await bench.signIn(server.url);
    server.authorization.instead.set("/token", (_, response) => response.destroy());
    await assert.rejects(bench.signIns.token(server.url), /could not be reached/);
    assert.equal(bench.signIns.isSignedIn(server.url), true);
  });

  it("uses the tokens that another window has renewed", async () => {
    server.lifetime = 10;
    await bench.signIn(server.url);
    const [key = ""] = bench.secrets.keys();
    const stored = JSON.parse(bench.secrets.get(key) ?? "") as { expiresAt: number };
    server.authorization.instead.set("/token", (_, response) => {
      bench.secrets.set(key, JSON.stringify({ ...stored, accessToken: "of-the-other-window", expiresAt: 1e15 }));
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_grant" }));
    });
    assert.equal(await bench.signIns.token(server.url), "of-the-other-window");
  });

  it("signs out: the tokens are deleted and revoked", async () => {
    await bench.signIn(server.url);
    await bench.signIns.signOut(serverAddressKey(server.url));
    assert.equal(bench.secrets.size, 0);
    assert.deepEqual([server.accessTokens.size, server.refreshTokens.size], [0, 0]);
    assert.equal(await bench.signIns.token(server.url), undefined);
  });

  it("uses the client that the user has registered, and its secret only at the token endpoint", async () => {
    server.metadata = { registration_endpoint: undefined };
    await assert.rejects(bench.signIn(server.url), /does not let Parley register itself.*oauth\.clientId/);
    const oauth = { clientId: "my-client", clientSecret: "walrus-secret-4711", scope: "prompts:all" };
    assert.equal(await bench.signIn(server.url, { oauth }), true);
    const page = new URL(bench.opened[0] ?? "");
    assert.equal(page.searchParams.get("client_id"), "my-client");
    assert.equal(page.searchParams.get("scope"), "prompts:all");
    assert.ok(!page.href.includes("walrus"));
    const all = [...server.authorization.requests, ...server.resource.requests];
    const withSecret = all.filter(
      ({ authorization = "", body }) =>
        body.includes("walrus") || Buffer.from(authorization.replace("Basic ", ""), "base64").includes("walrus"),
    );
    assert.deepEqual([...new Set(withSecret.map(({ path }) => path))], ["/token"]);
  });

  it("works with the authorization server of the official SDK, also to renew and to revoke", async () => {
    const official = await startOfficialServer();
    try {
      const challenge = await challengeOf(bench, official.url);
      assert.equal(await bench.signIn(official.url, {}, challenge), true);
      const token = await bench.signIns.token(official.url);
      const answer = await fetch(official.url, { headers: { authorization: `Bearer ${token ?? ""}` } });
      assert.equal(answer.status, 405);
      await bench.signIns.signOut(serverAddressKey(official.url));
    } finally {
      await official.close();
    }
  });

  describe("with a hostile authorization server", () => {
    /** The sign-in fails with this reason, and nothing is kept. */
    const expectFailure = async (reason: RegExp, challenge: SignInChallenge = {}): Promise<void> => {
      await assert.rejects(bench.signIn(server.url, {}, challenge), reason);
      assert.equal(bench.secrets.size, 0);
      assert.equal(bench.signIns.isSignedIn(server.url), false);
      assert.equal(bench.signIns.isWaiting(server.url), false);
    };

    for (const [words, iss] of [
      ["a wrong issuer", "https://login.other.example"],
      ["no issuer, although it promises one", undefined],
    ] as const)
      it(`sends no code after an answer with ${words}`, async () => {
        server.redirect = { iss };
        await expectFailure(/^SignInProblem: The answer is not from the authorization server that .* names/);
        assert.deepEqual(server.authorization.forms("/token"), []);
      });

    it("opens no page if its metadata names another issuer", async () => {
      server.metadata = { issuer: "https://login.other.example" };
      await expectFailure(/^SignInProblem: The answer is not from the authorization server/);
      assert.deepEqual(bench.opened, []);
    });

    it("ignores answers with a wrong state, and ends after fifty of them", async () => {
      bench.browser = async href => {
        const back = new URL(new URL(href).searchParams.get("redirect_uri") ?? "");
        back.search = "?code=stolen&state=wrong";
        for (let n = 0; n < 49; n++) assert.equal((await fetch(back)).status, 400);
        return browse(href);
      };
      assert.equal(await bench.signIn(server.url), true);
      const other = new SignInBench();
      other.browser = async href => {
        const back = new URL(new URL(href).searchParams.get("redirect_uri") ?? "");
        for (let n = 0; n < 50; n++) await fetch(back);
        await assert.rejects(browse(href));
      };
      await assert.rejects(other.signIn(server.url), /disturbed the sign-in/);
      assert.equal(await other.browsed, undefined);
    });

    it("takes one answer only", async () => {
      let second: unknown;
      bench.browser = async href => {
        const back = (await fetch(href, { redirect: "manual" })).headers.get("location") ?? "";
        await fetch(back);
        second = await fetch(back).catch((error: unknown) => error);
      };
      assert.equal(await bench.signIn(server.url), true);
      await bench.browsed;
      assert.ok(second instanceof Error, "the listener still answers");
      assert.equal(server.authorization.forms("/token").length, 1);
    });

    it("sends a code once, also if the authorization server refuses it", async () => {
      server.authorization.instead.set("/token", (_, response) => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: "invalid_grant", error_description: "No." }));
      });
      await expectFailure(/refused the request: No\.$/);
      assert.equal(server.authorization.forms("/token").length, 1);
    });

    it("shows the error that it sends back, cut", async () => {
      server.redirect = { code: undefined, error: "access_denied", error_description: "x".repeat(5000) };
      await expectFailure(/^SignInProblem: 127\.0\.0\.1:\d+ refused the sign-in: x{300}…$/);
    });

    it("says nothing in the name of another one: an error with a wrong issuer is not shown", async () => {
      server.redirect = {
        code: undefined,
        error: "access_denied",
        error_description: "Call me.",
        iss: "https://x.example",
      };
      await expectFailure(/^SignInProblem: The answer is not from the authorization server/);
    });

    it("that gets the code for the page of another one is in the question, with the secret that it gets", async () => {
      bench.agrees = false;
      server.metadata = { authorization_endpoint: "https://203.0.113.9/authorize" };
      const oauth = { clientId: "my-client", clientSecret: "walrus-secret-4712" };
      assert.equal(await bench.signIn(server.url, { oauth }), false);
      const [question] = bench.questions;
      const { origin } = new URL(server.authorization.url);
      assert.equal(question?.message, `Sign in to the MCP server “tickets” at 203.0.113.9, with tokens of ${origin}?`);
      const at = question.detail.indexOf(`Gets the code of this sign-in, and makes the tokens: ${origin}`);
      assert.equal(question.detail[at + 1], "Gets your client secret, too.");
      assert.ok(!question.detail.includes("walrus"));
    });

    it("gets no tokens to revoke if it is not the one that made them", async () => {
      const trap = await AuthorizedServer.start();
      try {
        server.metadata = { revocation_endpoint: `${trap.authorization.url}/revoke` };
        assert.equal(await bench.signIn(server.url), true);
        await bench.signIns.signOut(serverAddressKey(server.url));
        assert.deepEqual(trap.authorization.requests, []);
      } finally {
        await trap.close();
      }
    });

    it("is refused if the answer has a value twice", async () => {
      bench.browser = async href => {
        const back = (await fetch(href, { redirect: "manual" })).headers.get("location") ?? "";
        return fetch(`${back}&iss=https://evil.example`);
      };
      await expectFailure(/The answer of the sign-in page is malformed\.$/);
    });

    for (const [what, tokens] of [
      ["a huge token", { access_token: "x".repeat(16_001) }],
      ["a token with a line break", { access_token: "a\r\nX-Evil: 1" }],
      ["a token of another type", { token_type: "mac" }],
      ["a huge refresh token", { refresh_token: "y".repeat(20_000) }],
    ] as const)
      it(`does not keep ${what}`, async () => {
        server.tokens = tokens;
        await expectFailure(/made a token that Parley cannot use/);
      });

    it("does not read an endless body, and does not wait for one that never ends", async () => {
      bench.limits = { ...bench.limits, maxTime: 300 };
      server.authorization.instead.set("/.well-known/oauth-authorization-server", (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = (): void => {
          while (response.writable && response.write(" ".repeat(64_000)));
        };
        response.on("drain", more);
        more();
      });
      await expectFailure(/sent an answer of more than 256 kB/);
      server.authorization.instead.set("/.well-known/oauth-authorization-server", (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.write("{");
      });
      await expectFailure(/did not answer within 0\.3 seconds/);
    });

    it("does not follow a loop of redirects, nor one to another server", async () => {
      server.resource.instead.set("/.well-known/oauth-protected-resource/mcp", (_, response) => {
        response.writeHead(302, { location: "/.well-known/oauth-protected-resource/mcp" });
        response.end();
      });
      const before = server.resource.requests.length;
      await assert.rejects(bench.signIn(server.url));
      assert.ok(server.resource.requests.length - before <= 20);
      const trap = await AuthorizedServer.start();
      try {
        for (const path of ["/.well-known/oauth-authorization-server", "/register", "/token"])
          server.authorization.instead.set(path, (_, response) => {
            response.writeHead(307, { location: `${trap.authorization.url}${path}` });
            response.end();
          });
        await assert.rejects(bench.signIn(server.url));
        assert.deepEqual(trap.authorization.requests, []);
      } finally {
        await trap.close();
      }
    });

    it("opens no page with another scheme", async () => {
      for (const page of [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://login.example/authorize",
        "vscode://x",
      ]) {
        server.metadata = { authorization_endpoint: page };
        await assert.rejects(bench.signIn(server.url), Error, page);
      }
      server.metadata = { token_endpoint: "http://login.example/token" };
      await expectFailure(/without encryption/);
      assert.deepEqual([bench.opened, bench.questions], [[], []]);
    });

    it("gets no token for a resource of another server", async () => {
      server.resource.instead.set("/.well-known/oauth-protected-resource/mcp", (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ resource: "https://bank.example/mcp", authorization_servers: [server.authorization.url] }),
        );
      });
      await expectFailure(/does not match expected/);
      assert.deepEqual(bench.opened, []);
    });
  });

  it("ends when the user cancels, and when nobody comes back in time", async () => {
    bench.browser = () => Promise.resolve(bench.cancel());
    assert.equal(await bench.signIn(server.url), false);
    bench.browser = () => Promise.resolve(bench.timers.at(-1)?.());
    await assert.rejects(bench.signIn(server.url), new RegExp(`within ${maxSignInTime / 60_000} minutes`));
    const redirects = bench.opened.map(href => new URL(href).searchParams.get("redirect_uri") ?? "");
    for (const redirect of redirects) await assert.rejects(fetch(redirect));
    assert.equal(bench.secrets.size, 0);
  });

  it("ends when the user cancels while VS Code forwards the port", async () => {
    let forwards = false;
    bench.externalAddress = () => {
      forwards = true;
      return new Promise(() => {});
    };
    const signedIn = bench.signIn(server.url);
    await until(() => forwards);
    bench.signIns.cancel(server.url);
    assert.equal(await signedIn, false);
    assert.equal(bench.signIns.isWaiting(server.url), false);
    assert.deepEqual(bench.opened, []);
  });

  it("runs once at a time for each server", async () => {
    bench.browser = () => Promise.resolve();
    const first = bench.signIn(server.url);
    await until(() => bench.opened.length === 1);
    assert.equal(await bench.signIn(server.url), false);
    bench.signIns.cancel(server.url);
    assert.equal(await first, false);
  });
});

describe("the listener for the browser", () => {
  it("is bound to 127.0.0.1 only", async () => {
    const listener = await listenForRedirect("state");
    const port = Number(new URL(listener.url).port);
    const others = Object.values(networkInterfaces())
      .flatMap(each => each ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address);
    for (const address of ["::1", "127.0.0.2", ...others])
      await assert.rejects(
        new Promise((resolve, reject) => {
          const socket = connect(port, address);
          socket.once("connect", () => resolve(socket.destroy()));
          socket.once("error", reject);
        }),
        address,
      );
    listener.close("done");
    await assert.rejects(listener.answer, /^Error: done$/);
  });

  it("shows nothing of the request", async () => {
    const listener = await listenForRedirect("state");
    const answer = await fetch(`${listener.url}?state=%3Cscript%3E&code=%3Cscript%3E`);
    const text = await answer.text();
    assert.equal(answer.status, 400);
    assert.ok(!text.includes("script"), text);
    assert.equal(answer.headers.get("content-security-policy"), "default-src 'none'; frame-ancestors 'none'");
    listener.close("done");
  });

  it("says that a port is in use", async () => {
    const listener = await listenForRedirect("state");
    const port = Number(new URL(listener.url).port);
    await assert.rejects(listenForRedirect("state", port), new RegExp(`at port ${port}: .*EADDRINUSE`));
    listener.close("done");
  });
});

describe("a server with an Authorization header in its settings", () => {
  it("gets that header, and never asks for a sign-in", async () => {
    const server = await AuthorizedServer.start();
    try {
      const connecting = connected({ type: "http", url: server.url, headers: { authorization: "Bearer mine" } });
      await assert.rejects(connecting, /Add the header that it needs/);
      assert.ok(server.resource.requests.every(({ authorization }) => authorization === "Bearer mine"));
    } finally {
      await server.close();
    }
  });
});
