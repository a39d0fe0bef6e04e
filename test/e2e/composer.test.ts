// The composer in the real VS Code, by keyboard: a command of the agent, changes to the queue, and attachments, also in
// a workspace with several folders.
import assert from "node:assert/strict";
import type { FrameLocator, Locator } from "playwright-core";
import { openChat, openFile, openWorkbench, reloadWindow, screenshot, sharedWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

describe("the composer", () => {
  it("suggests commands, queues prompts while the agent works, changes the queue, and stops the agent", async () => {
    const { page, panel, errors } = await sharedWorkbench();
    const composer = panel.getByRole("textbox", { name: "Message" });
    const log = panel.getByRole("log", { name: "Conversation" });
    const keys = page.keyboard;
    const focused = (control: Locator): Promise<void> => control.and(panel.locator(":focus")).waitFor();
    const queued = async (): Promise<readonly string[]> =>
      panel.getByRole("list", { name: "Queued messages" }).locator(".queue-text").allTextContents();
    const until = async (expected: readonly string[]): Promise<void> => {
      const row = panel.locator(".queue-text");
      for (const [at, text] of expected.entries()) await row.nth(at).getByText(text, { exact: true }).waitFor();
      assert.deepEqual(await queued(), expected);
    };

    await focused(composer);
    await keys.type("hello");
    await keys.press("Enter");
    await log.getByText("I am the demo agent").waitFor();

    // Select a command from the list by its first letters.
    await keys.type("/te");
    await panel.getByRole("option", { name: /^\/test/ }).waitFor();
    await scene(page, "composer-commands");
    await keys.press("Enter");
    await keys.press("Enter");
    await panel.getByRole("group", { name: /^Run / }).waitFor();

    // The agent waits for an answer, so a prompt that is sent now waits too.
    await keys.type("explain src/sum.js");
    await keys.press("Enter");
    await keys.type("what can you do");
    await keys.press("Enter");
    await until(["explain src/sum.js", "what can you do"]);
    await keys.press("Shift+Tab");
    await focused(button(panel, "Edit: explain src/sum.js"));
    await keys.press("Alt+ArrowDown");
    await until(["what can you do", "explain src/sum.js"]);
    await focused(button(panel, "Edit: explain src/sum.js"));
    await keys.press("Enter");
    await focused(panel.getByRole("textbox", { name: "Edit queued text" }));
    await keys.type(" please");
    await keys.press("Enter");
    await until(["what can you do", "explain src/sum.js please"]);
    await scene(page, "composer-queue");

    await keys.press("Tab");
    await focused(composer);
    await keys.press("Escape");
    await button(panel, "Stop").waitFor({ state: "hidden" });
    // After a stop, queued prompts wait for the user.
    await until(["what can you do", "explain src/sum.js please"]);
    await keys.press("Shift+Tab");
    await focused(button(panel, "Edit: explain src/sum.js please"));
    await keys.press("Home");
    await keys.press("ArrowRight");
    await keys.press("ArrowRight");
    await keys.press("ArrowRight");
    await focused(button(panel, "Send now: what can you do"));
    await keys.press("Enter");
    await log.getByRole("heading", { name: "Functions" }).waitFor();
    await button(panel, "Stop").waitFor({ state: "hidden" });
    const said = await log.locator("parley-message[data-kind=user] .body").allTextContents();
    assert.deepEqual(
      said.map(text => text.trim()),
      ["hello", "/test", "what can you do", "explain src/sum.js please"],
    );

    // Attach a workspace file by its name, and a picture from the clipboard.
    await composer.focus();
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
    await log.getByRole("heading", { name: "Functions" }).nth(1).waitFor();
    await button(panel, "Stop").waitFor({ state: "hidden" });

    // Attach the selection from the list of the Attach button.
    await openFile(page, "cart.js");
    await page.locator(".editor-instance .view-line").first().click();
    await keys.press("Control+A");
    await composer.focus();
    const attach = button(panel, "Attach").and(panel.locator(":focus"));
    const reached = (): Promise<boolean> =>
      attach.waitFor({ timeout: 1000 }).then(
        () => true,
        () => false,
      );
    for (let tabs = 0; tabs < 8 && !(await reached()); tabs++) await keys.press("Tab");
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

    // On a busy machine, VS Code can be too slow to save its own settings. No other error is allowed.
    assert.deepEqual(
      errors.filter(error => !error.includes("onWillSaveTextDocument")),
      [],
    );
  });
});

describe("the composer in a workspace with several folders", () => {
  it("finds files of all folders, distinguishes files with the same name, and attaches the selected one", async () => {
    const { page, errors } = await openWorkbench({
      files: {
        "one/quillwort.js": "export function first() {\n  return 1;\n}\n",
        "two/quillwort.js": "export function second() {\n  return 2;\n}\n",
        "both.code-workspace": JSON.stringify({ folders: [{ path: "one" }, { path: "two" }] }),
      },
      workspaceFile: "both.code-workspace",
    });
    // On a busy machine, VS Code in a browser can open such a workspace before it can read the list of folders.
    const folder = page.locator(".explorer-viewlet").getByText("two", { exact: true });
    for (let tries = 0; tries < 3 && !(await shows(folder)); tries++) await reloadWindow(page);
    // Ignore the errors that VS Code reported when it closed, if it was reopened.
    const before = errors.length;
    const panel = await openChat(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.focus();
    await page.keyboard.type("explain @quill");
    await panel.getByRole("option", { name: /^quillwort\.js.*one/ }).waitFor();
    await panel.getByRole("option", { name: /^quillwort\.js.*two/ }).click();
    await button(panel, "Remove quillwort.js").waitFor();
    await composer.press("Enter");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log
      .getByText(/second/)
      .first()
      .waitFor();
    await button(panel, "Stop").waitFor({ state: "hidden" });
    assert.equal(await log.getByText(/\bfirst\b/).count(), 0);
    assert.deepEqual(errors.slice(before), []);
  });
});

const shows = (element: Locator): Promise<boolean> =>
  element.waitFor({ timeout: 8000 }).then(
    () => true,
    () => false,
  );

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
