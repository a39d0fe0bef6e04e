// The search of all conversations in the real VS Code: hits in two sessions, the way to a hit in the chat, the keys from hit
// to hit, and the button of the Sessions view.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { newSession, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { chatView, tabPage } from "./pages.ts";

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
    const search = tabPage(page);
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

    // F4 in the chat goes from hit to hit, and the command leads back to the hit.
    await bar.getByRole("textbox").press("Shift+F4");
    await bar.getByText("1 of 2").first().waitFor();
    await composer.press("Shift+F4");
    await prompt("second").waitFor();
    await composer.press("F4");
    await prompt("first").waitFor();
    await bar.getByText("1 of 2").first().waitFor();
    await bar.getByRole("textbox").press("F4");
    await bar.getByText("2 of 2").first().waitFor();
    await runCommand(page, "Parley: Go Back to Search Hits");
    await search.locator('.hit[aria-current="true"]:focus', { hasText: "Another lighthouse." }).waitFor();

    // The command of the search leads back to the box.
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

  it("attaches hits and conversations to the message of the chat, which was hidden or covered, beside its draft", async () => {
    const { page, errors } = await sharedWorkbench({
      "third.json": JSON.stringify([
        { update: toolCall("t", "Look at the hill", "one\na windmill turns") },
        { chunk: "A windmill.\n\nAnother windmill." },
      ]),
    });
    const panel = chatView(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    const prompt = panel.getByRole("heading", { name: "You: #script third.json" });
    await composer.fill("#script third.json");
    await composer.press("Enter");
    await prompt.waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await newSession(page, panel);
    await composer.fill("a draft");

    await runCommand(page, "Parley: Search Conversations…");
    const search = tabPage(page);
    const box = search.getByRole("textbox", { name: "Search conversations" });
    await box.and(search.locator(":focus")).waitFor();
    await page.keyboard.type("windmill");
    await search.getByText("3 hits in 1 conversation", { exact: true }).waitFor();
    await search.getByRole("button", { name: "Attach to Message: Another windmill." }).click();
    const chips = panel.locator(".chip", { hasText: "#script third.json" });
    await chips.getByText(/^Demo Agent · /).waitFor();
    await composer.and(panel.locator(":focus")).waitFor();
    assert.equal(await composer.inputValue(), "a draft");
    await chips.hover();
    await panel.getByRole("tooltip").getByText("Another windmill.").waitFor();
    await screenshot(page, "search-attached");

    // By keyboard, while another view hides the chat.
    await runCommand(page, "View: Show Explorer");
    await composer.waitFor({ state: "hidden" });
    await runCommand(page, "Parley: Search Conversations…");
    await box.and(search.locator(":focus")).waitFor();
    // The hit of the button is selected. Two lines before it is that of the tool call.
    for (const key of ["ArrowDown", "ArrowUp", "ArrowUp"]) await page.keyboard.press(key);
    await search.locator('.hit[aria-current="true"]:focus', { hasText: "a windmill turns" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await composer.and(panel.locator(":focus")).waitFor();
    await chips.nth(1).waitFor();
    assert.equal(await composer.inputValue(), "a draft");

    // A conversation by the Attach menu.
    await panel.getByRole("button", { name: "Attach", exact: true }).focus();
    await page.keyboard.press("Enter");
    const picks = page.locator(".quick-input-list .monaco-list-row");
    await picks.filter({ hasText: "Conversation…" }).waitFor();
    await screenshot(page, "attach-menu");
    await page.keyboard.type("Conversation…");
    await page.keyboard.press("Enter");
    await picks.filter({ hasText: "#script third.json" }).waitFor();
    await screenshot(page, "attach-conversation");
    await page.keyboard.press("Enter");
    await picks.filter({ hasText: "Digest Only" }).waitFor();
    await screenshot(page, "attach-conversation-part");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await chips.nth(2).getByText("Digest of “#script third.json”").waitFor();
    await screenshot(page, "attach-conversation-attached");
    await panel.getByRole("button", { name: /^Remove Digest of “#script third.json”/ }).click();
    await chips.nth(2).waitFor({ state: "detached" });

    // A conversation by its title. The prompt shows what is sent.
    await composer.press("End");
    await page.keyboard.type(" @conversation:third");
    await panel
      .getByRole("listbox", { name: "Suggestions" })
      .getByRole("option", { name: "#script third.json" })
      .waitFor();
    await page.keyboard.press("Enter");
    await chips.nth(2).waitFor();
    await screenshot(page, "search-attached-three");
    await page.keyboard.press("Enter");
    const sent = panel.getByRole("heading", { name: "You: a draft @#script third.json" });
    await sent.waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    const resources = panel.locator("parley-resource", { hasText: "#script third.json" });
    assert.equal(await resources.count(), 3);
    await resources.last().locator("summary").click();
    await resources.last().getByText("The user attached an earlier conversation for reference.").waitFor();

    // The tab of the search covers the chat in an editor.
    await newSession(page, panel);
    await runCommand(page, "Parley: Open Chat in Editor");
    const editor = tabPage(page);
    const editorComposer = editor.getByRole("textbox", { name: "Message" });
    await editorComposer.fill("a draft of the tab");
    await runCommand(page, "Parley: Search Conversations…");
    await box.and(search.locator(":focus")).waitFor();
    await search.getByRole("button", { name: "Attach to Message: #script third.json" }).click();
    await editorComposer.and(editor.locator(":focus")).waitFor();
    await editor.locator(".chip", { hasText: "#script third.json" }).waitFor();
    assert.equal(await editorComposer.inputValue(), "a draft of the tab");
    assert.equal(await chips.count(), 0);
    await runCommand(page, "View: Close All Editors");
    assert.deepEqual(errors, []);
  });
});
