// MCP servers for agents in the real VS Code: where they are configured, what the user is asked, and what agents get.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { chooseAgent } from "./agents.ts";
import {
  answerTrust,
  canChangeSettings,
  newSession,
  openChat,
  openWorkbench,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
} from "./harness.ts";

const programs = mkdtempSync(join(tmpdir(), "parley-mcp-"));
after(() => rmSync(programs, { recursive: true, force: true }));

const hostile = inProject("test", "support", "mcp", "hostileServer.mjs");
/** A server over stdio. Its program appends to the file `mark` when it starts. */
const stdio = (behaviour: string, env: Readonly<Record<string, string>> = {}): object => ({
  command: process.execPath,
  args: [hostile, behaviour],
  ...(Object.keys(env).length > 0 && { env }),
});
const agent = (args: readonly string[], more: object = {}): object => ({
  name: "MCP Agent",
  command: process.execPath,
  args: [inProject("test", "support", "agents", "mcpAgent.mjs"), ...args],
  startTimeout: 20,
  ...more,
});

/** Sends a prompt, and waits until the agent has reported its servers. */
async function expectServers(panel: FrameLocator, prompt: string, names: readonly string[]): Promise<string> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(prompt);
  await composer.press("Enter");
  const log = panel.getByRole("log", { name: "Conversation" });
  await log.getByRole("heading", { name: `You: ${prompt}` }).waitFor();
  await log
    .getByText(`The session has ${names.length} servers: ${names.join(", ") || "none"}.`)
    .last()
    .waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  return log.locator("pre").last().innerText();
}

/** Opens the list of servers, and returns it. */
async function openServers(panel: FrameLocator): Promise<ReturnType<FrameLocator["getByRole"]>> {
  const list = panel.getByRole("dialog", { name: "MCP servers" });
  if (!(await list.isVisible())) await panel.getByRole("button", { name: /^MCP servers: / }).click();
  await list.waitFor();
  return list;
}

async function restartAgent(panel: FrameLocator): Promise<void> {
  const list = await openServers(panel);
  await list.getByText("The change takes effect when MCP Agent opens its next session.").waitFor();
  await list.getByRole("button", { name: "Restart Agent" }).click();
}

/** Waits for the notification in the list, because an automated VS Code keeps its toasts there. */
async function showNotification(page: Page, words: string): Promise<ReturnType<Page["locator"]>> {
  const notification = notifications(page, words);
  await runCommand(page, "Notifications: Show Notifications");
  await notification.waitFor();
  return notification;
}

const notifications = (page: Page, words: string): ReturnType<Page["locator"]> =>
  page.locator(".notifications-center .notification-list-item", { hasText: words });

describe("MCP servers of a workspace", () => {
  const settings = { "parley.agents": { mcp: agent([]) } };
  const file = (name: string, ...args: readonly string[]): string =>
    `{\n  // As VS Code writes it.\n  "servers": { "${name}": ${JSON.stringify({ command: process.execPath, args: [hostile, ...args] })}, },\n}`;

  it("reach the agent after the user has allowed each of them once, and again when one changes", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(
      { ".vscode/mcp.json": file("local", "honest") },
      settings,
    );
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "before", []);
    const offered = "This workspace has MCP servers for agents: local. Agents don't get them yet.";
    const offer = await showNotification(page, offered);
    await offer.getByRole("button", { name: "Review…" }).click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Allow the MCP server “local” of this workspace?" });
    await dialog.getByText(hostile).first().waitFor();
    await screenshot(page, "mcp-consent");
    await dialog.getByRole("button", { name: "Allow" }).click();
    await restartAgent(panel);
    const given = await expectServers(panel, "after", ["local"]);
    assert.ok(given.includes(hostile), given);

    // The consent is remembered.
    await newSession(page, panel);
    await expectServers(panel, "again", ["local"]);
    assert.deepEqual(errors, []);
    await reloadWindow(page);
    await newSession(page, panel);
    await expectServers(panel, "after a reload", ["local"]);
    await runCommand(page, "Notifications: Show Notifications");
    assert.equal(await offer.count(), 0);
    await runCommand(page, "Notifications: Hide Notifications");

    // Another argument is another program.
    writeFileSync(join(folder, ".vscode", "mcp.json"), file("local", "honest", "2025-03-26"));
    const list = await openServers(panel);
    await list.getByText("Not allowed yet").waitFor();
    await restartAgent(panel);
    await expectServers(panel, "changed", []);
    await (await openServers(panel)).getByRole("button", { name: "Allow local" }).click();
    await dialog.getByText("2025-03-26").first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expectServers(panel, "refused", []);
    await (await openServers(panel)).getByRole("button", { name: "Allow local" }).click();
    await dialog.getByRole("button", { name: "Allow" }).click();
    await restartAgent(panel);
    await expectServers(panel, "allowed again", ["local"]);
  });

  it("and the user's own are not started, and not even read, while the workspace is not trusted", async () => {
    const marks = ["workspace", "user", "agent"].map(name => join(programs, `${name}.started`));
    const [workspace = "", user = "", own = ""] = marks;
    const { page } = await openWorkbench({
      trust: true,
      files: { ".vscode/mcp.json": JSON.stringify({ servers: { local: stdio("honest", { MCP_MARK: workspace }) } }) },
      settings: {
        "parley.mcpServers": { mine: stdio("honest", { MCP_MARK: user }) },
        "parley.agents": { mcp: agent([], { mcpServers: { own: stdio("honest", { MCP_MARK: own }) } }) },
      },
    });
    await answerTrust(page, false);
    const panel = await openChat(page);
    await panel.getByText(/Parley doesn't start agents in untrusted workspaces/).waitFor();
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.click();
    await page.keyboard.type("/");
    assert.equal(await panel.getByRole("button", { name: /^MCP servers: / }).count(), 0);
    assert.equal(await panel.getByRole("option", { name: /MCP server|:first/ }).count(), 0);
    await page.keyboard.press("Backspace");

    await panel.getByRole("button", { name: "Manage Workspace Trust" }).click();
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await panel.getByText(/This workspace is not trusted/).waitFor({ state: "hidden" });
    await page
      .locator(".monaco-modal-editor-block")
      .getByRole("button", { name: /^Close/ })
      .click();
    // Once it is trusted, a server still starts only after the user has allowed it.
    await panel.getByRole("button", { name: /^MCP servers: / }).waitFor();
    await composer.click();
    await page.keyboard.type("/");
    await panel.getByRole("option", { name: /^\/?mine/ }).waitFor();
    assert.deepEqual(marks.filter(existsSync), []);
    await panel.getByRole("option", { name: /^\/?mine/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await panel.getByRole("option", { name: /mine:first/ }).waitFor();
    assert.deepEqual(marks.filter(existsSync), [user]);
  });
});

describe("MCP servers of an agent", () => {
  it("reach this agent only, as far as it can use them, and Parley names once what it cannot use", async () => {
    const mcpServers = {
      own: stdio("honest"),
      web: { url: "https://example.com/mcp" },
      lost: { command: "no-such-server" },
    };
    const { page, panel, errors } = await sharedWorkbench(
      {},
      {
        "parley.agents": { plain: agent([]), narrow: agent([], { mcpServers }), wide: agent(["http"], { mcpServers }) },
        "parley.mcpServers": { mine: stdio("honest") },
      },
    );
    const log = panel.getByRole("log", { name: "Conversation" });
    const unsupported = log.getByText(
      "The MCP server “web” is left out. MCP Agent cannot use MCP servers of the type http.",
    );
    const lost = log.getByText("The MCP server “lost” is left out. The program no-such-server was not found.");
    await chooseAgent(panel, "plain");
    await expectServers(panel, "plain", ["mine"]);
    await chooseAgent(panel, "narrow");
    await unsupported.waitFor();
    await lost.waitFor();
    await screenshot(page, "mcp-left-out");
    await expectServers(panel, "narrow", ["own", "mine"]);
    const list = await openServers(panel);
    await list.getByText("MCP Agent cannot use MCP servers of the type http.").waitFor();
    await page.keyboard.press("Escape");
    await newSession(page, panel);
    await expectServers(panel, "narrow again", ["own", "mine"]);
    assert.equal(await unsupported.count(), 0);
    assert.equal(await lost.count(), 0);
    await chooseAgent(panel, "wide");
    const given = await expectServers(panel, "wide", ["own", "web", "mine"]);
    assert.ok(given.includes('"type":"http"') && given.includes("https://example.com/mcp"), given);
    assert.deepEqual(errors, []);
    await reloadWindow(page);
    await chooseAgent(panel, "narrow");
    await lost.waitFor();
    assert.equal(await unsupported.count(), 0, "Parley has named it before");
  });

  it("are switched off for one session, and the composer says when that takes effect", async () => {
    const { page, panel, errors } = await sharedWorkbench(
      {},
      {
        "parley.agents": { mcp: agent([]) },
        "parley.mcpServers": { one: stdio("honest"), two: stdio("honest") },
      },
    );
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "both", ["one", "two"]);
    await (await openServers(panel)).getByRole("checkbox", { name: /^one/ }).click();
    await panel.getByRole("button", { name: "MCP servers: 1 of 2 on" }).waitFor();
    await screenshot(page, "mcp-switched-off");
    await expectServers(panel, "not yet", ["one", "two"]);
    await restartAgent(panel);
    await expectServers(panel, "off", ["two"]);
    assert.deepEqual(errors, []);
    // The choice is of this session, and it outlives the window.
    await reloadWindow(page);
    await panel.getByRole("button", { name: "MCP servers: 1 of 2 on" }).waitFor();
    await newSession(page, panel);
    await panel.getByRole("button", { name: "MCP servers: 2 of 2 on" }).waitFor();
    await expectServers(panel, "another session", ["one", "two"]);
  });
});

describe("the values that MCP servers need", () => {
  const key = "swordfish-4711";
  const settings = {
    "parley.agents": { mcp: agent([]) },
    "parley.mcpServers": {
      tickets: {
        ...stdio("key", { MCP_KEY: "${input:key}", MCP_REGION: "${input:region}" }),
        inputs: [
          { id: "key", description: "Key for the tickets", password: true },
          { id: "region", description: "Region", options: ["north", "south"] },
        ],
      },
    },
  };

  it("are asked once, hidden, kept for Parley and the agent, and asked again after they were removed", async () => {
    const { page, panel, errors } = await sharedWorkbench({}, settings);
    const widget = page.locator(".quick-input-widget");
    const input = widget.locator("input").first();
    /** Answers both questions. */
    const enter = async (value: string): Promise<void> => {
      await widget.getByText("MCP Server “tickets”").waitFor();
      await widget
        .getByText(/Key for the tickets/)
        .first()
        .waitFor();
      assert.equal(await input.getAttribute("type"), "password");
      await input.fill(value);
      await screenshot(page, "mcp-input");
      await input.press("Enter");
      await page.locator(".quick-input-list .monaco-list-row", { hasText: "north" }).click();
    };
    await chooseAgent(panel, "mcp");
    await enter(key);
    const given = await expectServers(panel, "servers", ["tickets"]);
    assert.ok(given.includes(`"value":"${key}"`) && given.includes('"value":"north"'), given);

    // Parley's own connection has the same value, without another question.
    await newSession(page, panel);
    await expectServers(panel, "servers again", ["tickets"]);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.click();
    await page.keyboard.type("/");
    await panel.getByRole("option", { name: /Start this MCP server/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await panel.getByRole("option", { name: /tickets:first/ }).click();
    await panel.getByRole("group", { name: "Preview of /tickets:first" }).getByText(`The key is ${key}`).waitFor();
    await panel.getByRole("button", { name: "Cancel", exact: true }).click();

    await runCommand(page, "Parley: Show Protocol Traffic");
    const editor = page.locator(".editor-instance .view-lines");
    await editor.getByText("session/new").first().waitFor();
    await page.keyboard.press("Control+F");
    await page.keyboard.type(key);
    await page.locator(".find-widget").getByText("No results").waitFor();
    await page.keyboard.press("Escape");
    await runCommand(page, "View: Close All Editors");

    await runCommand(page, "Parley: Remove Stored Values of MCP Servers");
    const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "tickets" });
    await row.getByText("key, region").waitFor();
    await row.click();
    await page.keyboard.press("Enter");
    await widget.waitFor({ state: "hidden" });
    await runCommand(page, "Parley: New Session");
    await widget
      .getByText(/Key for the tickets/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByText("The MCP server “tickets” is left out. tickets needs a value that was not entered.").waitFor();
    await expectServers(panel, "without", []);
    await runCommand(page, "Parley: New Session");
    await enter("another-value");
    const again = await expectServers(panel, "with", ["tickets"]);
    assert.ok(again.includes('"value":"another-value"'), again);
    assert.deepEqual(errors, []);
  });
});

describe("Import MCP Servers", () => {
  it("copies servers of VS Code's setting and of a file into the user's setting, with their inputs", async function () {
    if (!canChangeSettings) this.skip();
    const fromFile = { filed: { command: "run-filed", args: ["${input:key}"] }, mine: { command: "replaced" } };
    const text = `{ "mcpServers": ${JSON.stringify(fromFile)}, // with a comment\n}`;
    const { page, panel } = await sharedWorkbench(
      { "claude.json": text },
      {
        mcp: { inputs: [{ id: "key", description: "Key", password: true }], servers: { editors: stdio("honest") } },
        "parley.mcpServers": { mine: stdio("honest") },
        "files.simpleDialog.enable": true,
      },
    );
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await runCommand(page, "Parley: Import MCP Servers");
    await rows.filter({ hasText: "From VS Code" }).getByText("editors").waitFor();
    await rows.filter({ hasText: "From VS Code" }).click();
    await rows.filter({ hasText: "editors" }).getByText(hostile).waitFor();
    await page.keyboard.press("Enter");
    await showNotification(page, "Imported 1 MCP server.");
    await panel.getByRole("button", { name: "MCP servers: 2 of 2 on" }).waitFor();

    await runCommand(page, "Parley: Import MCP Servers");
    await rows.filter({ hasText: "From a File…" }).click();
    await rows.filter({ hasText: "claude.json" }).click();
    await rows.filter({ hasText: "replaces yours" }).waitFor();
    await screenshot(page, "mcp-import");
    // A server that the user has is not selected.
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: "MCP servers: 3 of 3 on" }).waitFor();
    const list = await openServers(panel);
    await list.getByText("run-filed '${input:key}'").waitFor();
    assert.equal(await list.getByText("replaced").count(), 0);
  });
});
