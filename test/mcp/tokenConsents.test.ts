// To which agents the user gives the sign-in to an MCP server, and what the question about it shows.
import assert from "node:assert/strict";
import type { ExtensionStates } from "../../src/base/memento.ts";
import { tokenQuestion } from "../../src/mcp/signIn/signInQuestion.ts";
import { TokenConsents, type ConsentingAgent } from "../../src/mcp/signIn/tokenConsents.ts";

const mcp = "https://mcp.example/mcp";
const team = (url: string): ConsentingAgent & { readonly name: string } => ({
  ...{ id: "team", name: "Team", command: "", args: [] },
  remote: { url, headers: {}, sameFolder: false },
});

describe("the consent to give an agent the sign-in to an MCP server", () => {
  let consents: TokenConsents;
  beforeEach(() => {
    const stored = new Map<string, unknown>();
    const globalState = {
      get: (key: string, otherwise?: unknown) => stored.get(key) ?? otherwise,
      update: (key: string, value: unknown) => Promise.resolve(void stored.set(key, value)),
    } as ExtensionStates["globalState"];
    consents = new TokenConsents({ globalState });
  });
  afterEach(() => consents.dispose());

  it("holds for the server on which the agent runs, and for no other", async () => {
    await consents.set(team("wss://one.example/acp"), mcp, true);
    assert.ok(consents.has(team("wss://one.example/acp"), mcp));
    assert.ok(!consents.has(team("wss://two.example/acp"), mcp));
  });

  it("is asked for with the host of an agent on a server", () => {
    const asked = (url: string): string => tokenQuestion(team(url), "tickets", mcp).detail.join("\n");
    assert.match(asked("wss://one.example:8443/acp?key=x"), /^The agent runs on: one\.example:8443$/m);
    assert.match(asked("ws://127.0.0.1:9/acp"), /^The agent runs on: http:\/\/127\.0\.0\.1:9$/m);
    const program = { name: "One" };
    assert.doesNotMatch(tokenQuestion(program, "tickets", mcp).detail.join("\n"), /runs on/);
  });
});
