// Sessions that an agent keeps: imported with their conversation, continued, copied, and deleted at the agent.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseAgent, withAgents } from "./agents.ts";
import { chooseInMenu } from "./contextMenu.ts";
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

const choose = (page: Page, title: string, action: string): Promise<void> =>
  chooseInMenu(row(page, title).first(), action);

/** A notification. An automated VS Code keeps its toasts in the list. */
async function notified(page: Page, text: string): Promise<Locator> {
  await runCommand(page, "Notifications: Show Notifications");
  const notification = page.locator(".notifications-center .notification-list-item", { hasText: text });
  await notification.first().waitFor();
  return notification.first();
}

interface Keeper {
  readonly id: string;
  readonly name: string;
  /** The answer to the prompt with this number and text. */
  readonly answer: (number: number, text: string) => string;
}

async function openImport(page: Page, { id, name }: Keeper): Promise<void> {
  await runCommand(page, "Parley: Import from Agent…");
  await page.locator(".quick-input-widget input[placeholder='Select the agent that has the session']").waitFor();
  await page.keyboard.type(id);
  await pick(page, name).click();
}

/** Imports a session, continues it, and copies it. The panel shows the copy then. */
async function importAndCopy(page: Page, panel: FrameLocator, agent: Keeper): Promise<void> {
  const { id, name, answer } = agent;
  const log = panel.getByRole("log", { name: "Conversation" });
  const turn = async (number: number, text: string): Promise<void> => {
    await send(panel, text);
    await log.getByText(answer(number, text), { exact: true }).waitFor();
  };
  await chooseAgent(panel, id);
  await turn(1, "one");
  await turn(2, "two");
  await runCommand(page, "Parley: Delete Session");
  await log.getByText(answer(2, "two"), { exact: true }).waitFor({ state: "detached" });
  await notified(page, "Deleted the session “one”.");
  await runCommand(page, "Notifications: Clear All Notifications");

  await openImport(page, agent);
  await pick(page, "Kept: one").waitFor();
  await screenshot(page, `import-from-agent-${id}`);
  await pick(page, "Kept: one").click();
  await log.getByText(answer(2, "two"), { exact: true }).waitFor();
  await log.getByText(`Imported from ${name}.`, { exact: true }).waitFor();
  for (const text of ["one", "two"])
    assert.equal(await log.getByRole("heading", { name: `You: ${text}`, exact: true }).count(), 1, text);
  await turn(3, "three");
  await screenshot(page, `imported-${id}`);

  // The agent runs now, so the list offers to copy the session.
  if (!(await row(page, "Kept: one").first().isVisible())) await pane(page).locator(".pane-header").click();
  await choose(page, "Kept: one", "Copy Session");
  await row(page, "Kept: one (copy)").waitFor();
  await panel.getByText("Kept: one (copy)").first().waitFor();
  await turn(4, "four in the copy");
  for (const text of ["one", "two", "three"])
    assert.equal(await log.getByRole("heading", { name: `You: ${text}`, exact: true }).count(), 1, text);

  // It is in the list of the agent, and in Parley already.
  await openImport(page, agent);
  await until(async () => (await pick(page, "in Parley already").count()) >= 2);
  await page.keyboard.press("Escape");
}

describe("a session that an agent keeps", () => {
  it("is imported with its conversation, continued, copied, and not deleted by an agent that cannot", async () => {
    const { page, panel } = await withAgents();
    const agent = { id: "keeps", name: "Lasting Agent", answer: (at: number) => `Prompt ${at} of this session.` };
    await importAndCopy(page, panel, agent);

    // The agent advertises that it deletes sessions, and does not. Then the button is gone.
    await runCommand(page, "Parley: Delete Session");
    const deletion = await notified(page, "Deleted the session “Kept: one (copy)”.");
    await deletion.getByRole("button", { name: "Delete from Agent Too" }).click();
    await notified(page, "Lasting Agent could not delete its session: It does not support this");
    await runCommand(page, "Notifications: Clear All Notifications");
    await choose(page, "Kept: one", "Delete Session");
    const second = await notified(page, "Deleted the session “Kept: one”.");
    assert.equal(await second.getByRole("button", { name: "Delete from Agent Too" }).count(), 0);
    await runCommand(page, "Notifications: Clear All Notifications");
  });

  it("of version 2 is imported, continued, copied with the MCP servers of a new session, and deleted at the agent", async () => {
    const { page, panel, errors } = await withAgents();
    const agent = { id: "keeps-two", name: "Keeping Agent", answer: (_: number, text: string) => `You said: ${text}` };
    const log = panel.getByRole("log", { name: "Conversation" });
    await importAndCopy(page, panel, agent);
    await send(panel, "name the servers");
    await log.getByText("Servers: tools (stdio)", { exact: true }).waitFor();

    await runCommand(page, "Parley: Delete Session");
    for (const title of ["Kept: one (copy)", "Kept: one"]) {
      if (title === "Kept: one") await choose(page, title, "Delete Session");
      const deletion = await notified(page, `Deleted the session “${title}”.`);
      await deletion.getByRole("button", { name: "Delete from Agent Too" }).click();
      await deletion.waitFor({ state: "detached" });
    }
    await openImport(page, agent);
    await pick(page, "Keeping Agent has no sessions in this folder.").waitFor();
    await page.keyboard.press("Escape");
    await runCommand(page, "Notifications: Clear All Notifications");
    assert.deepEqual(errors, []);
  });
});
