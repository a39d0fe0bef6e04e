// Signing in to an MCP server over HTTP in the panel: the list of servers, the browser, and the token for the agent.
import assert from "node:assert/strict";
import { AuthorizedServer, browse } from "../support/mcp/authorizedServer.ts";
import { until } from "../support/fakes/until.ts";
import { openJoined, useJoined, type AgentSettings, type JoinedWindow } from "./joinedPanel.ts";
import {
  cancelPreview,
  expectServers,
  hostileServer,
  mcpAgent,
  openServers,
  restartAgent,
  serverRow,
  startServers,
  usePrompt,
} from "./mcpSteps.ts";

const agents = { mcp: mcpAgent(["http"]) };

describe("a page of an MCP server in the panel", () => {
  useJoined();

  it("is shown in full, and opens only when the user opens it", async () => {
    const window = await openJoined({ agents, mcpServers: { shop: hostileServer("page") } });
    await startServers(window, ["shop"]);
    await expectServers(window, "before", ["shop"]);
    await usePrompt(window, "shop:first");
    const card = window.page.getByRole("form", { name: "Pay first" });
    await card.getByText("Asked by shop.").waitFor();
    await card.getByText("https://pay.example.com/?next=%2Ftickets").waitFor();
    assert.deepEqual(window.commands, []);
    await card.getByRole("button", { name: "Open in Browser" }).click();
    await cancelPreview(window, "shop:first", '1 questions: {"action":"accept"}');
    assert.deepEqual(window.commands, ["openAddress https://pay.example.com/?next=%2Ftickets"]);
    await usePrompt(window, "shop:first");
    await card.getByRole("button", { name: "Decline" }).click();
    await cancelPreview(window, "shop:first", '2 questions: {"action":"decline"}');
  });
});

describe("a sign-in to an MCP server in the panel", () => {
  useJoined();
  let server: AuthorizedServer;
  beforeEach(async () => void (server = await AuthorizedServer.start()));
  afterEach(() => server.close());

  const open = async (more: AgentSettings = {}): Promise<JoinedWindow> => {
    const window = await openJoined({
      agents: { ...agents, ...more },
      mcpServers: { tickets: { type: "http", url: server.url } },
    });
    await expectServers(window, "before", ["tickets"]);
    await startServers(window, ["tickets"], "Not signed in");
    return window;
  };
  /** The headers of the server, as the agent got them. */
  const headers = async (window: JoinedWindow, prompt: string): Promise<readonly { name: string; value: string }[]> => {
    const text = await expectServers(window, prompt, ["tickets"]);
    return (JSON.parse(text) as readonly { headers: readonly { name: string; value: string }[] }[])[0]?.headers ?? [];
  };

  it("starts from the list, and gives the token to the agent only after the user allows that", async () => {
    const window = await open();
    const list = await openServers(window);
    await list.getByText("The server requires you to sign in.").waitFor();
    await list.getByRole("button", { name: "Sign in to tickets" }).click();
    await list.getByText("Waiting for the browser…").waitFor();
    const page = await window.signIn.answer(true);
    assert.match(page.message, /^Sign in to the MCP server “tickets” at http:\/\/127\.0\.0\.1:\d+\?$/);
    const token = await window.signIn.answer(false);
    assert.equal(token.message, "Give MCP Agent your sign-in to the MCP server “tickets”?");
    await (await serverRow(window, "tickets")).getByText("Ready", { exact: true }).waitFor();
    await (await openServers(window)).getByText("You are signed in. MCP Agent does not get your sign-in.").waitFor();
    assert.deepEqual(await headers(window, "without"), []);
    await (await openServers(window)).getByRole("button", { name: "Give MCP Agent the sign-in to tickets" }).click();
    await window.signIn.answer(true);
    await restartAgent(window);
    const [header] = await headers(window, "with");
    assert.equal(header?.name, "Authorization");
    assert.ok(!window.traffic("mcp").includes([...server.accessTokens][0] ?? "no token"), "a log has the token");
    await usePrompt(window, "tickets:secret");
    await cancelPreview(window, "tickets:secret", "You are signed in.");
    await (
      await openServers(window)
    )
      .getByRole("button", { name: "Don't give MCP Agent the sign-in to tickets" })
      .click();
    await restartAgent(window);
    assert.deepEqual(await headers(window, "taken away"), []);
  });

  it("can be cancelled while the browser is open, and ended with Sign Out", async () => {
    const window = await open();
    window.signIn.browser = () => Promise.resolve();
    const list = await openServers(window);
    await list.getByRole("button", { name: "Sign in to tickets" }).click();
    await window.signIn.answer(true);
    await until(() => window.signIn.opened.length === 1);
    await (await openServers(window)).getByRole("button", { name: "Cancel the sign-in to tickets" }).click();
    await (await openServers(window)).getByRole("button", { name: "Sign in to tickets" }).waitFor();
    assert.deepEqual(window.failures, []);
    window.signIn.browser = href => browse(href);
    await (await openServers(window)).getByRole("button", { name: "Sign in to tickets" }).click();
    await window.signIn.answer(true);
    await window.signIn.answer(true);
    await (await openServers(window)).getByRole("button", { name: "Sign out of tickets" }).click();
    await (await openServers(window)).getByRole("button", { name: "Sign in to tickets" }).waitFor();
    await until(() => server.accessTokens.size === 0);
  });

  it("is offered to another agent once, and given only after the user allows that", async () => {
    const window = await open({ other: mcpAgent(["http"], { name: "Other Agent" }) });
    const list = await openServers(window);
    await list.getByRole("button", { name: "Sign in to tickets" }).click();
    await window.signIn.answer(true);
    await window.signIn.answer(false);
    await (await serverRow(window, "tickets")).getByText("Ready", { exact: true }).waitFor();
    // The user has answered for this agent.
    await window.newSession();
    await expectServers(window, "same agent", ["tickets"]);
    assert.deepEqual(window.questions.offers, []);
    await window.chooseAgent("other");
    assert.deepEqual(await headers(window, "other agent"), []);
    await window.newSession();
    await expectServers(window, "other agent again", ["tickets"]);
    assert.deepEqual(window.questions.offers, ["Other Agent does not get your sign-in to the MCP server “tickets”."]);
    await window.questions.startReview();
    const token = await window.signIn.answer(true);
    assert.equal(token.message, "Give Other Agent your sign-in to the MCP server “tickets”?");
    await (await openServers(window)).getByText("You are signed in, and Other Agent gets your sign-in.").waitFor();
    await window.newSession();
    assert.equal((await headers(window, "allowed"))[0]?.name, "Authorization");
  });

  it("is offered in the list of commands", async () => {
    const window = await open();
    // Closes the list of servers, which covers the message box.
    await expectServers(window, "again", ["tickets"]);
    await window.composer.click();
    await window.page.keyboard.type("/");
    await window.page.getByRole("option", { name: /Sign in to this MCP server/ }).click();
    await window.signIn.answer(false);
    await (await serverRow(window, "tickets")).getByText("Not signed in").waitFor();
    assert.deepEqual(window.signIn.opened, []);
  });
});
