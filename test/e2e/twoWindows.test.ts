// Two windows on one folder: each keeps the session that it shows, and a session is open in one of them only.
// test/library has the limits for stored sessions of several windows.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import {
  canOpenTwice,
  chooseRow,
  openAgain,
  openChat,
  openWorkbench,
  reloadWindow,
  runCommand,
  type Workbench,
} from "./harness.ts";
import { filesBelow } from "./storedFiles.ts";

const composer = (panel: FrameLocator) => panel.getByRole("textbox", { name: "Message" });
const prompt = (panel: FrameLocator, text: string) =>
  panel.getByRole("log", { name: "Conversation" }).getByRole("heading", { name: `You: ${text}`, exact: true });
const session = async (panel: FrameLocator): Promise<string> =>
  (await panel.locator("main[data-session]").getAttribute("data-session")) ?? "";

async function send(panel: FrameLocator, text: string): Promise<string> {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
  await prompt(panel, text).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  return session(panel);
}

/**
 * Lets the next window have the storage of this folder. A server gives each window on a folder a storage of its own, if
 * the lock in the storage works.
 */
function unlockStorage(dataDir: string): void {
  for (const path of filesBelow(dataDir))
    if (path.endsWith("vscode.lock")) rmSync(join(dataDir, path), { force: true });
}

async function reload({ page, server }: Workbench): Promise<FrameLocator> {
  unlockStorage(server.dataDir);
  await reloadWindow(page);
  return openChat(page);
}

describe("two windows on one folder", () => {
  it("each keep the session that they show after a reload, and do not open that of the other window", async function () {
    if (!canOpenTwice) this.skip();
    const files = { "one.json": '[{ "chunk": "Done." }]', "two.json": '[{ "chunk": "Done." }]' };
    const first = await openWorkbench({ files });
    const panel = await openChat(first.page);
    const kept = await send(panel, "#script one.json");

    unlockStorage(first.server.dataDir);
    const second = await openAgain(first);
    const other = await openChat(second.page);
    assert.equal(await prompt(other, "#script one.json").count(), 0, "the other window has it");
    const shown = await send(other, "#script two.json");
    assert.notEqual(shown, kept);

    // A session is open in one window only. This also shows that both have one storage.
    await runCommand(second.page, "Parley: Switch Session…");
    await chooseRow(second.page.locator(".quick-input-list .monaco-list-row", { hasText: "#script one.json" }));
    await runCommand(second.page, "Notifications: Show Notifications");
    await second.page
      .locator(".notifications-center .notification-list-item")
      .getByText("This session is open in another window. Continue there, or close that window first.")
      .waitFor();
    assert.equal(await session(other), shown);

    const again = await reload(second);
    await prompt(again, "#script two.json").waitFor();
    assert.equal(await session(again), shown);
    assert.equal(await session(panel), kept);
    const alsoAgain = await reload(first);
    await prompt(alsoAgain, "#script one.json").waitFor();
    assert.equal(await session(alsoAgain), kept);
  });
});
