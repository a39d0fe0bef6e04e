// Branches in the real VS Code: a sent message is edited by keyboard, with its image and the files of that moment, and
// by mouse a stopped turn is sent again and a conversation branches twice.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

const write = (file: string, content: string): object => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: `$cwd/${file}`, content } },
});
const script = (...steps: readonly object[]): string => JSON.stringify({ steps });
const scripts = {
  "first.json": script(write("src/sum.js", "first\n"), { chunk: "One done." }),
  "second.json": script(write("src/sum.js", "second\n"), write("made.txt", "made\n"), { chunk: "Two done." }),
  "third.json": script(write("src/sum.js", "third\n"), { chunk: "Three done." }),
  "talk.json": script({ chunk: "Talk done." }),
  "slow.json": script({ chunk: "Working on it." }, { waitForCancel: true }),
};

describe("branches of a conversation", () => {
  it("begin with an edited message by keyboard, with its image and the files of that moment, and Undo brings all back", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench(scripts);
    const keys = page.keyboard;
    const composer = panel.getByRole("textbox", { name: "Message", exact: true });
    const sum = (): string => readFileSync(join(folder, "src/sum.js"), "utf8");
    const hasMade = (): boolean => existsSync(join(folder, "made.txt"));
    const atFirst = sum();
    await prompt(panel, "first.json", "One done.");
    await composer.evaluate(pastePicture, onePixel);
    await panel.getByRole("button", { name: /^Remove .*png/i }).waitFor();
    await prompt(panel, "second.json", "Two done.");
    writeFileSync(join(folder, "user.txt"), "the user's\n");
    assert.deepEqual([sum(), hasMade()], ["second\n", true]);
    const changes = panel.getByRole("region", { name: "Changes" });
    await changes.getByRole("button", { name: /^2 files/ }).waitFor();
    await composer.focus();
    await keys.type("a draft");
    await tabTo(page, message(panel, "second.json").getByRole("button", { name: "Edit Prompt" }));
    await keys.press("Enter");
    const editor = panel.getByRole("textbox", { name: "Edit Prompt" });
    await editor.and(panel.locator(":focus")).waitFor();
    await scene(page, "branch-editor");
    // Not Select All: VS Code carries it out later, when a part of the new text may be typed already.
    for (const _ of "second.json") await keys.press("Backspace");
    await keys.type("third.json");
    assert.equal(await editor.inputValue(), "#script third.json");
    await keys.press("Enter");
    await row(page, "Keep the Files as They Are").waitFor();
    await page.locator(".tab.active", { hasText: "Checkpoint: #script second.json" }).waitFor();
    await screenshot(page, "branch-files");
    assert.deepEqual([sum(), hasMade()], ["second\n", true], "no file changes before the choice");
    await keys.press("ArrowDown");
    await keys.press("Enter");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByText("Three done.").waitFor();
    await until(() => sum() === "third\n" && !hasMade());
    await message(panel, "third.json").locator("img").waitFor();
    await log.getByText("2 of 2").waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await screenshot(page, "branch-edited");
    // The branch can also restore the files of a message that it has copied.
    await message(panel, "first.json").getByRole("button", { name: "Restore Checkpoint" }).click();
    await row(page, "Files").first().waitFor();
    await screenshot(page, "branch-restore-copied");
    // A list ignores clicks just after it has opened.
    await until(async () => {
      if (await row(page, "Files").first().isVisible()) await row(page, "Files").first().click();
      return sum() === atFirst && !hasMade();
    });
    await runCommand(page, "Parley: Undo Restore");
    await until(() => sum() === "third\n");
    // The undo of the restore may not be over, and no other one begins before.
    const question = row(page, "Bring the Files Back to Before the Branch");
    await until(async () => {
      await runCommand(page, "Parley: Undo Branch");
      return question.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    });
    await screenshot(page, "branch-undo");
    await keys.press("Enter");
    await until(() => sum() === "second\n" && hasMade());
    await log.getByText("Two done.").waitFor();
    await log.getByText("1 of 2").waitFor();
    await changes.getByRole("button", { name: /^2 files/ }).waitFor();
    assert.equal(await composer.inputValue(), "a draft");
    assert.equal(readFileSync(join(folder, "user.txt"), "utf8"), "the user's\n");
    await scene(page, "branch-undone");
    await composer.fill("");
    await runCommand(page, "Notifications: Clear All Notifications");
    assert.deepEqual(errors, []);
  });

  it("begin by mouse with a stopped message and twice after an answer, and the buttons at the message switch", async () => {
    const { page, panel, errors } = await sharedWorkbench(scripts);
    const log = panel.getByRole("log", { name: "Conversation" });
    const stop = panel.getByRole("button", { name: "Stop", exact: true });
    await prompt(panel, "talk.json", "Talk done.");
    await send(panel, "slow.json");
    await log.getByText("Working on it.").waitFor();
    await stop.click();
    await stop.waitFor({ state: "hidden" });
    await choose(message(panel, "slow.json"), "Retry");
    await log.getByText("2 of 2").waitFor();
    await log.getByText("Working on it.").waitFor();
    await stop.click();
    await stop.waitFor({ state: "hidden" });
    const answer = panel.locator('parley-message[data-kind="agent"]', { hasText: "Talk done." }).first();
    await choose(answer, "Branch from Here");
    await log.getByText("3 of 3").waitFor();
    await message(panel, "slow.json").waitFor({ state: "detached" });
    await scene(page, "branch-from-here");
    await send(panel, "first.json");
    await log.getByText("One done.").waitFor();
    await log.getByRole("button", { name: "Previous Branch" }).click();
    await log.getByText("2 of 3").waitFor();
    await message(panel, "slow.json").waitFor();
    await message(panel, "slow.json").hover();
    await scene(page, "branch-switch");
    await choose(answer, "Branch from Here");
    await log.getByText("4 of 4").waitFor();
    for (const place of ["3 of 4", "2 of 4", "1 of 4"]) {
      await log.getByRole("button", { name: "Previous Branch" }).click();
      await log.getByText(place).waitFor();
    }
    await message(panel, "slow.json").waitFor();
    await runCommand(page, "Notifications: Clear All Notifications");
    await runCommand(page, "Parley: Go to Sessions");
    const tree = page.getByRole("tree", { name: "Sessions" });
    await tree
      .getByRole("treeitem", { name: /, 4 branches$/ })
      .first()
      .waitFor();
    // The branch that the chat shows has the focus, below the latest one. The keys of the view work on it.
    const branches = tree.locator('[role="treeitem"][aria-level="3"]');
    await branches.and(page.locator(".focused")).waitFor();
    assert.equal(await branches.count(), 3);
    await screenshot(page, "branch-rows");
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await tree
      .getByRole("treeitem", { name: /, 3 branches$/ })
      .first()
      .waitFor();
    assert.deepEqual(errors, []);
  });
});

/** Sends a message that lets the demo agent play the script. */
async function send(panel: FrameLocator, name: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message", exact: true });
  await composer.fill(`#script ${name}`);
  await composer.press("Enter");
}

async function prompt(panel: FrameLocator, name: string, answer: string): Promise<void> {
  await send(panel, name);
  await panel.getByRole("log", { name: "Conversation" }).getByText(answer).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

const message = (panel: FrameLocator, name: string): Locator =>
  panel.locator('parley-message[data-kind="user"]', { hasText: `#script ${name}` });

async function choose(shown: Locator, action: string): Promise<void> {
  await shown.hover();
  await shown.getByRole("button", { name: "Message Actions" }).click();
  await shown.getByRole("menuitem", { name: action }).click();
}

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

/** Runs in the page. Simulates the browser's paste of a picture. */
function pastePicture(box: Element, data: string): void {
  const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], "pixel.png", { type: "image/png" }));
  box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

/** A picture of one pixel in Base64. */
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
