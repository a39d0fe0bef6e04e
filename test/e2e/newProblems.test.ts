// The new problems of a turn in the real VS Code: listed and fixed by mouse and keyboard, and sent with the next message.
import assert from "node:assert/strict";
import { join } from "node:path";
import { chooseAgent } from "./agents.ts";
import { openChat, openFile, reloadWindow, screenshot, sharedWorkbench } from "./harness.ts";
import { mcpAgent } from "./mcpCommands.ts";

describe("the new problems of a turn in a real VS Code", () => {
  const settings = {
    "parley.agents": { mcp: mcpAgent(["http"]) },
    "parley.problems.sendWithNextPrompt": true,
  };

  it("are listed, opened, attached and sent with the next message, are fixed by the next turn, and survive a reload", async () => {
    const old = `export const old: number = "old";`;
    const { page, panel, folder, errors } = await sharedWorkbench({ "src/wrong.ts": `${old}\n` }, settings);
    await chooseAgent(panel, "mcp");
    await openFile(page, "wrong.ts");
    // The language server has checked the file.
    await page.locator(".squiggly-error").first().waitFor();
    const path = join(folder, "src", "wrong.ts");
    const log = panel.getByRole("log", { name: "Conversation" });
    const composer = panel.getByRole("textbox", { name: "Message" });
    const stop = panel.getByRole("button", { name: "Stop" });
    const prompts = log.locator('parley-message[data-kind="user"]');
    const send = async (text: string): Promise<void> => {
      const count = await prompts.count();
      await composer.fill(text);
      await composer.press("Enter");
      await prompts.nth(count).getByText(text.slice(0, 30)).first().waitFor();
      await stop.waitFor({ state: "hidden" });
    };
    await send(`write ${path} ${old}\nexport const size: number = "large";`);
    const list = log.getByRole("button", { name: "1 new problem", exact: true });
    await list.waitFor();
    const switched = panel.getByRole("group", { name: "New problems" }).getByRole("button");
    await switched.waitFor();
    await screenshot(page, "new-problems");

    // By mouse: the list, and a place in it.
    await list.click();
    const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "wrong.ts:2:" });
    await row.waitFor();
    await screenshot(page, "new-problems-list");
    await row.click();
    await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await page.locator(".tab.active", { hasText: "wrong.ts" }).waitFor();

    // By keyboard: Fix, and a message that takes the problems with it.
    await list.focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await panel.locator("parley-chips").getByText("1 new problem").waitFor();
    await screenshot(page, "new-problems-fix");
    await panel
      .locator("parley-chips")
      .getByRole("button", { name: /^Remove/ })
      .click();
    assert.equal(await switched.getAttribute("aria-pressed"), "true");
    await send(`write ${path} ${old}\nexport const size: number = 1;`);
    await prompts.last().getByText("1 new problem").waitFor();
    await log.getByText("0 new problems, 1 fixed").waitFor();
    await switched.waitFor({ state: "detached" });
    await screenshot(page, "new-problems-fixed");

    assert.deepEqual(errors, []);
    await reloadWindow(page);
    const again = await openChat(page);
    const reloaded = again.getByRole("log", { name: "Conversation" });
    await reloaded.getByText("0 new problems, 1 fixed").waitFor();
    // The command moves the focus when the session is there, which would close the list.
    await again.getByRole("textbox", { name: "Message" }).and(again.locator(":focus")).waitFor();
    await reloaded.getByRole("button", { name: "1 new problem", exact: true }).click();
    const gone = page.locator(".quick-input-list .monaco-list-row", { hasText: "no longer reported" });
    await gone.waitFor();
    await page.keyboard.press("Escape");
  });
});
