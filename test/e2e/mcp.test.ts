// MCP in the real VS Code: servers for agents, and prompts as slash commands, with the published server of the MCP project.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { FrameLocator, Page } from "playwright-core";
import { screenshot, sharedWorkbench } from "./harness.ts";

const require = createRequire(join(process.cwd(), "package.json"));
const everything = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
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
