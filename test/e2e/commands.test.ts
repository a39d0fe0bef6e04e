// Runs every command from the Command Palette of the real VS Code, and checks the status bar.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { allowCommand, runCommand, sharedWorkbench, startingSession } from "./harness.ts";

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const idle = (panel: FrameLocator): Promise<void> =>
  panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

async function send(panel: FrameLocator, text: string): Promise<void> {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
}

describe("the commands of the Command Palette", () => {
  it("open the chat, select and restart agents, show logs and save the transcript", async () => {
    const { page, panel, folder } = await sharedWorkbench();
    await send(panel, "hello");
    await conversation(panel).getByText("hello", { exact: true }).waitFor();
    await idle(panel);
    const status = page.locator(".statusbar-item", { hasText: "Demo Agent" });
    await status.waitFor();

    await runCommand(page, "Parley: Show Protocol Inspector");
    await page.locator(".tab.active", { hasText: "Protocol Inspector" }).waitFor();
    await page
      .getByRole("tab", { name: "Protocol Inspector" })
      .getByRole("button", { name: /^Close/ })
      .click();

    await runCommand(page, "Parley: Show Log");
    await page.locator(".panel .view-line", { hasText: "Demo Agent is ready" }).first().waitFor();

    await runCommand(page, "Parley: Save Transcript");
    const dialog = page.locator(".quick-input-widget");
    await dialog.getByText("Save Transcript").first().waitFor();
    await dialog.locator(".monaco-list-row", { hasText: "src" }).waitFor();
    await dialog.getByRole("button", { name: "OK" }).click();
    await page.getByText("The transcript was saved.").first().waitFor();
    const saved = join(folder, "parley-demo.ndjson");
    assert.ok(existsSync(saved));
    assert.match(readFileSync(saved, "utf8"), /"method":"session\/prompt"/);

    await runCommand(page, "Parley: Report a Problem");
    const parts = dialog.locator(".monaco-list-row");
    await parts.filter({ hasText: "Check of Demo Agent" }).waitFor();
    await parts.filter({ hasText: "Transcript of Demo Agent" }).click();
    await page.keyboard.press("Enter");
    await page.getByText("Parley has sent nothing.").first().waitFor();
    const line = (text: string): Locator => page.locator(".editor-instance .view-line", { hasText: text }).first();
    await line("# Problem with Parley").waitFor();
    await line("## Changed settings").waitFor();
    await page.keyboard.press("Control+End");
    await line('"method":"session/update"').waitFor();

    await runCommand(page, "Parley: Restart Agent");
    await conversation(panel)
      .getByText(/no longer has this conversation in its context/)
      .waitFor();

    await runCommand(page, "Parley: New Session");
    await conversation(panel).getByText("hello", { exact: true }).waitFor({ state: "detached" });
    await composer(panel).and(panel.locator(":focus")).waitFor();

    await runCommand(page, "Parley: Select Agent");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "Gemini CLI" }).waitFor();
    const demoAgent = page.locator(".quick-input-list .monaco-list-row", { hasText: "Demo Agent" });
    await startingSession(panel, () => demoAgent.click());
    await send(panel, "hello again");
    await conversation(panel).getByText("hello again", { exact: true }).waitFor();
    await idle(panel);
  });

  it("answer by keyboard, queue a prompt while the agent works, and change an option of the agent", async () => {
    const { page, panel, folder } = await sharedWorkbench();
    const before = readFileSync(join(folder, "src/sum.js"), "utf8");
    await send(panel, "run the tests");
    const run = panel.getByRole("group", { name: /^Run / });
    await run.waitFor();
    await send(panel, "explain src/sum.js");
    await panel.getByText("explain src/sum.js").first().waitFor();
    // By keyboard only: from the composer back to the permission request, whose options have numbers.
    await runCommand(page, "Parley: Open Chat");
    await run
      .getByRole("button", { name: /^Allow/ })
      .and(panel.locator(":focus"))
      .waitFor();
    await expectAnswered(run, () => page.keyboard.press("1"));
    await conversation(panel).getByRole("heading", { name: "Functions" }).waitFor();
    await idle(panel);
    await panel.getByRole("combobox", { name: "Mode" }).selectOption("free");
    await send(panel, "fix the bug in sum.js");
    // The agent asks for nothing in this mode, but a command without a rule always needs an answer.
    await allowCommand(panel, "This Command for This Session");
    await conversation(panel)
      .getByText(/All 10 tests pass/)
      .waitFor();
    assert.notEqual(
      readFileSync(join(folder, "src/sum.js"), "utf8"),
      before,
      "edits need no permission request in this mode",
    );
  });
});

/** Presses the key until the permission request is gone, because it ignores keys for 500 ms after it gets the focus. */
async function expectAnswered(question: Locator, press: () => Promise<void>): Promise<void> {
  const gone = question.waitFor({ state: "detached" });
  let done = false;
  void gone.then(() => (done = true));
  while (!done) {
    await press();
    await Promise.race([gone, question.page().evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)))]);
  }
}
