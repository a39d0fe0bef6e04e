// A workspace with several folders: a new session asks in which one the agent works, and `@` finds the files of all. The
// Sessions view can group the sessions by folder.
// test/library/workspaceFolders.host.test.ts has the folder that is offered first.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chat, chooseRow, openWorkbench, reloadWindow, runCommand, screenshot } from "./harness.ts";

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const isFocused = (panel: FrameLocator): Promise<void> => composer(panel).and(panel.locator(":focus")).waitFor();

/** On a busy machine, VS Code in a browser can open such a workspace before it can read the list of folders. */
async function whenListed(page: Page, folder: string): Promise<void> {
  const listed = page.locator(".explorer-viewlet").getByText(folder, { exact: true });
  for (let tries = 0; tries < 3; tries++) {
    const isListed = await listed.waitFor({ timeout: 8000 }).then(
      () => true,
      () => false,
    );
    if (isListed) return;
    await reloadWindow(page);
  }
}

describe("a workspace with several folders", () => {
  it("has the folder of a new session asked for and shown in the header, its files found by their names, and sessions grouped by folder", async () => {
    const { page, folder, errors } = await openWorkbench({
      files: {
        "one/quillwort.js": "export function first() {\n  return 1;\n}\n",
        "two/quillwort.js": "export function second() {\n  return 2;\n}\n",
        "two/where.json": JSON.stringify([{ chunk: "in $cwd" }]),
        "both.code-workspace": JSON.stringify({ folders: [{ path: "one" }, { path: "two" }] }),
      },
      workspaceFile: "both.code-workspace",
    });
    await whenListed(page, "two");
    // Ignore the errors that VS Code reported when it closed, if it was reopened.
    const before = errors.length;
    const panel = chat(page);
    const icon = (name: RegExp): Locator =>
      page.getByRole("tablist", { name: "Active View Switcher" }).getByRole("tab", { name });
    await icon(/^Parley/).click();
    const shown = panel.locator("parley-header .folder");
    await shown.getByText("one", { exact: true }).waitFor();

    const rows = page.locator(".quick-input-list .monaco-list-row");
    await runCommand(page, "Parley: New Session");
    await rows.filter({ hasText: "one" }).waitFor();
    await screenshot(page, "folder-of-new-session");
    await chooseRow(rows.filter({ hasText: "two" }));
    await shown.getByText("two", { exact: true }).waitFor();
    await isFocused(panel);
    await page.keyboard.type("#script where.json");
    await page.keyboard.press("Enter");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByText(`in ${join(folder, "two")}`, { exact: true }).waitFor();
    await screenshot(page, "folder-in-header");

    // The icon of the view gives the focus to the composer, whatever had it before.
    await panel.getByRole("button", { name: "Agent: Demo Agent" }).focus();
    // On a busy machine, VS Code can drop the focus while it shows the view. Then the user clicks again.
    for (let done = false; !done;) {
      await icon(/^Explorer/).click();
      await page.locator(".explorer-folders-view").waitFor();
      await icon(/^Parley/).click();
      const focused = composer(panel).and(panel.locator(":focus"));
      done = await focused.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    }
    // VS Code can also take the focus back while the user types, and the letters are lost.
    for (let typed = ""; typed !== "explain @quill";) {
      await composer(panel).fill("");
      await page.keyboard.type("explain @quill");
      typed = await composer(panel).inputValue();
    }
    await panel.getByRole("option", { name: /^quillwort\.js.*one/ }).waitFor();
    await panel.getByRole("option", { name: /^quillwort\.js.*two/ }).click();
    await panel.getByRole("button", { name: "Remove quillwort.js", exact: true }).waitFor();
    await composer(panel).press("Enter");
    await log
      .getByText(/second/)
      .first()
      .waitFor();
    await panel.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" });
    assert.equal(await log.getByText(/\bfirst\b/).count(), 0);

    await runCommand(page, "Parley: New Session");
    await chooseRow(rows.filter({ hasText: "one" }));
    await shown.getByText("one", { exact: true }).waitFor();
    await composer(panel).fill("hello");
    await composer(panel).press("Enter");
    await panel.getByRole("heading", { name: "You: hello", exact: true }).waitFor();
    await panel.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" });
    await runCommand(page, "Parley: Focus on Sessions View");
    const view = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
    const labels = (): Promise<readonly string[]> => view.locator(".monaco-list-row .label-name").allInnerTexts();
    await until(async () => (await labels()).join() === "Today,What the demo agent can do,Explain quillwort.js");
    await runCommand(page, "Parley: Group Sessions by Folder");
    await until(async () => (await labels()).join() === "one,What the demo agent can do,two,Explain quillwort.js");
    await screenshot(page, "sessions-by-folder");
    await runCommand(page, "Parley: Group Sessions by Date");
    await until(async () => (await labels()).join() === "Today,What the demo agent can do,Explain quillwort.js");
    assert.deepEqual(errors.slice(before), []);
  });
});
