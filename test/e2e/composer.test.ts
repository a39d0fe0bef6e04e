// The composer in the real VS Code, by keyboard: attachments from the workspace, the clipboard and the editor.
// test/joined/queue.test.ts has the queue of prompts.
import assert from "node:assert/strict";
import type { FrameLocator, Locator } from "playwright-core";
import { openFile, screenshot, sharedWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

describe("the composer", () => {
  it("attaches a file by its name, a picture from the clipboard, and the selection of the editor", async () => {
    const { page, panel, errors } = await sharedWorkbench();
    const composer = panel.getByRole("textbox", { name: "Message" });
    const log = panel.getByRole("log", { name: "Conversation" });
    const keys = page.keyboard;

    // Attach a workspace file by its name, and a picture from the clipboard.
    await composer.and(panel.locator(":focus")).waitFor();
    await keys.type("explain @sum.j");
    await panel.getByRole("option", { name: /^sum\.js/ }).waitFor();
    await scene(page, "composer-mention");
    await keys.press("Enter");
    await button(panel, "Remove sum.js").waitFor();
    await composer.evaluate(pastePicture, onePixel);
    await panel.getByRole("button", { name: /^Remove .*png/i }).waitFor();
    await scene(page, "composer-chips");
    await keys.press("Enter");
    await log.getByRole("heading", { name: "You: explain @sum.js" }).waitFor({ state: "attached" });
    await log.getByText("image/png").waitFor();
    await log.getByRole("heading", { name: "Functions" }).waitFor();
    await button(panel, "Stop").waitFor({ state: "hidden" });

    // Attach the selection from the list of the Attach button.
    await openFile(page, "cart.js");
    await page.locator(".editor-instance .view-line").first().click();
    await keys.press("Control+A");
    await composer.focus();
    const attach = button(panel, "Attach").and(panel.locator(":focus"));
    for (let tabs = 0; tabs < 8 && (await attach.count()) === 0; tabs++) await keys.press("Tab");
    await attach.waitFor();
    await keys.press("Enter");
    const list = page.locator(".quick-input-widget");
    await list.getByText("Attach to the Message").waitFor();
    for (const label of ["Files…", "Image…"]) await list.getByText(label).waitFor();
    await list.locator(".monaco-list-row", { hasText: /Selection.*cart\.js:1-/ }).waitFor();
    await screenshot(page, "composer-attach");
    await keys.type("selection");
    await keys.press("Enter");
    const chip = panel.getByRole("button", { name: /^Remove cart\.js:1-/ });
    // The next test uses the same window.
    await chip.click();
    await chip.waitFor({ state: "detached" });

    assert.deepEqual(errors, []);
  });
});

/** A picture of one pixel in Base64. */
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Runs in the page. Simulates the browser's paste of a picture. */
function pastePicture(box: Element, data: string): void {
  const bytes = Uint8Array.from(atob(data), character => character.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], "pixel.png", { type: "image/png" }));
  box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

const button = (panel: FrameLocator, name: string): Locator => panel.getByRole("button", { name, exact: true });
