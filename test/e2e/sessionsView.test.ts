// The Sessions view as a person uses it, by mouse and keyboard: what waits is on top, a click or Enter shows a session, and
// stored sessions are renamed, marked, exported, deleted and restored.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseInMenu } from "./contextMenu.ts";
import { chooseRow, confirmDeletion, newSession, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { chord } from "./keyboard.ts";

const pane = (page: Page): Locator =>
  page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
const rows = (page: Page): Locator => pane(page).locator(".monaco-list-row");
const row = (page: Page, title: string): Locator => rows(page).filter({ hasText: title });
/** Clicks a row. At the top of the list, no header of a group covers it. */
async function clickRow(page: Page, title: string): Promise<void> {
  await focusView(page);
  await page.keyboard.press("Home");
  await row(page, title).click();
}
const choose = (page: Page, title: string, action: string): Promise<void> => chooseInMenu(row(page, title), action);

async function focusView(page: Page): Promise<void> {
  await runCommand(page, "Parley: Focus on Sessions View");
  await pane(page).locator(".monaco-list:focus").waitFor();
}

/** Moves the focus in the list with the arrow keys, which selects nothing. */
async function focusRow(page: Page, title: string): Promise<void> {
  const focused = pane(page).locator(".monaco-list-row.focused");
  // The list can be rendered again between two keys, which then has no effect. Other tests left sessions in it, too.
  let keys = 0;
  await until(async () => {
    if ((await focused.filter({ hasText: title }).count()) === 1) return true;
    await page.keyboard.press(keys++ % 40 === 0 ? "Home" : "ArrowDown");
    return false;
  });
}

/** A notification. An automated VS Code keeps its toasts in the list. */
async function notified(page: Page, text: string): Promise<Locator> {
  await runCommand(page, "Notifications: Show Notifications");
  const notification = page.locator(".notifications-center .notification-list-item", { hasText: text });
  await notification.first().waitFor();
  return notification.first();
}

const answers = JSON.stringify([{ chunk: "Done." }]);
const asks = JSON.stringify([
  { update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "Run npm test", kind: "execute" } },
  { permission: { toolCall: { toolCallId: "t1" } } },
]);

describe("the Sessions view in a real VS Code", () => {
  it("shows what waits first, opens sessions by mouse and keyboard, and renames, marks, exports, deletes and restores them", async () => {
    const { page, panel, folder } = await sharedWorkbench({
      ...{ "old talk.json": answers, "new talk.json": answers, "question.json": asks },
    });
    const composer = panel.getByRole("textbox", { name: "Message" });
    const prompt = (name: string): Locator => panel.getByRole("heading", { name: `You: #script ${name}.json` });
    const send = async (name: string): Promise<void> => {
      await composer.fill(`#script ${name}.json`);
      await composer.press("Enter");
      // The session can have the same prompt already.
      await prompt(name).last().waitFor();
    };
    const idle = (): Promise<void> => panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    for (const name of ["old talk", "new talk"]) {
      await send(name);
      await idle();
      await newSession(page, panel);
    }
    await send("question");
    const question = panel.getByRole("group", { name: "Run npm test" });
    await question.waitFor();

    const header = pane(page).locator(".pane-header");
    if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
    const list = async (): Promise<readonly string[]> => {
      const texts = await rows(page).allInnerTexts();
      return texts.map(text => text.replace(/\s+/g, " ").trim());
    };
    const at = (index: number): Locator => pane(page).locator(`.monaco-list-row[data-index="${index}"]`);
    await at(0)
      .filter({ hasText: /Waiting for You\s*1/ })
      .waitFor();
    await at(1)
      .filter({ hasText: /#script question\.json\s*now/ })
      .waitFor();
    await row(page, "new talk").click();
    await prompt("new talk").waitFor();
    await page.getByRole("tab", { name: /Parley.*waiting for you/ }).waitFor();
    await screenshot(page, "sessions-view");
    // A session whose agent works is deleted only after a question that says so.
    const working = page.getByRole("dialog").filter({ hasText: "Its agent is working. This work will be stopped." });
    await focusView(page);
    await focusRow(page, "question");
    await page.keyboard.press("Delete");
    await working.getByRole("button", { name: "Cancel" }).click();
    await working.waitFor({ state: "detached" });
    await focusView(page);
    await focusRow(page, "question");
    await page.keyboard.press("Enter");
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await idle();
    await until(async () => (await list())[0]?.startsWith("Today") === true);

    // A click shows the session and keeps the focus in the list. A double click goes into the chat.
    await row(page, "old talk").click();
    await prompt("old talk").waitFor();
    await pane(page).locator(".monaco-list:focus").waitFor();
    await row(page, "new talk").dblclick();
    await prompt("new talk").waitFor();
    await composer.and(panel.locator(":focus")).waitFor();

    // F2 renames the row that has the focus, not the one that is selected.
    await focusView(page);
    await focusRow(page, "old talk");
    await page.keyboard.press("F2");
    const input = page.locator(".quick-input-widget input");
    await input.fill("First talk");
    await input.press("Enter");
    await row(page, "First talk").waitFor();

    // The key in the list pins the row that has the focus, and unpins it.
    const toggle = async (isDone: () => Promise<boolean>): Promise<void> => {
      await focusView(page);
      await focusRow(page, "First talk");
      await chord(page, "Shift+Enter", isDone);
    };
    const isFirst = async (text: RegExp): Promise<boolean> => (await at(0).filter({ hasText: text }).count()) === 1;
    await toggle(() => isFirst(/Pinned\s*1/));
    await at(1).filter({ hasText: "First talk" }).waitFor();
    await at(1).hover();
    await screenshot(page, "sessions-pinned");
    await toggle(() => isFirst(/Today/));

    // Several are marked at once.
    await row(page, "First talk").click();
    await row(page, "new talk").click({ modifiers: ["ControlOrMeta"] });
    await until(async () => (await pane(page).locator('.monaco-list-row[aria-selected="true"]').count()) === 2);
    await choose(page, "First talk", "Mark Session as Done");
    for (const title of ["First talk", "new talk"]) await row(page, title).waitFor({ state: "detached" });
    await pane(page).hover();
    await pane(page).getByRole("button", { name: "Show Done Sessions" }).click();
    await row(page, "new talk").locator(".codicon-check").first().waitFor();
    await screenshot(page, "sessions-done");
    await choose(page, "First talk", "Mark Session as Not Done");
    await pane(page).getByRole("button", { name: "Hide Done Sessions" }).click();
    await row(page, "new talk").waitFor({ state: "detached" });

    await choose(page, "First talk", "Export Session…");
    await chooseRow(page.locator(".quick-input-widget .monaco-list-row", { hasText: "Markdown" }));
    const file = join(folder, "First talk.md");
    const name = page.locator(".quick-input-widget input.input").first();
    await until(async () => (await name.inputValue().catch(() => "")).endsWith("First talk.md"));
    await name.press("Enter");
    // VS Code creates the file before it writes the text.
    await until(() => existsSync(file) && readFileSync(file, "utf8") !== "");
    assert.match(readFileSync(file, "utf8"), /^# First talk\n\n## You\n\n> #script old talk\.json\n/);

    // Delete asks about the row that has the focus, and the selected one stays.
    await clickRow(page, "question");
    await prompt("question").waitFor();
    await focusRow(page, "First talk");
    await page.keyboard.press("Delete");
    await page.getByRole("dialog").filter({ hasText: "Delete the session “First talk”?" }).waitFor();
    await screenshot(page, "sessions-delete-question");
    await confirmDeletion(page, "First talk");
    const notification = await notified(page, "Deleted the session “First talk”.");
    await row(page, "First talk").waitFor({ state: "detached" });
    await screenshot(page, "sessions-deleted");
    await row(page, "question").and(page.locator('[aria-selected="true"]')).waitFor();
    await notification.getByRole("button", { name: "Undo" }).click();
    await row(page, "First talk").waitFor();
    await prompt("question").waitFor();

    // Shift and an arrow select more rows, and show no session. Delete asks about all of them.
    await row(page, "First talk").click();
    await prompt("old talk").waitFor();
    await page.keyboard.press("Shift+ArrowUp");
    const selected = pane(page).locator('.monaco-list-row[aria-selected="true"]');
    await until(async () => (await selected.count()) === 2);
    await page.keyboard.press("Delete");
    const several = page.getByRole("dialog").filter({ hasText: "Delete 2 sessions?" });
    await several.getByRole("button", { name: "Cancel" }).click();
    await several.waitFor({ state: "detached" });
    await prompt("old talk").waitFor();

    // Ctrl+Enter opens the row that has the focus in an editor tab, not the one that is selected.
    await clickRow(page, "question");
    await prompt("question").waitFor();
    await focusRow(page, "First talk");
    await page.keyboard.press("Control+Enter");
    await page.locator(".tab.active", { hasText: "First talk" }).waitFor();
    await runCommand(page, "View: Close Editor");
    await page.locator(".tab", { hasText: "First talk" }).waitFor({ state: "detached" });

    // Deleting a session whose agent works stops the work.
    await send("question");
    await question.waitFor();
    await focusView(page);
    await focusRow(page, "question");
    await page.keyboard.press("Delete");
    await working.waitFor();
    await screenshot(page, "sessions-delete-working");
    await working.getByRole("button", { name: "Delete", exact: true }).click();
    await row(page, "question").waitFor({ state: "detached" });
    await question.waitFor({ state: "detached" });
    await idle();
  });
});
