// Checkpoints: an agent edits in two turns. The user restores a checkpoint by mouse and by keyboard, and undoes the
// restore.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { chooseRow, openChat, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { until } from "../support/fakes/until.ts";

const write = (file: string, content: string): object => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: `$cwd/${file}`, content } },
});
const scripts = {
  "first.json": JSON.stringify({
    steps: [write("src/sum.js", "first\n"), write("made.txt", "by the agent\n"), { chunk: "One done." }],
  }),
  "second.json": JSON.stringify({ steps: [write("src/sum.js", "second\n"), { chunk: "Two done." }] }),
};

describe("checkpoints", () => {
  it("restore files by mouse after a preview and a choice, and a button undoes the restore", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(scripts);
    const files = workspace(folder);
    const original = files.sum();
    await twoTurns(panel);
    assert.deepEqual([files.sum(), files.hasMade()], ["second\n", true]);
    await message(panel, "first.json").hover();
    await restoreButton(panel, "first.json").click();
    const tab = page.locator(".tab.active", { hasText: "Checkpoint: #script first.json" });
    await tab.waitFor();
    await row(page, "2 files will be restored.").first().waitFor();
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await screenshot(page, "checkpoint-preview");
    assert.equal(files.sum(), "second\n", "no file changes before the choice");
    await chooseRow(row(page, "2 files will be restored.").first());
    await until(() => files.sum() === original && !files.hasMade());
    await tab.waitFor({ state: "detached" });
    await panel.getByRole("region", { name: "Changes" }).waitFor({ state: "hidden" });
    await screenshot(page, "checkpoint-restored");
    await runCommand(page, "Notifications: Show Notifications");
    const restored = page.locator(".notifications-center .notification-list-item", {
      hasText: "Restored the checkpoint",
    });
    await restored.getByRole("button", { name: "Undo" }).click();
    await until(() => files.sum() === "second\n" && files.hasMade());
    await undoEnded(page);
    assert.deepEqual(errors, []);
  });

  it("restore files by keyboard, keep later changes of the user unless selected, and a command undoes the restore", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(scripts);
    const files = workspace(folder);
    const original = files.sum();
    assert.match(original, /export function sum/);
    await twoTurns(panel);
    assert.deepEqual([files.sum(), files.hasMade()], ["second\n", true]);
    writeFileSync(join(folder, "made.txt"), "the user's\n");
    await panel.getByRole("textbox", { name: "Message" }).focus();
    const button = restoreButton(panel, "first.json");
    await tabTo(page, button);
    await page.keyboard.press("Enter");
    await row(page, "1 file will be restored.").waitFor();
    await page.keyboard.press("Enter");
    await row(page, "made.txt").waitFor();
    await screenshot(page, "checkpoint-kept");
    await page.keyboard.press("Enter");
    await until(() => files.sum() === original);
    assert.equal(readFileSync(join(folder, "made.txt"), "utf8"), "the user's\n");
    await panel.getByRole("region", { name: "Changes" }).getByText("1 file").waitFor();
    await runCommand(page, "Parley: Undo Restore");
    await until(() => files.sum() === "second\n");
    await undoEnded(page);
    assert.deepEqual(errors, []);
  });

  it("survive a reload, and restore the conversation as a new session with the earlier transcript attached", async () => {
    const { page, panel, folder } = await sharedWorkbench(scripts);
    const files = workspace(folder);
    await twoTurns(panel);
    await reloadWindow(page);
    const again = await openChat(page);
    await restoreButton(again, "second.json").focus();
    await page.keyboard.press("Enter");
    await chooseRow(row(page, "Files and Conversation"));
    await until(() => files.sum() === "first\n");
    await again
      .getByRole("log", { name: "Conversation" })
      .getByText(/cannot rewind a conversation/)
      .waitFor();
    await again.getByRole("list", { name: "Attachments" }).getByText("Conversation so far").waitFor();
    assert.equal(await again.getByRole("textbox", { name: "Message" }).inputValue(), "#script second.json");
    await screenshot(page, "checkpoint-conversation");
    await runCommand(page, "Parley: Undo Restore");
    await until(() => files.sum() === "second\n");
    await again.getByRole("textbox", { name: "Message" }).fill("");
    await again.getByRole("list", { name: "Attachments" }).getByRole("button").first().click();
    await undoEnded(page);
  });

  it("are gone after they are deleted", async () => {
    const { page, panel, errors } = await sharedWorkbench(scripts);
    await prompt(panel, "first.json", "One done.");
    await restoreButton(panel, "first.json").waitFor({ state: "attached" });
    await runCommand(page, "Parley: Delete Checkpoints…");
    await page.getByRole("dialog").getByRole("button", { name: "Of This Session" }).click();
    await restoreButton(panel, "first.json").waitFor({ state: "detached" });
    await runCommand(page, "Notifications: Clear All Notifications");
    assert.deepEqual(errors, []);
  });
});

/**
 * Waits until Parley reports the end of an undo, and removes its notification. The files are on disk before that, and the
 * next test would replace them while Parley still works on them.
 */
async function undoEnded(page: Page): Promise<void> {
  await runCommand(page, "Notifications: Show Notifications");
  const ended = { hasText: "The restore was undone:" };
  await page.locator(".notifications-center .notification-list-item", ended).first().waitFor();
  await runCommand(page, "Notifications: Clear All Notifications");
}

interface Files {
  sum(): string;
  hasMade(): boolean;
}

const workspace = (folder: string): Files => ({
  sum: () => readFileSync(join(folder, "src/sum.js"), "utf8"),
  hasMade: () => existsSync(join(folder, "made.txt")),
});

async function twoTurns(panel: FrameLocator): Promise<void> {
  await prompt(panel, "first.json", "One done.");
  await prompt(panel, "second.json", "Two done.");
}

async function prompt(panel: FrameLocator, script: string, answer: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(`#script ${script}`);
  await composer.press("Enter");
  await panel.getByRole("log", { name: "Conversation" }).getByText(answer).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

const message = (panel: FrameLocator, script: string): Locator =>
  panel.locator('parley-message[data-kind="user"]', { hasText: `#script ${script}` });

const restoreButton = (panel: FrameLocator, script: string): Locator =>
  message(panel, script).getByRole("button", { name: "Restore Checkpoint" });

/** A row of the open list. */
const row = (page: Page, words: string): Locator =>
  page.locator(".quick-input-list .monaco-list-row", { hasText: words });

/** Presses Shift+Tab until the button has the focus. */
async function tabTo(page: Page, button: Locator): Promise<void> {
  for (let i = 0; i < 60; i++) {
    if (await button.evaluate(element => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press("Shift+Tab");
  }
  assert.fail("the button cannot be reached by keyboard");
}
