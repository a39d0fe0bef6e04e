// The sessions of all folders in the real VS Code: two windows on two folders of one profile. The second one lists, searches
// and opens what the first one has stored.
import assert from "node:assert/strict";
import { basename } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseInMenu } from "./contextMenu.ts";
import { chat, closeWindow, newSession, openChat, openWorkbench, runCommand, screenshot } from "./harness.ts";
import { filesBelow } from "./storedFiles.ts";

const pane = (page: Page): Locator =>
  page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
const row = (page: Page, text: string): Locator => pane(page).locator(".monaco-list-row").filter({ hasText: text });
const searchPage = (page: Page): FrameLocator =>
  page
    .frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"]):visible')
    .frameLocator("iframe#active-frame");

async function send(panel: FrameLocator, text: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
  await panel.getByRole("heading", { name: `You: ${text}`, exact: true }).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

describe("the sessions of all folders in a real VS Code", () => {
  it("are listed and searched in a window on another folder, and open their folder in a new window", async () => {
    const first = await openWorkbench({
      files: {
        "harbour.json": '[{ "chunk": "A lighthouse at the harbour." }]',
        "beach.json": '[{ "chunk": "Sand." }]',
      },
    });
    const stored = (): readonly string[] =>
      filesBelow(first.server.dataDir).filter(name => /\.(session\.json|search\.txt)$/.test(name));
    const before = stored().length;
    const panel = await openChat(first.page);
    await send(panel, "#script harbour.json");
    await newSession(first.page, panel);
    await send(panel, "#script beach.json");
    await until(() => stored().length >= before + 4);

    const second = await openWorkbench({ files: { "hill.json": '[{ "chunk": "No lighthouse on the hill." }]' } });
    const { page } = second;
    await send(await openChat(page), "#script hill.json");
    await runCommand(page, "Parley: Show Sessions of All Folders");
    await runCommand(page, "Parley: Focus on Sessions View");
    await row(page, "hill").first().waitFor();
    const folder = row(page, basename(first.folder));
    await folder.click();
    await row(page, "harbour.json").waitFor();
    await pane(page)
      .getByRole("treeitem", { name: /harbour\.json.*open in another window/ })
      .waitFor();
    assert.equal(await row(page, basename(second.folder)).count(), 0, "the folder of the window is not another one");
    await screenshot(page, "all-folders");
    await row(page, "harbour.json").click({ button: "right" });
    await page.getByRole("menuitem", { name: "Open Folder in New Window" }).waitFor();
    assert.deepEqual(await page.getByRole("menu").getByRole("menuitem").allInnerTexts(), ["Open Folder in New Window"]);
    await screenshot(page, "all-folders-menu");
    await page.keyboard.press("Escape");
    const opened = page.context().waitForEvent("page");
    await chooseInMenu(row(page, "harbour.json"), "Open Folder in New Window");
    const window = await opened;
    assert.equal(new URL(window.url()).searchParams.get("folder"), first.folder);
    await window.close();

    await runCommand(page, "Parley: Search Conversations…");
    const search = searchPage(page);
    const box = search.getByRole("textbox", { name: "Search conversations" });
    await box.and(search.locator(":focus")).waitFor();
    await page.keyboard.type("lighthouse");
    await search.getByText("1 hit in 1 conversation", { exact: true }).waitFor();
    await page.keyboard.press("Alt+a");
    const region = search.getByRole("region", { name: `Folder ${basename(first.folder)}`, exact: true });
    await region.getByText("A lighthouse at the harbour.").waitFor();
    await screenshot(page, "all-folders-search");

    // The window on the folder shows the session of the hit, and not the one that it showed last.
    await closeWindow(first);
    const openedByHit = page.context().waitForEvent("page");
    await region.locator(".hit").click();
    const another = await openedByHit;
    assert.equal(new URL(another.url()).searchParams.get("folder"), first.folder);
    await chat(another).getByRole("heading", { name: "You: #script harbour.json", exact: true }).waitFor();
    const find = chat(another).getByRole("search");
    await find.getByText("1 of 1").first().waitFor();
    assert.equal(await find.getByRole("textbox").inputValue(), "lighthouse");
    await screenshot(another, "all-folders-opened");
    await another.close();
    assert.deepEqual(second.errors, []);
  });
});
