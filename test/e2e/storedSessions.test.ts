// The stored sessions as a person manages them in the Sessions view: renamed, done, unread, exported, deleted, restored, continued.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseInMenu } from "./contextMenu.ts";
import { chat, newSession, openChat, openWorkbench, reloadWindow, runCommand, screenshot } from "./harness.ts";

const pane = (page: Page): Locator =>
  page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
const rows = (page: Page): Locator => pane(page).locator(".monaco-list-row");
const row = (page: Page, title: string): Locator => rows(page).filter({ hasText: title });

/** The rows of sessions, without the groups. */
const titles = async (page: Page): Promise<readonly string[]> => {
  const names = await rows(page).locator(".label-name").allInnerTexts();
  return names.filter(name => !/^(Waiting for You|Working|Today|Yesterday|Last 7 Days|Older)$/.test(name));
};

async function send(panel: FrameLocator, text: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
  await panel.getByRole("heading", { name: `You: ${text}`, exact: true }).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

const choose = (page: Page, title: string, action: string): Promise<void> => chooseInMenu(row(page, title), action);

async function type(page: Page, text: string): Promise<void> {
  const input = page.locator(".quick-input-widget input");
  await input.waitFor();
  await input.fill(text);
  await input.press("Enter");
}

/** A notification. An automated VS Code keeps its toasts in the list. */
async function notified(page: Page, text: string): Promise<Locator> {
  await runCommand(page, "Notifications: Show Notifications");
  const notification = page.locator(".notifications-center .notification-list-item", { hasText: text });
  await notification.first().waitFor();
  return notification.first();
}

describe("the stored sessions in a real VS Code", () => {
  it("are renamed, marked, exported, deleted, restored and continued by mouse and keyboard", async () => {
    const { page, folder } = await openWorkbench();
    const panel = await openChat(page);
    await send(panel, "hello");
    await newSession(page, panel);
    await send(panel, "hello again");
    await newSession(page, panel);
    // The empty conversation offers them.
    const recent = panel.getByRole("region", { name: "Recent sessions" });
    await until(async () => (await recent.getByRole("button").count()) === 2);
    await screenshot(page, "recent-sessions");

    await pane(page).locator(".pane-header").click();
    await until(async () => (await titles(page)).length === 3);
    const [, newest = ""] = (await titles(page)).filter(title => title !== "New Conversation");
    // Both sessions have the title of the demo agent, so the first one gets another by keyboard.
    await rows(page).filter({ hasText: newest }).last().click();
    await panel.getByRole("heading", { name: "You: hello", exact: true }).waitFor();
    await runCommand(page, "Parley: Focus on Sessions View");
    await pane(page).locator(".monaco-list:focus").waitFor();
    await page.keyboard.press("F2");
    await type(page, "First talk");
    await row(page, "First talk").waitFor();

    await choose(page, "First talk", "Mark Session as Unread");
    await row(page, "First talk").locator(".codicon-circle-filled").waitFor();
    await screenshot(page, "sessions-unread");
    await choose(page, "First talk", "Mark Session as Read");
    await choose(page, "First talk", "Mark Session as Done");
    await row(page, "First talk").waitFor({ state: "detached" });
    await pane(page).hover();
    await pane(page).getByRole("button", { name: "Show Done Sessions" }).click();
    await row(page, "First talk").waitFor();
    await choose(page, "First talk", "Mark Session as Not Done");
    await pane(page).getByRole("button", { name: "Hide Done Sessions" }).click();
    await row(page, "First talk").waitFor();

    await choose(page, "First talk", "Export Session…");
    await page.locator(".quick-input-widget .monaco-list-row", { hasText: "Markdown" }).click();
    const file = join(folder, "First talk.md");
    const name = page.locator(".quick-input-widget input.input").first();
    await until(async () => (await name.inputValue().catch(() => "")).endsWith("First talk.md"));
    await name.press("Enter");
    // VS Code creates the file before it writes the text.
    await until(() => existsSync(file) && readFileSync(file, "utf8") !== "");
    assert.match(readFileSync(file, "utf8"), /^# First talk\n\n## You\n\n> hello\n/);

    // Escape would end the selection.
    await row(page, "First talk").click();
    await runCommand(page, "Parley: Focus on Sessions View");
    await pane(page).locator(".monaco-list:focus").waitFor();
    await page.keyboard.press("Delete");
    const notification = await notified(page, "Deleted the session “First talk”.");
    await row(page, "First talk").waitFor({ state: "detached" });
    await screenshot(page, "sessions-deleted");
    await notification.getByRole("button", { name: "Undo" }).click();
    await row(page, "First talk").waitFor();
    await panel.getByRole("heading", { name: "You: hello", exact: true }).waitFor();
    await send(panel, "go on");

    // After a reload, all of it is still there.
    await reloadWindow(page);
    await chat(page).locator("body").waitFor();
    await openChat(page);
    await until(async () => (await titles(page)).includes("First talk"));

    // Several are selected at once.
    await row(page, "First talk").click();
    await row(page, newest).click({ modifiers: ["ControlOrMeta"] });
    await until(async () => (await pane(page).locator(".monaco-list-row.selected").count()) === 2);
    await screenshot(page, "sessions-selected");
    await choose(page, "First talk", "Mark Session as Unread");
    await until(async () => (await rows(page).locator(".codicon-circle-filled").count()) === 2);
    await choose(page, "First talk", "Delete Session");
    const deleted = await notified(page, "Deleted 2 sessions.");
    await row(page, newest).waitFor({ state: "detached" });
    assert.ok(!(await titles(page)).includes("First talk"));
    await deleted.getByRole("button", { name: "Undo" }).click();
    await row(page, "First talk").waitFor();
    await row(page, newest).waitFor();
  });

  it("are marked as done together, and listed with their age and changed lines", async () => {
    const writes = {
      method: "fs/write_text_file",
      params: { sessionId: "$session", path: "$cwd/new.txt", content: "a\n" },
    };
    const { page, server } = await openWorkbench({
      files: {
        "alpha.json": JSON.stringify([{ chunk: "Done." }]),
        "beta.json": JSON.stringify([{ request: writes }, { chunk: "Done." }]),
        "gamma.json": JSON.stringify([{ chunk: "Done." }]),
      },
    });
    const panel = await openChat(page);
    const ids = new Map<string, string>();
    for (const name of ["alpha", "beta", "gamma"]) {
      if (ids.size > 0) await newSession(page, panel);
      await send(panel, `#script ${name}.json`);
      ids.set(name, (await panel.locator("main[data-session]").getAttribute("data-session")) ?? "");
    }
    await pane(page).locator(".pane-header").click();
    const isListed = async (...names: readonly string[]): Promise<boolean> => {
      const listed = await titles(page);
      return names.every(name => listed.includes(`#script ${name}.json`));
    };
    await until(() => isListed("alpha", "beta", "gamma"));
    await row(page, "beta").getByText("now · +1 −0 · Demo Agent").waitFor();
    assert.equal(await rows(page).locator(".codicon-debug-disconnect").count(), 0, "none was interrupted");
    const selected = pane(page).locator('.monaco-list-row[aria-selected="true"]');
    const selectTwo = async (): Promise<void> => {
      await row(page, "alpha").click();
      await panel.getByRole("heading", { name: "You: #script alpha.json" }).waitFor();
      await panel.getByRole("textbox", { name: "Message" }).and(panel.locator(":focus")).waitFor();
      await row(page, "beta").click({ modifiers: ["ControlOrMeta"] });
      await until(async () => (await selected.count()) === 2);
    };

    await selectTwo();
    await screenshot(page, "sessions-selected");
    await choose(page, "beta", "Mark Session as Unread");
    await page.locator('.activitybar .badge-content:text-is("2")').waitFor();
    await choose(page, "beta", "Mark Session as Done");
    await until(async () => (await titles(page)).join() === "#script gamma.json");
    await pane(page).hover();
    await pane(page).getByRole("button", { name: "Show Done Sessions" }).click();
    await until(() => isListed("alpha", "beta", "gamma"));
    await row(page, "beta").locator(".codicon-check").first().waitFor();
    await screenshot(page, "sessions-done");
    await selectTwo();
    await choose(page, "alpha", "Mark Session as Not Done");
    await pane(page).getByRole("button", { name: "Hide Done Sessions" }).click();
    await until(() => isListed("alpha", "beta", "gamma"));

    // As if three weeks had passed.
    makeOlder(server.dataDir, ids.get("gamma") ?? "", 21 * 24 * 60 * 60 * 1000);
    await row(page, "alpha").click();
    await panel.getByRole("heading", { name: "You: #script alpha.json" }).waitFor();
    await reloadWindow(page);
    await openChat(page);
    await row(page, "gamma").getByText("3 wk · Demo Agent").waitFor();
    await row(page, "beta").getByText("now · +1 −0 · Demo Agent").waitFor();
    const groups = await rows(page).locator(".label-name").allInnerTexts();
    assert.deepEqual(groups.toSpliced(1, 2), ["Today", "Older", "#script gamma.json"]);
    await screenshot(page, "sessions-by-age");
  });
});

/** Changes the stored time of the last change of a session. */
function makeOlder(dataDir: string, id: string, ms: number): void {
  const name = `${id}.session.json`;
  const found = readdirSync(dataDir, { recursive: true, encoding: "utf8" }).filter(path => path.endsWith(name));
  assert.equal(found.length, 1, name);
  const file = join(dataDir, found[0] ?? "");
  const entry = JSON.parse(readFileSync(file, "utf8")) as { readonly updated: number };
  writeFileSync(file, JSON.stringify({ ...entry, updated: entry.updated - ms }));
}
