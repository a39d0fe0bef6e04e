// Steps with MCP servers that several joined tests take.
import type { Locator } from "playwright-core";
import { hostile } from "../support/mcp/servers.ts";
import { testAgent, type JoinedWindow } from "./joinedPanel.ts";

/** The agent that reports its servers. Its arguments are the types of servers that it can use besides stdio. */
export const mcpAgent = (types: readonly string[] = [], more: object = {}): object =>
  testAgent("mcpAgent.mjs", types, { name: "MCP Agent", ...more });

/** The definition of a server over stdio that behaves in this way. */
export const hostileServer = (behaviour: string, env: Readonly<Record<string, string>> = {}): object => ({
  ...{ command: process.execPath, args: [hostile, behaviour] },
  ...(Object.keys(env).length > 0 && { env }),
});

/** Opens the list of servers, and returns it. */
export async function openServers({ page }: JoinedWindow): Promise<Locator> {
  const list = page.getByRole("dialog", { name: "MCP servers" });
  if (!(await list.isVisible())) await page.getByRole("button", { name: /^MCP servers: / }).click();
  await list.waitFor();
  return list;
}

/** Closes the list of servers, which covers the composer. */
async function closeServers({ page }: JoinedWindow): Promise<void> {
  const list = page.getByRole("dialog", { name: "MCP servers" });
  if (await list.isVisible()) await page.getByRole("button", { name: /^MCP servers: / }).click();
  await list.waitFor({ state: "hidden" });
}

/** The row of a server in the list. */
export async function serverRow(window: JoinedWindow, server: string): Promise<Locator> {
  const list = await openServers(window);
  return list
    .locator(".mcp-server")
    .filter({ has: window.page.getByRole("checkbox", { name: new RegExp(`^${server}(?! \\d)`) }) });
}

/** Allows servers of the user in the list, and waits for the state of each. */
export async function startServers(
  window: JoinedWindow,
  servers: readonly string[],
  state: string = "Ready",
): Promise<void> {
  const list = await openServers(window);
  for (const server of servers) {
    await list.getByRole("button", { name: `Start ${server}`, exact: true }).click();
    await window.questions.answer("Allow");
  }
  for (const server of servers) await (await serverRow(window, server)).getByText(state, { exact: true }).waitFor();
}

/** Chooses a prompt by its name in the list of commands. */
export async function usePrompt(window: JoinedWindow, name: string): Promise<void> {
  const { page, composer } = window;
  await closeServers(window);
  await composer.click();
  await page.keyboard.type(`/${name}`);
  await page
    .getByRole("option", { name: new RegExp(`${name}\\b`) })
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
}

/** The preview of a prompt. */
export const preview = ({ page }: JoinedWindow, name: string): Locator =>
  page.getByRole("group", { name: `Preview of /${name}` });

/** Cancels the preview of a prompt after it shows this text. */
export async function cancelPreview(window: JoinedWindow, name: string, text: string): Promise<void> {
  await preview(window, name).getByText(text).first().waitFor();
  await preview(window, name).getByRole("button", { name: "Cancel" }).click();
}

/** Sends a prompt, and waits until the agent has reported that it has exactly these servers. Resolves with them as JSON. */
export async function expectServers(window: JoinedWindow, prompt: string, names: readonly string[]): Promise<string> {
  await closeServers(window);
  await window.send(prompt);
  await window.prompt(prompt).waitFor();
  const text = `The session has ${names.length} servers: ${names.join(", ") || "none"}.`;
  await window.log.getByText(text).last().waitFor();
  await window.idle();
  return window.log.locator("pre").last().innerText();
}

/** Restarts the agent in the list of servers, so that its next session gets the servers that are on. */
export async function restartAgent(window: JoinedWindow): Promise<void> {
  const list = await openServers(window);
  await list.getByText("The change takes effect when MCP Agent opens its next session.").waitFor();
  await list.getByRole("button", { name: "Restart Agent" }).click();
}
