// A workspace with several folders: a new session asks in which one the agent works.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { chooseAgent } from "./agents.ts";
import { openChat, openWorkbench, reloadWindow, runCommand, screenshot } from "./harness.ts";
import { whenStored } from "./whenStored.ts";

const second = { command: process.execPath, args: [inProject("dist", "demo-agent.mjs")], name: "Second Agent" };

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const session = (panel: FrameLocator): Promise<string | null> =>
  panel.locator("main[data-session]").getAttribute("data-session");

async function send(panel: FrameLocator, text: string): Promise<void> {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
  await conversation(panel)
    .getByRole("heading", { name: `You: ${text}`, exact: true })
    .waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

describe("a new session in a workspace with several folders", () => {
  it("asks for the folder, offers the last one first, and shows it in the header", async () => {
    const { page, folder, errors } = await openWorkbench({
      files: {
        "one/where.json": JSON.stringify([{ chunk: "in $cwd" }]),
        "two/where.json": JSON.stringify([{ chunk: "in $cwd" }]),
        "both.code-workspace": JSON.stringify({ folders: [{ path: "one" }, { path: "two" }] }),
      },
      workspaceFile: "both.code-workspace",
      settings: { "parley.agents": { second } },
    });
    // On a busy machine, VS Code in a browser can open such a workspace before it can read the list of folders.
    const listed = page.locator(".explorer-viewlet").getByText("two", { exact: true });
    for (let tries = 0; tries < 3; tries++) {
      const isListed = await listed.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
      if (isListed) break;
      await reloadWindow(page);
    }
    const panel = await openChat(page);
    const shown = panel.locator("parley-header .folder");
    await shown.getByText("one", { exact: true }).waitFor();
    const first = await session(panel);

    const rows = page.locator(".quick-input-list .monaco-list-row");
    await panel.getByRole("button", { name: "New Session" }).click();
    await rows.filter({ hasText: "two" }).waitFor();
    await screenshot(page, "folder-of-new-session");
    await page.keyboard.press("Escape");
    await rows.first().waitFor({ state: "hidden" });
    assert.equal(await session(panel), first, "nothing has started");

    await runCommand(page, "Parley: New Session");
    await rows.filter({ hasText: "two" }).click();
    await shown.getByText("two", { exact: true }).waitFor();
    await composer(panel).and(panel.locator(":focus")).waitFor();
    await send(panel, "#script where.json");
    await conversation(panel)
      .getByText(`in ${join(folder, "two")}`, { exact: true })
      .waitFor();
    await screenshot(page, "folder-in-header");

    const before = await session(panel);
    await runCommand(page, "Parley: New Session");
    await rows.filter({ hasText: "one" }).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /^two/);
    await page.keyboard.press("Enter");
    await panel.locator(`main[data-session]:not([data-session="${before ?? ""}"])`).waitFor();
    await shown.getByText("two", { exact: true }).waitFor();

    // Another agent works in the folder of the unused session. After a used one, the new session asks for the folder.
    await chooseAgent(panel, "second");
    await shown.getByText("two", { exact: true }).waitFor();
    await send(panel, "#script where.json");
    await conversation(panel)
      .getByText(`in ${join(folder, "two")}`, { exact: true })
      .waitFor();
    await panel.getByRole("button", { name: "Agent: Second Agent" }).click();
    await panel.getByRole("menu", { name: "Agent" }).locator('[data-value="demo"]').click();
    await rows.filter({ hasText: "one" }).click();
    await shown.getByText("one", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Agent: Demo Agent" }).waitFor();
    await send(panel, "#script where.json");
    await conversation(panel)
      .getByText(`in ${join(folder, "one")}`, { exact: true })
      .waitFor();

    assert.deepEqual(errors, []);
    // The next window remembers the choice.
    await whenStored(page, String.raw`parley.lastFolder\":\"${join(folder, "one")}`);
    await reloadWindow(page);
    const again = await openChat(page);
    await again.locator("parley-header .folder").getByText("one", { exact: true }).waitFor();
    await again.getByRole("button", { name: "New Session" }).click();
    await rows.filter({ hasText: "two" }).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /^one/);
  });
});
