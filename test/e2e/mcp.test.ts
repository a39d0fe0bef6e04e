// MCP in the real VS Code: servers for agents, and prompts as slash commands, with the published server of the MCP project.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { endServers, everything, freePort, hostile, listening, modern } from "../support/mcp/servers.ts";
import { runCommand, screenshot, sharedWorkbench, startingSession } from "./harness.ts";

const settings = {
  "parley.mcpServers": { everything: { command: process.execPath, args: [everything] } },
};

/** Types `/`, and allows the server to start if that is asked. */
async function allow(page: Page, panel: FrameLocator): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.click();
  await page.keyboard.type("/");
  const list = panel.getByRole("listbox", { name: "Commands" });
  const start = list.getByRole("option", { name: /Start this MCP server/ });
  const prompt = list.getByRole("option", { name: /everything:completable-prompt/ });
  await start.or(prompt).first().waitFor();
  if (await start.isVisible()) {
    await start.click();
    const dialog = page.getByRole("dialog").filter({ hasText: "Allow Parley to start the MCP server" });
    await dialog.getByText(everything).first().waitFor();
    await dialog.getByRole("button", { name: "Allow" }).click();
  }
  await prompt.waitFor();
}

describe("prompts of MCP servers", () => {
  it("are listed after a slash, completed by the server, shown and sent", async () => {
    const { page, panel, errors } = await sharedWorkbench({}, settings);
    const log = panel.getByRole("log", { name: "Conversation" });
    const composer = panel.getByRole("textbox", { name: "Message" });
    await allow(page, panel);
    await page.keyboard.type("compl");
    await screenshot(page, "mcp-list");
    await panel.getByRole("option", { name: /everything:completable-prompt/ }).waitFor();
    await page.keyboard.press("Enter");

    const form = panel.getByRole("form", { name: "/everything:completable-prompt" });
    await form.getByRole("button", { name: "Continue" }).click();
    await form.getByText("An answer is required.").first().waitFor();
    await form.getByRole("combobox", { name: "department (required)" }).click();
    await page.keyboard.type("S");
    await form.getByRole("option", { name: "Support" }).waitFor();
    await screenshot(page, "mcp-form");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await form.getByRole("combobox", { name: "department (required)" }).inputValue(), "Sales");
    await page.keyboard.press("Tab");
    await page.keyboard.type("Da");
    // The server knows the people of the department.
    await form.getByRole("option", { name: "David" }).click();
    await form.getByRole("button", { name: "Continue" }).click();

    const preview = panel.getByRole("group", { name: "Preview of /everything:completable-prompt" });
    await preview.getByText("Please promote David to the head of the Sales team.").waitFor();
    await screenshot(page, "mcp-preview");
    assert.equal(await log.getByText("Please promote David").count(), 0);
    await preview.getByRole("button", { name: "Send", exact: true }).click();
    await log.getByText("Please promote David to the head of the Sales team.").first().waitFor();
    assert.equal(await composer.inputValue(), "");
    assert.deepEqual(errors, []);
  });
});

/** Opens the list of servers. */
async function openServers(panel: FrameLocator): Promise<Locator> {
  const list = panel.getByRole("dialog", { name: "MCP servers" });
  if (!(await list.isVisible())) await panel.getByRole("button", { name: /^MCP servers: / }).click();
  await list.waitFor();
  return list;
}

/** Allows a server in the list of servers, if that is asked, and waits for its state. */
async function start(page: Page, panel: FrameLocator, server: string, state: string): Promise<Locator> {
  const list = await openServers(panel);
  const row = list
    .locator(".mcp-server")
    .filter({ has: panel.getByRole("checkbox", { name: new RegExp(`^${server}`) }) });
  const allow = row.getByRole("button", { name: `Start ${server}`, exact: true });
  if (await allow.isVisible()) {
    await allow.click();
    await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
    await openServers(panel);
  }
  await row.getByText(state, { exact: true }).waitFor();
  return row;
}

/** Chooses a prompt by typing its name. */
async function usePrompt(page: Page, panel: FrameLocator, name: string): Promise<void> {
  const servers = panel.getByRole("dialog", { name: "MCP servers" });
  // The list covers the box.
  if (await servers.isVisible()) await panel.getByRole("button", { name: /^MCP servers: / }).click();
  await servers.waitFor({ state: "hidden" });
  await panel.getByRole("textbox", { name: "Message" }).click();
  await page.keyboard.type(`/${name}`);
  await panel
    .getByRole("option", { name: new RegExp(`${name}\\b`) })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
}

describe("MCP servers of every kind", () => {
  const stdio = (file: string, ...args: readonly string[]): object => ({
    command: process.execPath,
    args: [file, ...args],
  });
  let port = 0;
  let modernPort = 0;
  before(async () => {
    port = await freePort();
    await listening([everything, "streamableHttp"], port);
    modernPort = await listening([modern, "http"]);
  });
  after(endServers);
  const window = (): ReturnType<typeof sharedWorkbench> =>
    sharedWorkbench(
      {},
      {
        "parley.mcpServers": {
          web: { type: "http", url: `http://127.0.0.1:${port}/mcp` },
          newest: stdio(modern),
          latest: { url: `http://127.0.0.1:${modernPort}/` },
          storm: stdio(hostile, "storm"),
          many: stdio(hostile, "thousand"),
          slow: stdio(hostile, "slow"),
          missing: { command: "no-such-server" },
        },
      },
    );

  it("offer their prompts: over HTTP, and on the newest SDK with a question of the server", async () => {
    const { page, panel, errors } = await window();
    const log = panel.getByRole("log", { name: "Conversation" });
    for (const server of ["web", "newest", "latest"]) await start(page, panel, server, "Ready");
    await screenshot(page, "mcp-servers-ready");
    await usePrompt(page, panel, "web:args-prompt");
    const form = panel.getByRole("form", { name: "/web:args-prompt" });
    await form.getByRole("combobox", { name: "city (required)" }).fill("Rome");
    await form.getByRole("combobox", { name: "state", exact: true }).waitFor();
    await form.getByRole("button", { name: "Continue" }).click();
    const sent = panel.getByRole("group", { name: "Preview of /web:args-prompt" });
    await sent.getByText("What's weather in Rome?").waitFor();
    await sent.getByRole("button", { name: "Send", exact: true }).click();
    await log.getByText("What's weather in Rome?").first().waitFor();
    for (const server of ["newest", "latest"]) {
      await usePrompt(page, panel, `${server}:ask`);
      const question = panel.getByRole("form", { name: "Which ticket?" });
      await question.getByRole("textbox", { name: "ticket (required)" }).fill(`T-${server}`);
      await question.getByRole("button", { name: "Send" }).click();
      const preview = panel.getByRole("group", { name: `Preview of /${server}:ask` });
      await preview.getByText(`Fix ticket T-${server}.`).waitFor();
      await preview.getByRole("button", { name: "Cancel" }).click();
    }
    assert.deepEqual(errors, []);
  });

  it("ask in the session that uses them, while another session has a form of its own", async () => {
    const { page, panel, errors } = await window();
    for (const server of ["web", "newest"]) await start(page, panel, server, "Ready");
    await usePrompt(page, panel, "newest:ask");
    const question = panel.getByRole("form", { name: "Which ticket?" });
    await question.getByRole("textbox", { name: "ticket (required)" }).fill("T-1");
    await startingSession(panel, () => runCommand(page, "Parley: New Session"));
    const form = panel.getByRole("form", { name: "/web:args-prompt" });
    await usePrompt(page, panel, "web:args-prompt");
    await form.getByRole("combobox", { name: "city (required)" }).fill("Oslo");
    assert.equal(await question.count(), 0);
    await startingSession(panel, async () => {
      await runCommand(page, "Parley: Switch Session");
      // The first row has the focus, but not at once.
      await page.locator(".quick-input-list .monaco-list-row.focused").waitFor();
      await page.locator(".quick-input-list .monaco-list-row:not(.focused)").first().click();
    });
    assert.equal(await form.count(), 0);
    assert.equal(await question.getByRole("textbox", { name: "ticket (required)" }).inputValue(), "T-1");
    await question.getByRole("button", { name: "Send" }).click();
    const preview = panel.getByRole("group", { name: "Preview of /newest:ask" });
    await preview.getByText("Fix ticket T-1.").waitFor();
    await preview.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(errors, []);
  });

  it("are usable with a thousand prompts and during a storm of changes, and say why one failed", async () => {
    const { page, panel, errors } = await window();
    await start(page, panel, "storm", "Ready");
    await start(page, panel, "many", "Ready");
    const missing = await start(page, panel, "missing", "Failed");
    await missing.getByText("no-such-server was not found on the PATH that VS Code sees.").waitFor();
    await missing.getByRole("button", { name: "Start missing again" }).waitFor();
    const slow = await start(page, panel, "slow", "Starting…");
    await screenshot(page, "mcp-servers-states");
    await page.keyboard.press("Escape");
    await panel.getByRole("textbox", { name: "Message" }).click();
    await page.keyboard.type("/");
    await panel.getByText(/^9\d\d more\. Type to find them\.$/).waitFor();
    await page.keyboard.type("many:p987");
    await panel
      .getByRole("option", { name: /many:p987/ })
      .first()
      .waitFor();
    await screenshot(page, "mcp-thousand");
    await page.keyboard.press("Enter");
    const preview = panel.getByRole("group", { name: "Preview of /many:p987" });
    await preview.getByText("{}").waitFor();
    await preview.getByRole("button", { name: "Cancel" }).click();
    await usePrompt(page, panel, "storm:second");
    await panel
      .getByRole("group", { name: "Preview of /storm:second" })
      .getByRole("button", { name: "Cancel" })
      .click();
    await openServers(panel);
    await slow.getByText("Failed", { exact: true }).waitFor();
    await slow.getByText("The server did not answer in time.").waitFor();
    assert.deepEqual(errors, []);
  });
});
