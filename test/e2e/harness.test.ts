// That the harness itself does what it says: the workbench opens with Parley in it, remembers, and leaves nothing behind.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processTree } from "../../scripts/tools/processes.mjs";
import {
  answerTrust,
  canChangeSettings,
  chat,
  openChat,
  openFile,
  openWorkbench,
  reloadWindow,
  reopenWindow,
  restartVscode,
  rolesAndNames,
  runCommand,
  screenshot,
} from "./harness.ts";

describe("the workbench", () => {
  it("shows Parley's chat on a command", async () => {
    const { page, errors } = await openWorkbench();
    const panel = await openChat(page);
    await panel.getByRole("textbox", { name: "Message" }).waitFor();
    assert.match(await rolesAndNames(panel.locator("body")), /textbox/);
    assert.ok(existsSync(await screenshot(page, "chat-empty")));
    assert.deepEqual(errors, []);
  });

  it("opens the files of a workspace made for the test", async () => {
    const { page, folder } = await openWorkbench({ files: { "src/hello.txt": "hello from a test\n" } });
    await openFile(page, "hello.txt");
    await page.locator(".editor-instance .view-line", { hasText: "hello" }).waitFor();
    assert.equal(readFileSync(join(folder, "src/hello.txt"), "utf8"), "hello from a test\n");
  });

  it("takes user settings", async () => {
    const { page } = await openWorkbench({ settings: { "workbench.colorTheme": "Default High Contrast" } });
    await page.locator(".monaco-workbench.hc-black").waitFor();
  });

  it("takes user settings that change while the window is open", async function () {
    if (!canChangeSettings) return this.skip();
    const { page, server } = await openWorkbench();
    server.writeSettings({ "workbench.colorTheme": "Default High Contrast" });
    await page.locator(".monaco-workbench.hc-black").waitFor();
  });

  it("brings the chat back after a reload and in a window opened anew", async () => {
    const first = await openWorkbench();
    await openChat(first.page);
    await reloadWindow(first.page);
    await chat(first.page).locator("body").waitFor();
    const second = await reopenWindow(first);
    await chat(second.page).locator("body").waitFor();
  });

  it("brings the chat back after a restart of VS Code, in which no process is left", async () => {
    const first = await openWorkbench({ env: { PARLEY_TEST: "1" } });
    await openChat(first.page);
    const before = first.server.tree();
    assert.ok(before.length > 1, "The extension host is not in the process tree, so this test would see nothing.");
    const second = await restartVscode(first);
    await chat(second.page).locator("body").waitFor();
    const alive = before.filter(({ pid, command }) => processTree(pid).some(each => each.command === command));
    assert.deepEqual(alive, []);
  });

  it("asks whether the workspace is trusted, where a test wants that", async () => {
    const { page } = await openWorkbench({ trust: true });
    await answerTrust(page, false);
    await page.getByText("Restricted Mode").first().waitFor();
  });

  it("runs a command through the palette", async () => {
    const { page } = await openWorkbench();
    await runCommand(page, "View: Toggle Panel Visibility");
    await page.locator(".part.panel").waitFor();
  });
});
