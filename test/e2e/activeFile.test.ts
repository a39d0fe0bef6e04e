// The active file in the real VS Code: switched on beside the message box, and sent with a message.
import assert from "node:assert/strict";
import { runCommand, screenshot, sharedWorkbench } from "./harness.ts";

describe("the active file in a real VS Code", () => {
  it("goes with a message after its switches were pressed, and with none after the key", async () => {
    const { page, panel, errors } = await sharedWorkbench({
      "first.json": JSON.stringify([{ chunk: "Looked at it." }]),
      "second.json": JSON.stringify([{ chunk: "Nothing to look at." }]),
    });
    const composer = panel.getByRole("textbox", { name: "Message" });
    const log = panel.getByRole("log", { name: "Conversation" });
    const file = panel.getByRole("group", { name: "Active file" });
    await runCommand(page, "Go to File...");
    await page.keyboard.type("sum.js");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "sum.js" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: "sum.js" }).waitFor();
    await page.locator(".view-line").first().click();
    for (const key of ["Home", "Shift+ArrowDown", "Shift+ArrowDown"]) await page.keyboard.press(key);
    const selection = file.getByRole("button", { name: "lines 1-2" });
    await selection.click();
    await file.getByRole("button", { name: "sum.js", pressed: false }).click();
    await file.getByRole("button", { name: "sum.js", pressed: true }).waitFor();
    await file.getByRole("button", { name: "lines 1-2", pressed: true }).waitFor();
    await screenshot(page, "active-file");
    await composer.fill("#script first.json");
    await composer.press("Enter");
    await log.getByText("Looked at it.").waitFor();
    const prompt = log.locator('parley-message[data-kind="user"]', { hasText: "#script first.json" });
    assert.match(await prompt.innerText(), /sum\.js/);
    await screenshot(page, "active-file-sent");

    await composer.focus();
    await page.keyboard.press("Alt+Shift+V");
    await file.getByRole("button", { name: "sum.js", pressed: false }).waitFor();
    await file.getByRole("button", { name: "lines 1-2", pressed: false }).waitFor();
    await composer.fill("#script second.json");
    await composer.press("Enter");
    await log.getByText("Nothing to look at.").waitFor();
    const bare = log.locator('parley-message[data-kind="user"]', { hasText: "#script second.json" });
    assert.doesNotMatch(await bare.innerText(), /sum\.js/);
    assert.deepEqual(errors, []);
  });
});
