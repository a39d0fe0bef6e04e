// Which session gets what the user does while the window starts, restores or ends sessions.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import {
  allowCommand,
  chat,
  newSession,
  openChat,
  openWorkbench,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
} from "./harness.ts";
import { whenStored } from "./whenStored.ts";
import { until } from "../support/fakes/until.ts";

const composer = (panel: FrameLocator) => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator) => panel.getByRole("log", { name: "Conversation" });
const prompt = (panel: FrameLocator, text: string) =>
  conversation(panel).getByRole("heading", { name: `You: ${text}`, exact: true });

describe("sessions in a real VS Code", () => {
  it("survive arrow keys on the agent menu, stay open when another one starts, and focus the composer", async () => {
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
    const add = panel.getByRole("button", { name: "New Session" });
    await add.click();
    await question.waitFor({ state: "detached" });
    await panel.locator(`main[data-session]:not([data-session="${before}"])`).waitFor();
    await composer(panel).and(panel.locator(":focus")).waitFor();
    await page.locator('.activitybar .badge-content:text-is("1")').waitFor();
    await runCommand(page, "Parley: Next Waiting Session");
    await question.waitFor();
    assert.equal(await session(), before, "nothing ended");
    await screenshot(page, "next-waiting-session");
    await composer(panel).press("Escape");
    await question.waitFor({ state: "detached" });
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

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
    await panel.getByText("The message was not sent because the chat shows another session now.").waitFor();
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

  it("work at once: one asks while another is shown, and its notification and Switch Session… lead to it", async () => {
    const wait = { command: "sh", args: ["-c", "while [ ! -e go ]; do sleep 0.1; done"] };
    const asks = [
      { request: { method: "terminal/create", params: { sessionId: "$session", ...wait } }, as: "waiting" },
      {
        request: {
          method: "terminal/wait_for_exit",
          params: { sessionId: "$session", terminalId: "$waiting.terminalId" },
        },
      },
      { update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run npm test", kind: "execute" } },
      { permission: { toolCall: { toolCallId: "t1" } }, as: "answer" },
      { chunk: "The tests have passed." },
    ];
    const streams = [{ chunk: "word ", times: 400, delayMs: 50 }, { chunk: "The stream has ended." }];
    const { page, panel, folder, errors } = await sharedWorkbench({
      "asks.json": JSON.stringify(asks),
      "streams.json": JSON.stringify(streams),
    });
    const session = () => panel.locator("main[data-session]").getAttribute("data-session");
    const send = async (text: string): Promise<void> => {
      await composer(panel).fill(text);
      await composer(panel).press("Enter");
      await prompt(panel, text).waitFor();
    };
    await send("#script asks.json");
    await allowCommand(panel);
    const asking = await session();
    await newSession(page, panel);
    await send("#script streams.json");
    const streaming = await session();
    const words = conversation(panel).getByText(/^word word/);
    await words.waitFor();
    writeFileSync(join(folder, "go"), "");

    await runCommand(page, "Notifications: Show Notifications");
    const notification = page.locator(".notifications-center .notification-list-item");
    await notification.getByText("Demo Agent is waiting for you: Run npm test").waitFor();
    assert.equal(await session(), streaming, "the shown session stays");
    await panel.getByRole("button", { name: "Stop" }).waitFor();
    await screenshot(page, "two-sessions-working");
    await notification.getByRole("button", { name: "Show" }).click();
    const question = panel.getByRole("group", { name: /^Run / });
    await question.waitFor();
    assert.equal(await session(), asking);
    assert.equal(await words.count(), 0, "the other conversation is hidden");

    await runCommand(page, "Parley: Switch Session…");
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await rows.filter({ hasText: "#script streams.json" }).filter({ hasText: "Working" }).waitFor();
    assert.match((await rows.first().textContent()) ?? "", /#script asks\.json.*Waiting for you/);
    await screenshot(page, "switch-session");
    await rows.filter({ hasText: "#script streams.json" }).click();
    await words.waitFor();
    assert.equal(await session(), streaming);
    await runCommand(page, "Parley: Next Waiting Session");
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await conversation(panel).getByText("The tests have passed.").waitFor();
    assert.deepEqual(errors, []);
  });

  it("are all there after a reload: the one of the view, the one of an editor tab, and the others on demand", async () => {
    const { page } = await sharedWorkbench(
      Object.fromEntries(["hidden", "tab", "view"].map(name => [`${name}.json`, JSON.stringify([{ chunk: "Done." }])])),
    );
    const owner = 'iframe.webview.ready[src*="extensionId=parley.parley&"][src*="purpose=webviewView"]';
    const panel = page.frameLocator(owner).frameLocator("iframe#active-frame");
    const send = async (text: string): Promise<void> => {
      await composer(panel).fill(text);
      await composer(panel).press("Enter");
      await prompt(panel, text).waitFor();
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    };
    await send("#script hidden.json");
    await newSession(page, panel);
    await send("#script tab.json");
    await runCommand(page, "Parley: Open Chat in Editor");
    await page.locator(".tab.active", { hasText: "#script tab.json" }).waitFor();
    const tab = page
      .frameLocator('iframe.webview.ready[src*="extensionId=parley.parley&"]:not([src*="purpose=webviewView"])')
      .frameLocator("iframe#active-frame");
    await composer(tab).fill("a draft of the tab");
    await runCommand(page, "Parley: Open Chat");
    await newSession(page, panel);
    await send("#script view.json");
    await page.locator(".tab", { hasText: "#script tab.json" }).waitFor();
    await whenStored(page, "a draft of the tab");
    await reloadWindow(page);
    await runCommand(page, "Parley: Open Chat");
    await prompt(panel, "#script view.json").waitFor();
    await page.locator(".tab", { hasText: "#script tab.json" }).waitFor();
    await runCommand(page, "Parley: Switch Session…");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "#script hidden.json" }).click();
    await prompt(panel, "#script hidden.json").waitFor();
    await page.locator(".tab", { hasText: "#script tab.json" }).waitFor();
    assert.equal(await composer(tab).inputValue(), "a draft of the tab");
    await composer(tab).clear();
  });
});
