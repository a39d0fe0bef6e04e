// A session whose agent has left the settings: it can be read and exported, and continues when the agent is back.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { canChangeSettings, chat, openChat, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { whenStored } from "./whenStored.ts";

const second = { command: process.execPath, args: [inProject("dist", "demo-agent.mjs")], name: "Second Agent" };
const settings = { "parley.agents": { second } };

describe("a session whose agent has left the settings", () => {
  it("is read-only, is exported by keyboard, and continues with its draft once the agent is back", async function () {
    if (!canChangeSettings) this.skip();
    const { page, folder, server, panel } = await sharedWorkbench({}, settings);
    const composer = (): ReturnType<FrameLocator["getByRole"]> => chat(page).getByRole("textbox", { name: "Message" });
    const notice = chat(page).getByRole("group", { name: "Read only" });
    const send = async (text: string): Promise<void> => {
      await composer().fill(text);
      await composer().press("Enter");
      await chat(page)
        .getByRole("heading", { name: `You: ${text}`, exact: true })
        .waitFor();
      await chat(page).getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    };
    await chooseAgent(panel, "second");
    await send("hello");
    await composer().fill("a draft for later");
    await whenStored(page, "a draft for later");

    server.writeSettings({ "files.autoSave": "off" });
    await reloadWindow(page);
    await openChat(page);
    await notice.getByText("Second Agent is no longer in your settings").waitFor();
    await screenshot(page, "read-only-session");
    assert.equal(await composer().isVisible(), false);
    await chat(page).getByRole("heading", { name: "You: hello", exact: true }).waitFor();

    // The command that shows the chat gives the focus to the first button.
    const exports = notice.getByRole("button", { name: "Export Session…" });
    await runCommand(page, "Parley: Open Chat");
    await exports.and(chat(page).locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    const format = page.locator(".quick-input-list .monaco-list-row");
    await format.filter({ hasText: "Transcript" }).waitFor();
    await page.keyboard.type("Transcript");
    await page.keyboard.press("Enter");
    const name = page.locator(".quick-input-widget input.input").first();
    await until(async () => (await name.inputValue().catch(() => "")).endsWith(".jsonl"));
    const file = join(folder, "exported.jsonl");
    await name.fill(file);
    await name.press("Enter");
    await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
    const lines = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map(line => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(lines[0], { parley: 2 });
    assert.ok(lines.some(line => JSON.stringify(line).includes("hello")));

    server.writeSettings({ "files.autoSave": "off", ...settings });
    await reloadWindow(page);
    await openChat(page);
    await chat(page).getByRole("heading", { name: "You: hello", exact: true }).waitFor();
    await notice.waitFor({ state: "detached" });
    assert.equal(await composer().inputValue(), "a draft for later");
    await send("go on");
  });
});
