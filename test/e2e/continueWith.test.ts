// A conversation whose agent is lost continues with another agent, by keyboard in the real VS Code.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/fakes/until.ts";
import { chooseAgent, withAgents } from "./agents.ts";
import { runCommand, screenshot } from "./harness.ts";
import { focusIs, pressTo } from "./keyboard.ts";

describe("a conversation whose agent is lost", () => {
  it("continues with another agent by keyboard, which gets the digest and the conversation", async () => {
    const { page, panel, folder } = await withAgents({ "patient/notes.md": "" });
    await chooseAgent(panel, "patient");
    const message = panel.getByRole("textbox", { name: "Message" });
    const log = panel.getByRole("log", { name: "Conversation" });
    const steps = JSON.stringify([
      { request: "fs/read_text_file", params: { path: join(folder, "patient/notes.md") } },
    ]);
    await message.fill(steps);
    await message.press("Enter");
    const pidFile = join(folder, "patient", "agent.pid");
    await until(() => existsSync(pidFile), 30_000);
    await log
      .getByText(/\{"(?:result|error)"/)
      .first()
      .waitFor();
    process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
    await panel.getByRole("group", { name: "Problem" }).getByRole("button", { name: "Continue With…" }).waitFor();
    await message.focus();
    await page.keyboard.type("An unsent draft");
    await screenshot(page, "continue-with-banner");
    await pressTo(page, "Shift+Tab", /^button "Continue With…"/);
    await page.keyboard.press("Enter");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "Demo Agent" }).waitFor();
    await screenshot(page, "continue-with-agents");
    await page.keyboard.type("Demo Agent");
    await page.keyboard.press("Enter");
    await focusIs(page, /^textbox "Message"/);
    await panel.getByRole("button", { name: /^Remove Digest of / }).waitFor();
    await panel.getByRole("button", { name: /^Remove Conversation / }).waitFor();
    await screenshot(page, "continue-with-draft");
    assert.equal(await message.inputValue(), "");
    await page.keyboard.type("go on please");
    await page.keyboard.press("Enter");
    await log.getByText("go on please", { exact: true }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await runCommand(page, "Parley: Save Transcript");
    const dialog = page.locator(".quick-input-widget");
    await dialog.getByText("Save Transcript").first().waitFor();
    await dialog.getByRole("button", { name: "OK" }).click();
    const saved = join(folder, "parley-demo.ndjson");
    await until(() => existsSync(saved) && readFileSync(saved, "utf8").includes("go on please"), 30_000);
    const prompt = readFileSync(saved, "utf8")
      .split("\n")
      .find(line => line.includes('"method":"session/prompt"') || line.includes("session/prompt"));
    assert.match(prompt ?? "", /This is a digest of an earlier conversation/);
    assert.match(prompt ?? "", /This is the conversation so far[^]*> \[\{[^]*fs\/read_text_file/);
    await log.getByRole("button", { name: /^Show the session “/ }).click();
    await log.getByText("Continued in a new session with Demo Agent.").waitFor();
    await until(async () => (await message.inputValue()) === "An unsent draft", 30_000);
    await screenshot(page, "continue-with-old-session");
  });
});
