// Sessions that an agent keeps: imported with their conversation, continued, copied, and deleted at the agent.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { chooseAgent, withAgents } from "./agents.ts";
import { chooseInMenu } from "./contextMenu.ts";
import { chooseRow, confirmDeletion, expandView, runCommand, screenshot } from "./harness.ts";

const pane = (page: Page): Locator =>
  page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
const row = (page: Page, title: string): Locator => pane(page).locator(".monaco-list-row").filter({ hasText: title });
const pick = (page: Page, text: string): Locator =>
  page.locator(".quick-input-widget .monaco-list-row").filter({ hasText: text });

async function send(panel: FrameLocator, text: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
}

const choose = (page: Page, title: string, action: string): Promise<void> =>
  chooseInMenu(row(page, title).first(), action);

/** A notification. An automated VS Code keeps its toasts in the list. */
async function notified(page: Page, text: string): Promise<Locator> {
  await runCommand(page, "Notifications: Show Notifications");
  const notification = page.locator(".notifications-center .notification-list-item", { hasText: text });
  await notification.first().waitFor();
  return notification.first();
}

const name = "Keeping Agent";

async function openImport(page: Page): Promise<void> {
  await runCommand(page, "Parley: Import from Agent…");
  await page.locator(".quick-input-widget input[placeholder='Select the agent that has the session']").waitFor();
  await page.keyboard.type("keeps-two");
  await chooseRow(pick(page, name));
}

describe("a session that an agent keeps", () => {
  it("of version 2 is imported, continued, copied with the MCP servers of a new session, and deleted at the agent", async () => {
    const { page, panel, errors } = await withAgents();
    const log = panel.getByRole("log", { name: "Conversation" });
    const turn = async (text: string): Promise<void> => {
      await send(panel, text);
      await log.getByText(`You said: ${text}`, { exact: true }).waitFor();
    };
    const haveEachOnce = async (...texts: readonly string[]): Promise<void> => {
      for (const text of texts)
        assert.equal(await log.getByRole("heading", { name: `You: ${text}`, exact: true }).count(), 1, text);
    };
    await chooseAgent(panel, "keeps-two");
    await turn("one");
    await turn("two");
    await runCommand(page, "Parley: Delete Session");
    await confirmDeletion(page, "one");
    await log.getByText("You said: two", { exact: true }).waitFor({ state: "detached" });
    await notified(page, "Deleted the session “one”.");
    await runCommand(page, "Notifications: Clear All Notifications");

    await openImport(page);
    await pick(page, "Kept: one").waitFor();
    await screenshot(page, "import-from-agent");
    await chooseRow(pick(page, "Kept: one"));
    await log.getByText("You said: two", { exact: true }).waitFor();
    await log.getByText(`Imported from ${name}.`, { exact: true }).waitFor();
    await haveEachOnce("one", "two");
    await turn("three");

    // The agent runs now, so the list offers to copy the session.
    await expandView(page, "Sessions");
    await choose(page, "Kept: one", "Copy Session");
    await row(page, "Kept: one (copy)").waitFor();
    await panel.getByText("Kept: one (copy)").first().waitFor();
    await turn("four in the copy");
    await haveEachOnce("one", "two", "three");
    await send(panel, "name the servers");
    await log.getByText("Servers: tools (stdio)", { exact: true }).waitFor();

    await runCommand(page, "Parley: Delete Session");
    for (const title of ["Kept: one (copy)", "Kept: one"]) {
      if (title === "Kept: one") await choose(page, title, "Delete Session");
      await confirmDeletion(page, title);
      const deletion = await notified(page, `Deleted the session “${title}”.`);
      await deletion.getByRole("button", { name: "Delete from Agent Too" }).click();
      await deletion.waitFor({ state: "detached" });
    }
    await openImport(page);
    await pick(page, `${name} has no sessions in this folder.`).waitFor();
    await page.keyboard.press("Escape");
    await runCommand(page, "Notifications: Clear All Notifications");
    assert.deepEqual(errors, []);
  });
});
