// MCP servers for agents in the real VS Code: where they are configured, what the user is asked, and what agents get.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import {
  answerTrust,
  chooseRow,
  newSession,
  openChat,
  openWorkbench,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
} from "./harness.ts";
import {
  expectServers,
  hostileServer,
  mcpAgent,
  openServers,
  restartAgent,
  showNotification,
  startServerByCommand,
} from "./mcpCommands.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const programs = mkdtempSync(join(tmpdir(), "parley-mcp-"));
after(() => rmSync(programs, { recursive: true, force: true }));

/** A server over stdio. Its program appends to the file `mark` when it starts. */
const stdio = (behaviour: string, env: Readonly<Record<string, string>> = {}): object => ({
  command: process.execPath,
  args: [hostileServer, behaviour],
  ...(Object.keys(env).length > 0 && { env }),
});
describe("MCP servers of a workspace", () => {
  const settings = { "parley.agents": { mcp: mcpAgent([]) } };
  const file = (name: string, ...args: readonly string[]): string =>
    `{\n  // As VS Code writes it.\n  "servers": { "${name}": ${JSON.stringify({ command: process.execPath, args: [hostileServer, ...args] })}, },\n}`;

  it("reach the agent after the user has allowed each of them once, and again when one changes", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(
      { ".vscode/mcp.json": file("local", "icon") },
      settings,
    );
    await chooseAgent(panel, "mcp");
    await expectServers(panel, "before", []);
    const offered = "This workspace has MCP servers for agents: local. Agents don't get them yet.";
    const offer = await showNotification(page, offered);
    await offer.getByRole("button", { name: "Review…" }).click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Allow the MCP server “local” of this workspace?" });
    await dialog.getByText(hostileServer).first().waitFor();
    await screenshot(page, "mcp-consent");
    await dialog.getByRole("button", { name: "Allow" }).click();
    await restartAgent(panel);
    const given = await expectServers(panel, "after", ["local"]);
    assert.ok(given.includes(hostileServer), given);

    // Its prompts are commands.
    await panel.getByRole("textbox", { name: "Message" }).click();
    await page.keyboard.type("/local:fir");
    await panel.getByRole("option", { name: /local:first/ }).waitFor();
    await page.keyboard.press("Enter");
    const preview = panel.getByRole("group", { name: "Preview of /local:first" });
    await preview.getByRole("button", { name: "Send", exact: true }).click();
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByRole("heading", { name: /^You: [^]*\{\}/ }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

    // A server that runs has its icon in the list.
    const servers = await openServers(panel);
    const image = servers.locator(".mcp-server", { hasText: "local" }).locator("img");
    await image.waitFor();
    await until(() => image.evaluate(drawn => drawn instanceof HTMLImageElement && drawn.naturalWidth > 0));
    await screenshot(page, "mcp-icon");
    await page.keyboard.press("Escape");
    assert.deepEqual(errors, []);

    // The consent is remembered.
    await reloadWindow(page);
    await newSession(page, panel);
    await expectServers(panel, "after a reload", ["local"]);
    await runCommand(page, "Notifications: Show Notifications");
    assert.equal(await offer.count(), 0);
    await runCommand(page, "Notifications: Clear All Notifications");

    // Another argument is another program.
    writeFileSync(join(folder, ".vscode", "mcp.json"), file("local", "icon", "2025-03-26"));
    const list = await openServers(panel);
    await list.getByText("Not allowed yet").waitFor();
    await list.getByRole("button", { name: "Allow local" }).click();
    await dialog.getByText("2025-03-26").first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
  });

  it("and the user's own are not started, and not even read, while the workspace is not trusted", async () => {
    const marks = ["workspace", "user", "agent"].map(name => join(programs, `${name}.started`));
    const [workspace = "", user = "", own = ""] = marks;
    const { page } = await openWorkbench({
      trust: true,
      files: {
        ".vscode/mcp.json": JSON.stringify({ servers: { local: stdio("honest", { MCP_MARK: workspace }) } }),
        ".github/prompts/review.prompt.md": "Review it.",
      },
      settings: {
        "parley.mcpServers": { mine: stdio("honest", { MCP_MARK: user }) },
        "parley.agents": { mcp: mcpAgent([], { mcpServers: { own: stdio("honest", { MCP_MARK: own }) } }) },
      },
    });
    await answerTrust(page, false);
    const panel = await openChat(page);
    await panel.getByText(/Parley doesn't start agents in untrusted workspaces/).waitFor();
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.click();
    await page.keyboard.type("/");
    assert.equal(await panel.getByRole("button", { name: /^MCP servers: / }).count(), 0);
    assert.equal(await panel.getByRole("option", { name: /MCP server|:first|review/ }).count(), 0);
    await page.keyboard.press("Backspace");

    await panel.getByRole("button", { name: "Manage Workspace Trust" }).click();
    await page.getByRole("button", { name: "Trust", exact: true }).first().click();
    await panel.getByText(/This workspace is not trusted/).waitFor({ state: "hidden" });
    // The oldest supported VS Code shows the page about trust as a tab.
    const modal = page.locator(".monaco-modal-editor-block").getByRole("button", { name: /^Close/ });
    const tab = page.locator(".tab", { hasText: "Workspace Trust" });
    await modal.or(tab).first().waitFor();
    if (await tab.isVisible()) await runCommand(page, "View: Close All Editors");
    else await modal.click();
    // Once it is trusted, a server still starts only after the user has allowed it.
    await panel.getByRole("button", { name: /^MCP servers: / }).waitFor();
    await composer.click();
    await page.keyboard.type("/");
    await panel.getByRole("option", { name: /^\/?mine/ }).waitFor();
    await panel.getByRole("option", { name: "review Workspace" }).waitFor();
    assert.deepEqual(marks.filter(existsSync), []);
    await panel.getByRole("option", { name: /^\/?mine/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await panel.getByRole("option", { name: /mine:first/ }).waitFor();
    assert.deepEqual(marks.filter(existsSync), [user]);
  });
});

describe("the values that MCP servers need", () => {
  const key = "swordfish-4711";
  const settings = {
    "parley.agents": { mcp: mcpAgent([]) },
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
      await chooseRow(page.locator(".quick-input-list .monaco-list-row", { hasText: "north" }));
    };
    await chooseAgent(panel, "mcp");
    await enter(key);
    const given = await expectServers(panel, "servers", ["tickets"]);
    assert.ok(given.includes(`"digest":"${digest(key)}"`) && given.includes('"value":"north"'), given);

    // Parley's own connection has the same value, without another question. The dialog returns the focus.
    await startServerByCommand(page, panel);
    await panel.getByRole("option", { name: /tickets:first/ }).waitFor();
    await page.keyboard.type("tickets:fir");
    await page.keyboard.press("Enter");
    await panel.getByRole("group", { name: "Preview of /tickets:first" }).getByText(`The key is ${key}`).waitFor();
    await panel.getByRole("button", { name: "Cancel", exact: true }).click();

    await runCommand(page, "Parley: Remove Stored Values of MCP Servers");
    const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "tickets" });
    await row.getByText("key, region").waitFor();
    await chooseRow(row);
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
    assert.deepEqual(errors, []);
  });
});
