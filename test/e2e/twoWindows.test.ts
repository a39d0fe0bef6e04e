// Two windows on one folder: each keeps the session that it shows, and the limits for stored sessions apply to what neither shows.
import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import {
  canOpenTwice,
  chat,
  newSession,
  openAgain,
  openChat,
  openWorkbench,
  reloadWindow,
  runCommand,
  type Workbench,
} from "./harness.ts";

const composer = (panel: FrameLocator) => panel.getByRole("textbox", { name: "Message" });
const prompt = (panel: FrameLocator, text: string) =>
  panel.getByRole("log", { name: "Conversation" }).getByRole("heading", { name: `You: ${text}`, exact: true });
const session = async (panel: FrameLocator): Promise<string> =>
  (await panel.locator("main[data-session]").getAttribute("data-session")) ?? "";

async function send(panel: FrameLocator, text: string): Promise<string> {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
  await prompt(panel, text).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  return session(panel);
}

/**
 * Lets the next window have the storage of this folder. A server gives each window on a folder a storage of its own, if
 * the lock in the storage works.
 */
function unlockStorage(dataDir: string): void {
  for (const path of readdirSync(dataDir, { recursive: true, encoding: "utf8" }))
    if (path.endsWith("vscode.lock")) rmSync(join(dataDir, path), { force: true });
}

async function reload({ page, server }: Workbench): Promise<FrameLocator> {
  unlockStorage(server.dataDir);
  await reloadWindow(page);
  return openChat(page);
}

describe("two windows on one folder", () => {
  it("each keep the session that they show, also when the limit for stored sessions removes others", async function () {
    if (!canOpenTwice) this.skip();
    const files = Object.fromEntries(["one", "two", "three"].map(name => [`${name}.json`, '[{ "chunk": "Done." }]']));
    const first = await openWorkbench({ files, settings: { "parley.sessions.maxCount": 1 } });
    const logsIn = (folder: string): ReadonlySet<string> =>
      new Set(
        readdirSync(first.server.dataDir, { recursive: true, encoding: "utf8" })
          .filter(path => path.endsWith(".jsonl") && basename(dirname(path)) === folder)
          .map(path => basename(path, ".jsonl")),
      );
    const logs = (): ReadonlySet<string> => logsIn("sessions");
    const removed = (): ReadonlySet<string> => logsIn("removed-sessions");
    const panel = await openChat(first.page);
    const kept = await send(panel, "hello");

    unlockStorage(first.server.dataDir);
    const second = await openAgain(first);
    const other = await openChat(second.page);
    assert.equal(await prompt(other, "hello").count(), 0, "the other window has it");
    const ended: string[] = [];
    for (const name of ["one", "two"]) {
      ended.push(await send(other, `#script ${name}.json`));
      await newSession(second.page, other);
    }
    const shown = await send(other, "#script three.json");
    assert.equal(new Set([kept, shown, ...ended]).size, 4);
    await until(() => [kept, shown, ...ended].every(id => logs().has(id)));

    await reload(second);
    await prompt(other, "#script three.json").waitFor();
    assert.equal(await session(other), shown);
    // The limit applies shortly after the start of a window.
    await until(() => ended.every(id => !logs().has(id) && removed().has(id)), 30_000);
    assert.ok(logs().has(kept), "the first window shows it");
    assert.ok(logs().has(shown));

    assert.equal(await session(panel), kept);
    await send(panel, "plan a refactor");
    const again = await reload(first);
    await prompt(again, "hello").waitFor();
    await prompt(again, "plan a refactor").waitFor();
    assert.equal(await session(again), kept);
    assert.equal(await session(other), shown);

    // The window that removed the sessions says so, and brings them back.
    await runCommand(second.page, "Notifications: Show Notifications");
    await second.page
      .locator(".notifications-center .notification-list-item", { hasText: "Parley removed 2 sessions" })
      .getByRole("button", { name: "Undo" })
      .click();
    await until(() => ended.every(id => logs().has(id)));
    await until(() => removed().size === 0);

    // A session is open in one window only. This also shows that both have one storage.
    await runCommand(second.page, "Parley: Switch Session…");
    const rows = second.page.locator(".quick-input-list .monaco-list-row", { hasText: "Demo Agent" });
    await rows.filter({ hasText: "#script three.json" }).waitFor();
    await rows.filter({ hasNotText: "#script" }).click();
    await runCommand(second.page, "Notifications: Show Notifications");
    await second.page
      .locator(".notifications-center .notification-list-item")
      .getByText("This session is open in another window. Continue there, or close that window first.")
      .waitFor();
    assert.equal(await session(other), shown);
    assert.equal(await session(chat(first.page)), kept);
  });
});
