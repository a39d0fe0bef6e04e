// Sessions that an agent keeps: imported with their conversation, continued, copied, and deleted at the agent.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseAgent, withAgents } from "./agents.ts";
import { runCommand, screenshot } from "./harness.ts";

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

async function choose(page: Page, title: string, action: string): Promise<void> {
  await row(page, title).first().click({ button: "right" });
  const item = page.getByRole("menuitem", { name: action });
  await item.waitFor();
  // A menu ignores clicks just after it has opened.
  await until(async () => {
    if ((await item.count()) > 0) await item.click({ timeout: 1000 }).catch(() => undefined);
    return (await item.count()) === 0;
  });
}

/** A notification. An automated VS Code keeps its toasts in the list. */
async function notified(page: Page, text: string): Promise<Locator> {
  await runCommand(page, "Notifications: Show Notifications");
  const notification = page.locator(".notifications-center .notification-list-item", { hasText: text });
  await notification.first().waitFor();
  return notification.first();
}

describe("a session that an agent keeps", () => {
  it("is imported with its conversation, continued, copied, and deleted at the agent", async () => {
    const { page, panel } = await withAgents();
    const log = panel.getByRole("log", { name: "Conversation" });
    await chooseAgent(panel, "keeps");
    await send(panel, "one");
    await log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
    await send(panel, "two");
    await log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
    await runCommand(page, "Parley: Delete Session");
    await log.getByText("Prompt 2 of this session.", { exact: true }).waitFor({ state: "detached" });
    await notified(page, "Deleted the session “one”.");
    await runCommand(page, "Notifications: Clear All Notifications");

    await runCommand(page, "Parley: Import from Agent…");
    await page.locator(".quick-input-widget input[placeholder='Select the agent that has the session']").waitFor();
    await page.keyboard.type("keeps");
    await pick(page, "keeps").click();
    await pick(page, "Kept: one").waitFor();
    await screenshot(page, "import-from-agent");
    await pick(page, "Kept: one").click();
    await log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
    await log.getByText("Imported from Lasting Agent.", { exact: true }).waitFor();
    for (const text of ["one", "two"])
      assert.equal(await log.getByRole("heading", { name: `You: ${text}`, exact: true }).count(), 1, text);
    await send(panel, "three");
    await log.getByText("Prompt 3 of this session.", { exact: true }).waitFor();
    await screenshot(page, "imported");

    // The agent runs now, so the list offers to copy the session.
    if (!(await row(page, "Kept: one").first().isVisible())) await pane(page).locator(".pane-header").click();
    await choose(page, "Kept: one", "Copy Session");
    await row(page, "Kept: one (copy)").waitFor();
    await panel.getByText("Kept: one (copy)").first().waitFor();
    await send(panel, "four in the copy");
    await log.getByText("Prompt 4 of this session.", { exact: true }).waitFor();

    // It is in the list of the agent, and in Parley already.
    await runCommand(page, "Parley: Import from Agent…");
    await page.locator(".quick-input-widget input[placeholder='Select the agent that has the session']").waitFor();
    await page.keyboard.type("keeps");
    await pick(page, "keeps").click();
    await until(async () => (await pick(page, "in Parley already").count()) >= 2);
    await page.keyboard.press("Escape");

    // The agent advertises that it deletes sessions, and does not. Then the button is gone.
    await runCommand(page, "Parley: Delete Session");
    const deletion = await notified(page, "Deleted the session “Kept: one (copy)”.");
    await deletion.getByRole("button", { name: "Delete from Agent Too" }).click();
    await notified(page, "Lasting Agent could not delete its session: It does not support this");
    await runCommand(page, "Notifications: Clear All Notifications");
    await choose(page, "Kept: one", "Delete Session");
    const second = await notified(page, "Deleted the session “Kept: one”.");
    assert.equal(await second.getByRole("button", { name: "Delete from Agent Too" }).count(), 0);
  });
});
