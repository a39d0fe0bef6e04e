// Find in Conversation in the real VS Code, by keyboard only, in the view and in a tab. test/webview/find.test.ts has all kinds
// of hits.
import assert from "node:assert/strict";
import type { FrameLocator, Page } from "playwright-core";
import { runCommand, sharedWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

const toolCall = (id: string, title: string, text: string): unknown => ({
  sessionUpdate: "tool_call",
  toolCallId: id,
  title,
  kind: "other",
  status: "completed",
  content: [{ type: "content", content: { type: "text", text } }],
});

/** The document of the chat view or of its editor tab. */
const panelOf = (page: Page, which: string): FrameLocator =>
  page
    .frameLocator(`iframe.webview.ready[src*="extensionId=parley.parley&"]${which}`)
    .frameLocator("iframe#active-frame");

describe("Find in Conversation in a real VS Code", () => {
  it("opens with Ctrl+F, goes to a match in a closed card with Enter, and returns the focus on Escape", async () => {
    const steps = [{ update: toolCall("first", "Look into the haystack", "There is a needle in it.") }];
    const { page, errors } = await sharedWorkbench({ "haystack.json": JSON.stringify(steps) });
    const panel = panelOf(page, '[src*="purpose=webviewView"]');
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script haystack.json");
    await composer.press("Enter");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByRole("article", { name: "Look into the haystack" }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

    await composer.focus();
    await page.keyboard.press("Control+F");
    const bar = panel.getByRole("textbox", { name: "Find in conversation" });
    await bar.and(panel.locator(":focus")).waitFor();
    await page.keyboard.type("a needle");
    await panel.getByRole("search").getByText("1 result").first().waitFor();
    assert.equal(
      await panel.getByRole("search").count(),
      1,
      "it opens once, and what is typed after it is not typed twice",
    );
    await page.keyboard.press("Alt+C");
    await panel.getByRole("button", { name: "Match Case (Alt+C)", pressed: true }).waitFor();
    await page.keyboard.press("Enter");
    await log.getByText("There is a needle in it.").waitFor();
    await panel.getByRole("search").getByText("1 of 1").first().waitFor();
    await scene(page, "find");
    await page.keyboard.press("Escape");
    await composer.and(panel.locator(":focus")).waitFor();
    assert.equal(await bar.count(), 0);

    await runCommand(page, "Parley: Open Chat in Editor");
    const tab = panelOf(page, ':not([src*="purpose=webviewView"])');
    const haystack = tab.getByRole("article", { name: "Look into the haystack" });
    await haystack.waitFor();
    const box = tab.getByRole("textbox", { name: "Message" });
    await box.and(tab.locator(":focus")).waitFor();
    await page.keyboard.press("Control+F");
    await tab.getByRole("textbox", { name: "Find in conversation" }).and(tab.locator(":focus")).waitFor();
    assert.equal(await bar.count(), 0, "only the tab shows the search bar");
    assert.equal(await page.locator(".simple-find-part.visible, .find-widget.visible").count(), 0);
    await page.keyboard.type("a needle");
    await page.keyboard.press("Enter");
    await haystack.getByText("There is a needle in it.").waitFor();
    await tab.getByRole("search").getByText("1 of 1").first().waitFor();
    await page.keyboard.press("Escape");
    await box.and(tab.locator(":focus")).waitFor();

    await runCommand(page, "Parley: Find in Conversation");
    await bar.and(panel.locator(":focus")).waitFor();
    assert.deepEqual(errors, []);
  });
});
