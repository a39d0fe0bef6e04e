// The search of all conversations in the real VS Code: hits in two sessions, the way to a hit in the chat, the keys from hit
// to hit, and the button of the Sessions view.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { newSession, runCommand, screenshot, sharedWorkbench } from "./harness.ts";

const searchPage = (page: Page): FrameLocator =>
  page.frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"])').frameLocator("iframe#active-frame");

/** The document of the chat view, also while the tab of the search is open. */
const chatView = (page: Page): FrameLocator =>
  page.frameLocator('iframe.webview.ready[src*="purpose=webviewView"]').frameLocator("iframe#active-frame");

const toolCall = (id: string, title: string, text: string): unknown => ({
  ...{ sessionUpdate: "tool_call", toolCallId: id, title, kind: "other", status: "completed" },
  content: [{ type: "content", content: { type: "text", text } }],
});

describe("the search of all conversations in a real VS Code", () => {
  it("finds words of two sessions while typing, and opens each at its hit", async () => {
    const { page, errors } = await sharedWorkbench({
      "first.json": JSON.stringify([{ chunk: "A lighthouse.\n\nAnother lighthouse." }]),
      "second.json": JSON.stringify([{ update: toolCall("t", "Look at the sea", "one\ntwo lighthouses\nthree") }]),
    });
    const panel = chatView(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    const prompt = (name: string): Locator => panel.getByRole("heading", { name: `You: #script ${name}.json` });
    for (const name of ["first", "second"]) {
      await composer.fill(`#script ${name}.json`);
      await composer.press("Enter");
      await prompt(name).waitFor();
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      await newSession(page, panel);
    }

    await runCommand(page, "Parley: Search Conversations…");
    const search = searchPage(page);
    const box = search.getByRole("textbox", { name: "Search conversations" });
    await box.and(search.locator(":focus")).waitFor();
    await page.keyboard.type("lighthouse");
    await search.getByText("3 hits in 2 conversations", { exact: true }).waitFor();
    await search.getByText("two lighthouses").waitFor();
    await screenshot(page, "search-in-workbench");

    const bar = panel.getByRole("search");
    await search.locator(".hit", { hasText: "two lighthouses" }).click();
    await prompt("second").waitFor();
    await panel.getByRole("log", { name: "Conversation" }).getByText("two lighthouses").waitFor();
    await bar.getByText("1 of 1").first().waitFor();
    await runCommand(page, "Parley: Go to Next Search Hit");
    await prompt("first").waitFor();
    await bar.getByText("1 of 2").first().waitFor();
    await runCommand(page, "Parley: Go to Next Search Hit");
    await bar.getByText("2 of 2").first().waitFor();

    // The command leads back to the hits.
    await runCommand(page, "Parley: Search Conversations…");
    await box.and(search.locator(":focus")).waitFor();
    assert.equal(await box.inputValue(), "lighthouse");
    await search.locator('.hit[aria-current="true"]', { hasText: "Another lighthouse." }).waitFor();
    await page.keyboard.type("lighthouse agent:nobody");
    await search.getByText("No results", { exact: true }).waitFor();

    await runCommand(page, "View: Close Editor");
    const pane = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
    const header = pane.locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
    await header.hover();
    await header.getByRole("button", { name: "Search Conversations…" }).click();
    await box.and(search.locator(":focus")).waitFor();
    await runCommand(page, "View: Close Editor");
    assert.deepEqual(errors, []);
  });
});
