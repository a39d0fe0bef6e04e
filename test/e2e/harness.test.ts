// Tests of the harness: the workbench opens with Parley, keeps its state, and leaves nothing behind.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processTree } from "../../scripts/tools/processes.mjs";
import {
  canChangeSettings,
  chat,
  openChat,
  openFile,
  openWorkbench,
  restartVscode,
  runCommand,
  takeScreenshot,
} from "./harness.ts";

describe("the workbench", () => {
  it("opens workspace files, applies changed settings, restores the chat after a restart of VS Code, and leaves no process behind", async () => {
    const first = await openWorkbench({
      files: { "src/hello.txt": "hello from a test\n" },
      settings: { "workbench.colorTheme": "Default High Contrast" },
      env: { PARLEY_TEST: "1" },
    });
    const { page, folder, errors } = first;
    await page.locator(".monaco-workbench.hc-black").waitFor();
    await openFile(page, "hello.txt");
    await page.locator(".editor-instance .view-line", { hasText: "hello" }).waitFor();
    assert.equal(readFileSync(join(folder, "src/hello.txt"), "utf8"), "hello from a test\n");

    const panel = await openChat(page);
    await panel.getByRole("textbox", { name: "Message" }).waitFor();
    assert.match(await panel.locator("body").ariaSnapshot(), /textbox/);
    assert.ok(existsSync(await takeScreenshot(page, "chat-empty")));

    const part = page.locator(".part.panel");
    const isThere = (): Promise<boolean> =>
      part.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    // On a busy machine, the harness can run a command twice if the first run had no visible effect. This command
    // reverts it.
    do await runCommand(page, "View: Toggle Panel Visibility");
    while (!(await isThere()));
    assert.deepEqual(errors, []);

    if (canChangeSettings) {
      first.server.writeSettings({ "workbench.colorTheme": "Default High Contrast Light" });
      await page.locator(".monaco-workbench.hc-light").waitFor();
    }
    const before = first.server.tree();
    assert.ok(before.length > 1, "The extension host is not in the process tree, so this test cannot detect anything.");
    const second = await restartVscode(first);
    await chat(second.page).locator("body").waitFor();
    const alive = before.filter(({ pid, command }) => processTree(pid).some(each => each.command === command));
    assert.deepEqual(alive, []);
  });
});
