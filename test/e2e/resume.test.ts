// The question before a large conversation is resumed, by keyboard after a reload of the real VS Code. The agent reports
// its tokens and its cost over the wire.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { openChat, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { focusIs, pressTo } from "./keyboard.ts";

const firstAnswer = (panel: FrameLocator): Locator =>
  panel.getByRole("log", { name: "Conversation" }).getByText("Prompt 1 of this session.", { exact: true });

describe("a large conversation after a reload of the window", () => {
  const kept = mkdtempSync(join(tmpdir(), "parley-kept-"));
  after(() => rmSync(kept, { recursive: true, force: true }));

  it("leads to its hidden question, returns the message by Escape, continues from the digest, or is resumed", async () => {
    const file = join(kept, "sessions.json");
    const gate = join(kept, "gate");
    writeFileSync(gate, "");
    /** How many prompts each session of the agent has. */
    const prompts = (): readonly number[] =>
      Object.values(JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, readonly unknown[]>>).map(
        turns => turns.length,
      );
    const large = {
      ...{ name: "Lasting Agent", command: process.execPath, startTimeout: 20 },
      args: [inProject("test", "support", "agents", "continuing.mjs"), "resumes", file, "182400", gate],
    };
    const workbench = await sharedWorkbench({}, { "parley.agents": { large } });
    const { page } = workbench;
    await chooseAgent(workbench.panel, "large");
    await workbench.panel.getByRole("textbox", { name: "Message" }).fill("remember the walrus");
    await page.keyboard.press("Enter");
    await firstAnswer(workbench.panel).waitFor();
    await workbench.panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await reloadWindow(page);

    const panel = await openChat(page);
    const log = panel.getByRole("log", { name: "Conversation" });
    const message = panel.getByRole("textbox", { name: "Message" });
    const card = panel.getByRole("group", { name: "Resume this large conversation?" });
    await firstAnswer(panel).waitFor();
    rmSync(gate);
    const session = await panel.getByRole("main").getAttribute("data-session");
    await message.focus();
    await page.keyboard.type("go on");
    await page.keyboard.press("Enter");
    await panel.getByText("go on", { exact: true }).waitFor();
    await runCommand(page, "View: Show Explorer");
    await message.waitFor({ state: "hidden" });
    writeFileSync(gate, "");
    await page.locator('.activitybar .badge-content:text-is("1")').waitFor();
    await runCommand(page, "Notifications: Show Notifications");
    const asks = "Parley waits for your answer before Lasting Agent resumes a large conversation: remember the walrus";
    const notification = page.locator(".notifications-center .notification-list-item", { hasText: asks });
    await notification.waitFor();
    await screenshot(page, "resume-notification");
    await notification.getByRole("button", { name: "Show" }).click();
    await card.waitFor();
    assert.match(await card.innerText(), /182,400 tokens · Size: [\d.]+ kB · Cost so far: \$0\.50/);
    assert.match(await card.innerText(), /Your message waits for your answer\./);
    await focusIs(page, /^button "Resume"/);
    await message.focus();
    const status = page.locator('[aria-label^="Lasting Agent: Waiting for you"]').first();
    const badge = page.locator('.activitybar .badge-content:text-is("1")');
    await status.waitFor();
    await badge.waitFor();
    await screenshot(page, "resume-question");
    await runCommand(page, "Parley: Go to Question");
    await focusIs(page, /^button "Resume"/);
    await page.keyboard.press("Escape");
    await status.waitFor({ state: "detached" });
    await badge.waitFor({ state: "detached" });
    await card.waitFor({ state: "detached" });
    await until(async () => (await message.inputValue()) === "go on", 30_000);
    await focusIs(page, /^textbox "Message"/);

    await page.keyboard.press("Enter");
    await card.waitFor();
    await pressTo(page, "Shift+Tab", /^button "Continue From Digest"/);
    await page.keyboard.press("Enter");
    await panel.getByRole("button", { name: /^Remove Digest of / }).waitFor();
    await until(async () => (await message.inputValue()) === "go on", 30_000);
    await focusIs(page, /^textbox "Message"/);
    await screenshot(page, "resume-digest");
    await page.keyboard.press("Enter");
    await log.getByText("Prompt 1 of this session, with the conversation.", { exact: true }).waitFor();
    assert.deepEqual([...prompts()].sort(), [1, 1]);

    await log.getByRole("button", { name: /^Show the session “/ }).click();
    await panel.locator(`main[data-session="${session ?? ""}"]`).waitFor();
    await message.focus();
    await page.keyboard.type("and on");
    await page.keyboard.press("Enter");
    await card.waitFor();
    await pressTo(page, "Shift+Tab", /^button "Resume"/);
    await page.keyboard.press("Enter");
    await log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
    await card.waitFor({ state: "detached" });
    assert.deepEqual([...prompts()].sort(), [1, 2]);
    await screenshot(page, "resume-resumed");
  });
});
