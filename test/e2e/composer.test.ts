// The composer in the real VS Code, by keyboard: a command of the agent, changes to the queue, and attachments, also in
// a workspace with several folders.
import assert from "node:assert/strict";
import type { FrameLocator, Locator } from "playwright-core";
import { chat, openFile, openWorkbench, reloadWindow, screenshot, sharedWorkbench } from "./harness.ts";
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
    await focused(button(panel, "Resume"));
    await keys.press("ArrowRight");
    await keys.press("ArrowRight");
    await keys.press("ArrowRight");
    await keys.press("ArrowRight");
    await focused(button(panel, "Send now: what can you do"));
    await keys.press("Enter");
    await log.getByRole("heading", { name: "Functions" }).waitFor();
    await button(panel, "Stop").waitFor({ state: "hidden" });

    // Resume sends the whole queue.
    await keys.type("/test");
    await keys.press("Enter");
    await panel.getByRole("group", { name: /^Run / }).waitFor();
    await keys.type("hello again");
    await keys.press("Enter");
    await until(["hello again"]);
    await keys.press("Escape");
    await panel.getByText("Paused").waitFor();
    await scene(page, "composer-paused");
    await button(panel, "Resume").click();
    await panel.getByText("Paused").waitFor({ state: "hidden" });
    await log.getByRole("heading", { name: "You: hello again" }).waitFor({ state: "attached" });
    await button(panel, "Stop").waitFor({ state: "hidden" });
    const said = await log.locator("parley-message[data-kind=user] .body").allTextContents();
    assert.deepEqual(
      said.map(text => text.trim()),
      ["hello", "/test", "what can you do", "explain src/sum.js please", "/test", "hello again"],
    );

    // Attach a workspace file by its name, and a picture from the clipboard.
    await composer.focus();
    // Alone, `@` lists every kind.
    await keys.type("explain @");
    for (const kind of ["Files", "Folders", "Symbols", "Selection", "Problems", "Terminal output", "Git diff"])
      await panel.getByRole("option", { name: new RegExp(`^${kind}`) }).waitFor();
    await screenshot(page, "composer-kinds");
    await keys.type("sum.j");
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

    // Eight pictures are too large for agents. They come back with the text, and the message says which ones to remove.
    await composer.evaluate(pasteNoise, 8);
    const removeNoise = panel.getByRole("button", { name: /^Remove noise-\d\.png/ });
    await removeNoise.nth(7).waitFor();
    await composer.focus();
    await keys.type("what are these");
    await keys.press("Enter");
    const refused = panel.getByRole("alert").getByText(/is too large to send: its size is 3\d.*the limit is 30 MiB/);
    const names = [...((await refused.textContent()) ?? "").matchAll(/“(noise-\d\.png)” \(4\.\d MiB\)/g)];
    assert.equal(names.length, 2);
    assert.deepEqual([await composer.inputValue(), await removeNoise.count()], ["what are these", 8]);
    await screenshot(page, "composer-too-large");
    for (const [, name] of names) await button(panel, `Remove ${name ?? ""}`).click();
    await composer.press("Enter");
    await log.getByText("You sent 6 pictures").waitFor();
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
    // The icon of the view opens the chat.
    const icons = page.getByRole("tablist", { name: "Active View Switcher" });
    await icons.getByRole("tab", { name: /^Parley/ }).click();
    const panel = chat(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await panel.locator("parley-header").waitFor();
    // While a window starts, VS Code can leave the focus nowhere after a click on the icon.
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

/** Runs in the page. Simulates the paste of pictures that PNG can't compress, of 3.7 MB each. */
async function pasteNoise(box: Element, count: number): Promise<void> {
  const clipboardData = new DataTransfer();
  const canvas = Object.assign(document.createElement("canvas"), { width: 1050, height: 1000 });
  const context = canvas.getContext("2d");
  for (let i = 1; context && i <= count; i++) {
    const { data, width, height } = context.createImageData(canvas.width, canvas.height);
    // The page accepts at most 64 KiB of random bytes at once.
    for (let at = 0; at < data.length; at += 65_536) crypto.getRandomValues(data.subarray(at, at + 65_536));
    for (let at = 3; at < data.length; at += 4) data[at] = 255;
    context.putImageData(new ImageData(data, width, height), 0, 0);
    const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, "image/png"));
    if (blob) clipboardData.items.add(new File([blob], `noise-${i}.png`, { type: "image/png" }));
  }
  box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

const button = (panel: FrameLocator, name: string): Locator => panel.getByRole("button", { name, exact: true });
