// Entries of `parley.agents` with a url: what is accepted, what is refused and why, and what a stored header belongs to.
import assert from "node:assert/strict";
import { resolveAgents, type AgentDefinition } from "../../src/agents/registry.ts";
import { remoteProblem } from "../../src/agents/remote/remoteProblem.ts";
import type { RemoteFailure } from "../../src/agents/remote/remoteClient.ts";
import { networkFailure } from "../../src/agents/remote/client/networkFailure.ts";
import { serverOrigin } from "../../src/agents/remote/serverAddress.ts";
import { agentCommandLine } from "../../src/agents/launch.ts";
import { agentPresence } from "../../src/agents/agentPresence.ts";
import { agentPlace } from "../../src/agents/startAgent.ts";
import { resolveAgentVariables } from "../../src/agents/variables.ts";
import { asProblem } from "../../src/base/errors.ts";
import { Secret, unwrapped } from "../../src/base/secrets/secret.ts";
import { hostEnvironment } from "../../src/base/windowEnvironment.ts";
import { allServersFor } from "../../src/mcp/configuredServers.ts";
import { readServers } from "../../src/mcp/servers.ts";

const read = (entry: object): { readonly agent: AgentDefinition | undefined; readonly reason: string | undefined } => {
  const { agents, bad } = resolveAgents([], { team: entry });
  return { agent: agents.find(({ id }) => id === "team"), reason: bad[0]?.reason };
};
const agentOf = (entry: object): AgentDefinition => read(entry).agent ?? assert.fail(read(entry).reason);

describe("an agent with a url in the settings", () => {
  for (const url of [
    "wss://agents.example.org/acp",
    "https://agents.example.org:8443/acp?team=a",
    "ws://127.0.0.1:3000/acp",
    "ws://localhost:3000",
    "http://[::1]:3000/acp",
  ]) {
    it(`has a server: ${url}`, () => {
      const agent = agentOf({ name: "Team", url });
      assert.deepEqual([agent.remote?.url, agent.command, agent.args], [url, "", []]);
      assert.equal(agentCommandLine(agent), url);
    });
  }

  for (const [entry, reason] of [
    [{ url: "agents.example.org" }, /has a url that is not an address/],
    [{ url: 7 }, /has a url that is not an address/],
    [{ url: "ssh://host" }, /begins neither with wss:\/\/ nor with https:\/\//],
    [{ url: "ws://agents.example.org" }, /has a url without encryption/],
    [{ url: "http://127.0.0.1.example.org" }, /has a url without encryption/],
    [{ url: "http://localhost.example.org" }, /has a url without encryption/],
    [{ url: "http://agents.localhost" }, /has a url without encryption/],
    [{ url: "wss://me:secret@agents.example.org" }, /has a url with a password/],
    [{ url: "wss://a.example.org", command: "x" }, /has a url and "command"/],
    [{ url: "wss://a.example.org", args: [] }, /has a url and "args"/],
    [{ url: "wss://a.example.org", env: {} }, /has a url and "env"/],
    [{ url: "wss://a.example.org", cwd: "app" }, /has a cwd that is not the full path of a folder on the server/],
    [{ url: "wss://a.example.org", sameFolder: "yes" }, /has a sameFolder that is neither true nor false/],
    [{ url: "wss://a.example.org", headers: { A: 1 } }, /has headers whose values are not all strings/],
    [{ url: "wss://a.example.org", headers: { "A b": "1" } }, /which is no name of a header/],
    [{ url: "wss://a.example.org", headers: { Host: "b" } }, /has the header "Host", which Parley sets itself/],
    [{ url: "wss://a.example.org", headers: { "Acp-Session-Id": "b" } }, /which Parley sets itself/],
    [{ url: "wss://a.example.org", headers: { A: "1\r\nB: 2" } }, /with characters that headers cannot have/],
    [{ command: "x", headers: {} }, /has "headers", which only an agent with a url can have/],
    [{}, /has neither a command nor a url/],
  ] as const) {
    it(`is refused with the reason: ${JSON.stringify(entry)}`, () => assert.match(read(entry).reason ?? "", reason));
  }

  it("can take the place of the program of a built-in agent, which keeps its name", () => {
    const { agents } = resolveAgents([], { goose: { url: "wss://goose.example.org/acp" } });
    const goose = agents.find(({ id }) => id === "goose");
    assert.deepEqual([goose?.name, goose?.command, goose?.remote?.sameFolder], ["goose", "", false]);
  });

  it("has no program to look for", async () => {
    assert.equal(await agentPresence(agentOf({ url: "wss://a.example.org" }), hostEnvironment), undefined);
  });

  it("shares files only if the settings say so, and works in the folder that they name", () => {
    const url = "wss://a.example.org";
    assert.deepEqual(agentPlace(agentOf({ url })), { server: { sharesFiles: false } });
    assert.deepEqual(agentPlace(agentOf({ url, sameFolder: true, cwd: "/srv/app" })), {
      server: { sharesFiles: true, folder: "/srv/app" },
    });
  });

  it("can have variables in the folder, whose value is the full path of a folder", () => {
    const values = { env: { PLACE: "/srv", PART: "app" }, userHome: "/home/me", workspaceFolder: "/work" };
    const folder = (cwd: string): string | undefined =>
      resolveAgentVariables(agentOf({ url: "wss://a.example.org", cwd }), values).cwd;
    assert.equal(folder("${env:PLACE}/app"), "/srv/app");
    assert.equal(folder("${userHome}/app"), "/home/me/app");
    assert.equal(folder("${workspaceFolder}"), "/work");
    assert.equal(folder("\\\\host\\share"), "\\\\host\\share");
    assert.throws(() => folder("${env:PART}"), /has a cwd that is not the full path of a folder on the server/);
  });

  it("is refused if a header gets a value that cannot be sent from an environment variable", () => {
    const agent = agentOf({ url: "wss://a.example.org", headers: { "X-Team": "${env:TEAM_TOKEN}" } });
    const resolve = (): unknown =>
      resolveAgentVariables(agent, {
        ...{ env: { TEAM_TOKEN: "walrus-17\n" }, userHome: "/home/me", workspaceFolder: undefined },
      });
    assert.throws(resolve, (error: unknown) => {
      assert.match(asProblem(error).message, /^Could not connect to .* has a value for the header "X-Team" with/);
      assert.doesNotMatch(JSON.stringify(asProblem(error)), /walrus/);
      return true;
    });
  });

  it("takes the values of headers from environment variables, and hides credentials", () => {
    const agent = agentOf({ url: "wss://a.example.org", headers: { Authorization: "Bearer ${env:TEAM_TOKEN}" } });
    const values = { env: { TEAM_TOKEN: "tk-1234567890abcdef" }, userHome: "/home/me", workspaceFolder: undefined };
    const header = resolveAgentVariables(agent, values).remote?.headers["Authorization"] ?? "";
    assert.ok(header instanceof Secret);
    assert.equal(unwrapped(header), "Bearer tk-1234567890abcdef");
    assert.doesNotMatch(JSON.stringify(header), /tk-/);
  });

  it("gets only the MCP servers of its own settings, because the others are for programs of this machine", () => {
    const server = (name: string) => readServers({ [name]: { command: "x" } }, "user", "y").servers;
    const remote = agentOf({ url: "wss://a.example.org", mcpServers: { own: { command: "x" } } });
    const names = (agent: AgentDefinition): readonly string[] =>
      allServersFor(agent, server("user"), server("workspace")).map(({ name }) => name);
    assert.deepEqual(names(remote), ["own"]);
    assert.deepEqual(names(agentOf({ command: "x", mcpServers: { own: { command: "x" } } })), [
      "own",
      "user",
      "workspace",
    ]);
  });

  it("has headers that belong to one server, also over another transport, and to no other", () => {
    assert.equal(serverOrigin("wss://a.example.org/acp"), serverOrigin("https://a.example.org/other"));
    for (const url of ["wss://b.example.org", "wss://a.example.org:444", "ws://a.example.org"])
      assert.notEqual(serverOrigin(url), serverOrigin("wss://a.example.org"));
  });
});

describe("a failed connection to a server", () => {
  const text = (failure: RemoteFailure): string =>
    remoteProblem({ name: "Team", url: "wss://a.example.org/acp" }, failure, false).message;

  for (const [code, says] of [
    ["CERT_HAS_EXPIRED", /the certificate of a\.example\.org has expired/],
    ["CERT_NOT_YET_VALID", /is not valid yet. Check the clock/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /is for another name/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /does not trust the certificate/],
    ["SELF_SIGNED_CERT_IN_CHAIN", /does not trust the certificate/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /does not trust the certificate/],
    ["ENOTFOUND", /no server with the name a\.example\.org, or no network/],
    ["ECONNREFUSED", /nothing answers at a\.example\.org/],
    ["ECONNRESET", /^The connection to Team at a\.example\.org was lost/],
    ["EHOSTUNREACH", /a\.example\.org is out of reach/],
    ["ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL", /speaks only HTTP\/2, which Parley does not support/],
  ] as const) {
    it(`is explained by its cause, also below other errors: ${code}`, () => {
      const cause = Object.assign(new Error("low"), { code });
      const failure = networkFailure(new Error("fetch failed", { cause }));
      assert.match(text(failure), says);
    });
  }

  it("is a lost connection if the agent was ready", () => {
    const lostText = (failure: RemoteFailure): string =>
      remoteProblem({ name: "Team", url: "wss://a.example.org/acp" }, failure, true).message;
    const refused: RemoteFailure = { kind: "refused", status: 503, text: "" };
    assert.equal(lostText(refused), "The connection to Team was lost: a.example.org answered with HTTP status 503.");
    assert.equal(lostText({ kind: "late" }), "The connection to Team was lost: a.example.org no longer answers.");
    for (const failure of [refused, { kind: "late" } as const])
      assert.match(text(failure), /^Could not connect to Team: .* Check the url in parley\.agents\.$/);
    assert.match(lostText({ ...refused, status: 401 }), /needs a sign-in/);
  });

  it("hides credentials in what the server wrote", () => {
    new Secret("Bearer hide-me-0123456789");
    const failure: RemoteFailure = { kind: "refused", status: 500, text: "no: Bearer hide-me-0123456789" };
    assert.doesNotMatch(remoteProblem({ name: "Team", url: "wss://a" }, failure, false).detail ?? "", /hide-me/);
  });

  it("is tried again only if it can pass", () => {
    const isTried = (failure: RemoteFailure): boolean =>
      remoteProblem({ name: "Team", url: "wss://a" }, failure, true).reconnects === true;
    for (const status of [404, 406, 429, 500, 503])
      assert.ok(isTried({ kind: "refused", status, text: "" }), `${status}`);
    for (const status of [301, 400, 401, 403]) assert.ok(!isTried({ kind: "refused", status, text: "" }), `${status}`);
    assert.ok(isTried({ kind: "silent" }) && isTried({ kind: "closed", text: "" }) && isTried({ kind: "late" }));
    assert.ok(!isTried({ kind: "http2Only" }) && !isTried({ kind: "broken", text: "" }));
  });
});
