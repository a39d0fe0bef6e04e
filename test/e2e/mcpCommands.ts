// Steps with MCP servers that several tests take.
import type { FrameLocator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { runCommand } from "./harness.ts";

/** The program of a server that behaves as its argument says. */
export const hostileServer = inProject("test", "support", "mcp", "hostileServer.mjs");

/** The definition of the agent that reports its servers. */
export const mcpAgent = (args: readonly string[], more: object = {}): object => ({
  name: "MCP Agent",
  command: process.execPath,
  args: [inProject("test", "support", "agents", "mcpAgent.mjs"), ...args],
  startTimeout: 20,
  ...more,
});

/** Types `/`, chooses the only server that is not started yet, and allows Parley to start it. */
export async function startServerByCommand(page: Page, panel: FrameLocator): Promise<void> {
  await panel.getByRole("textbox", { name: "Message" }).click();
  await page.keyboard.type("/");
  await panel.getByRole("option", { name: /Start this MCP server/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
}

/** Sends a prompt, and waits until the agent has reported its servers. */
export async function expectServers(panel: FrameLocator, prompt: string, names: readonly string[]): Promise<string> {
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
export async function openServers(panel: FrameLocator): Promise<ReturnType<FrameLocator["getByRole"]>> {
  const list = panel.getByRole("dialog", { name: "MCP servers" });
  if (!(await list.isVisible())) await panel.getByRole("button", { name: /^MCP servers: / }).click();
  await list.waitFor();
  return list;
}

/** Restarts the agent, so that its next session gets the servers that are on. */
export async function restartAgent(panel: FrameLocator): Promise<void> {
  const list = await openServers(panel);
  await list.getByText("The change takes effect when MCP Agent opens its next session.").waitFor();
  await list.getByRole("button", { name: "Restart Agent" }).click();
}

/** Waits for the notification in the list, because an automated VS Code keeps its toasts there. */
export async function showNotification(page: Page, words: string): Promise<ReturnType<Page["locator"]>> {
  const notification = notifications(page, words);
  await runCommand(page, "Notifications: Show Notifications");
  await notification.waitFor();
  return notification;
}

const notifications = (page: Page, words: string): ReturnType<Page["locator"]> =>
  page.locator(".notifications-center .notification-list-item", { hasText: words });
