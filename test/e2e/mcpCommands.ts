// Steps with MCP servers that several tests take.
import type { FrameLocator, Page } from "playwright-core";

/** Types `/`, chooses the only server that is not started yet, and allows Parley to start it. */
export async function startServerByCommand(page: Page, panel: FrameLocator): Promise<void> {
  await panel.getByRole("textbox", { name: "Message" }).click();
  await page.keyboard.type("/");
  await panel.getByRole("option", { name: /Start this MCP server/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Allow" }).click();
}
