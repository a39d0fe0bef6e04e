// Which session gets what the user does while the window starts, restores or ends sessions.
import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { chat, openChat, openWorkbench, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { until } from "../support/fakes/until.ts";

const composer = (panel: FrameLocator) => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator) => panel.getByRole("log", { name: "Conversation" });
const prompt = (panel: FrameLocator, text: string) =>
  conversation(panel).getByRole("heading", { name: `You: ${text}`, exact: true });

describe("sessions in a real VS Code", () => {
  it("survive arrow keys on the agent menu, end a running turn only after a confirmation, and focus the composer", async () => {
    // The icon of the views gives the focus to the tree that had it last, so no other test may have used the trees.
    const { page } = await openWorkbench();
    const panel = await openChat(page);
    const session = () => panel.locator("main[data-session]").getAttribute("data-session");
    const before = await session();
    const picker = panel.getByRole("button", { name: "Agent: Demo Agent" });
    const menu = panel.getByRole("menu", { name: "Agent" });
    await picker.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await menu.getByRole("menuitemradio", { checked: false }).and(panel.locator(":focus")).waitFor();
    await screenshot(page, "agent-menu");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await picker.and(panel.locator(":focus")).waitFor();

    await composer(panel).fill("run the tests");
    await composer(panel).press("Enter");
    const question = panel.getByRole("group", { name: /^Run / });
    await question.waitFor();
    const dialog = page.locator(".monaco-dialog-box");
    const add = panel.getByRole("button", { name: "New Session" });
    await add.click();
    await dialog.getByText("Demo Agent is still working in this session.").waitFor();
    await screenshot(page, "confirm-end");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await question.waitFor();
    assert.equal(await session(), before, "nothing ended");
    await runCommand(page, "Parley: New Session");
    await dialog.getByRole("button", { name: "Stop and Start New Session" }).click();
    await question.waitFor({ state: "detached" });
    await panel.locator(`main[data-session]:not([data-session="${before}"])`).waitFor();
    await composer(panel).and(panel.locator(":focus")).waitFor();

    // Whatever had the focus, the buttons and the icon of the view give it to the composer.
    await picker.focus();
    await add.click();
    await composer(panel).and(panel.locator(":focus")).waitFor();
    await picker.focus();
    const icon = (name: RegExp) =>
      page.getByRole("tablist", { name: "Active View Switcher" }).getByRole("tab", { name });
    // On a busy machine, VS Code can drop the focus while it shows the view. Then the user clicks again.
    for (let isFocused = false; !isFocused;) {
      await icon(/^Explorer/).click();
      await page.locator(".explorer-folders-view").waitFor();
      await icon(/^Parley/).click();
      const focused = composer(panel).and(panel.locator(":focus"));
      isFocused = await focused.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    }
    await page.keyboard.type("typed at once");
    assert.equal(await composer(panel).inputValue(), "typed at once");
    await composer(panel).clear();
    // The empty conversation is longer than the panel, and shows its beginning.
    await page.setViewportSize({ width: 1400, height: 500 });
    assert.ok(await conversation(panel).evaluate(log => log.scrollHeight > log.clientHeight));
    assert.equal(await conversation(panel).evaluate(log => log.scrollTop), 0);
    await screenshot(page, "empty-at-top");
    await page.setViewportSize({ width: 1400, height: 900 });
  });

  it("get each prompt that is sent immediately after New Session and after a reload, or the composer gets it back", async () => {
    const { page, panel } = await sharedWorkbench();
    await composer(panel).fill("earlier prompt");
    await composer(panel).press("Enter");
    await prompt(panel, "earlier prompt").waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    const before = await panel.locator("main[data-session]").getAttribute("data-session");

    // In one task of the page, so that the panel still shows the earlier session when the prompt is sent.
    await composer(panel).fill("right after New Session");
    await panel.locator("parley-panel").evaluate(element => {
      element.querySelector<HTMLElement>("[aria-label='New Session']")?.click();
      element.querySelector<HTMLElement>(".send")?.click();
    });
    await panel.locator(`main[data-session]:not([data-session="${before}"])`).waitFor();
    await panel.getByText("The message was not sent because its session has ended.").waitFor();
    assert.equal(await composer(panel).inputValue(), "right after New Session");
    await composer(panel).press("Enter");
    await prompt(panel, "right after New Session").waitFor();
    assert.equal(await prompt(panel, "earlier prompt").count(), 0);
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

    await reloadWindow(page);
    await composer(chat(page)).fill("right after the reload");
    await composer(chat(page)).press("Enter");
    const again = await openChat(page);
    await prompt(again, "right after the reload").waitFor();
    await prompt(again, "right after New Session").waitFor();
    await until(async () => (await composer(again).inputValue()) === "");
  });
});
