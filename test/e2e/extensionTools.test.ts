// The tools of another extension, which the user chooses for agents, in the real VS Code: the choice by mouse and by
// keyboard, the question of Parley, that of VS Code, and the result.
import assert from "node:assert/strict";
import type { FrameLocator } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { chooseAgent } from "./agents.ts";
import { openChat, openWorkbench, pictureThemes, runCommand, screenshot } from "./harness.ts";
import { focused, focusIs } from "./keyboard.ts";
import { mcpAgent, openServers } from "./mcpCommands.ts";
import { resizeChat } from "./resizeChat.ts";

async function callTool(panel: FrameLocator, name: string, given: object): Promise<void> {
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(`tool ${name} ${JSON.stringify(given)}`);
  await composer.press("Enter");
}

for (const [theme, colors] of pictureThemes) {
  describe(`the tools of other extensions, ${theme} theme`, () => {
    it("are chosen, called after a question, confirmed in VS Code, and refused", async () => {
      const { page, errors } = await openWorkbench({
        extensions: [inProject("test", "support", "toolExtension")],
        settings: {
          "parley.editorTools": "all",
          "parley.agents": { mcp: mcpAgent(["http"]) },
          "workbench.colorTheme": colors,
        },
      });
      const panel = await openChat(page);
      const log = panel.getByRole("log", { name: "Conversation" });
      await chooseAgent(panel, "mcp");

      // Nothing is chosen by default.
      await callTool(panel, "ext_notes_add", { text: "milk" });
      await log.getByText("There is no tool “ext_notes_add”.").waitFor();

      // One by mouse, and one by keyboard.
      await runCommand(page, "Parley: Choose Tools of Extensions");
      const list = page.locator(".quick-input-widget");
      const row = list.locator(".monaco-list-row", { hasText: "Add Note" });
      await row.waitFor();
      await list.getByText("Test Notes (parley-test.notes)").waitFor();
      await row.locator(".label-name", { hasText: "Add Note" }).click();
      await list.getByText("1 Selected").waitFor();
      await screenshot(page, `extension-tools-${theme}-choice`);
      await page.keyboard.type("asks for");
      await row.waitFor({ state: "hidden" });
      // From the box to the list, whose only row has the focus already.
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Space");
      await list.getByText("2 Selected").waitFor();
      await page.keyboard.press("Enter");
      await list.waitFor({ state: "hidden" });
      const servers = await openServers(panel);
      await servers.getByText(/Add Note \(Test Notes\).*Return Parts \(Test Notes\)/).waitFor();
      await screenshot(page, `extension-tools-${theme}-servers`);
      await page.keyboard.press("Escape");

      // The input is checked before anybody is asked.
      await callTool(panel, "ext_notes_add", { text: 1 });
      await log.getByText("The arguments do not fit the schema of the tool:").waitFor();

      await callTool(panel, "ext_notes_add", { text: "milk", confirm: true });
      const question = panel.getByRole("group", { name: "Use “Add Note” of the extension “Test Notes”", exact: true });
      await question.getByText("Parley cannot limit which files it reads or changes").waitFor();
      await question.getByText(/milk/).first().waitFor();
      if (process.env["PARLEY_PICTURES"])
        for (const width of [280, 480]) {
          await resizeChat(page, width);
          await screenshot(page, `extension-tools-${theme}-${width}`);
        }
      await question.getByRole("button", { name: /^Allow Once/ }).click();
      const dialog = page.getByRole("dialog").filter({ hasText: "The note is “milk”." });
      await dialog.waitFor();
      await screenshot(page, `extension-tools-${theme}-confirm`);
      await dialog.getByRole("button", { name: /^(Yes|OK)/ }).click();
      await log.getByText("Notes: milk").waitFor();

      // The user cancels in VS Code.
      await callTool(panel, "ext_notes_add", { text: "bread", confirm: true });
      await question.getByRole("button", { name: /^Allow Once/ }).click();
      const second = page.getByRole("dialog").filter({ hasText: "The note is “bread”." });
      await second.getByRole("button", { name: /^(Cancel|No)/ }).click();
      await log.getByText("The tool was cancelled, perhaps by the user in the question of VS Code.").first().waitFor();

      // By keyboard, the user refuses.
      await callTool(panel, "ext_notes_add", { text: "eggs" });
      await question.waitFor();
      await page.keyboard.press("Alt+Shift+Q");
      await focusIs(page, /^button "Allow/);
      await until(async () => {
        if ((await question.count()) === 0) return true;
        if (/^button "Allow/.test(await focused(page).catch(() => ""))) await page.keyboard.press("ArrowRight");
        if (/^button "Refuse/.test(await focused(page).catch(() => ""))) await page.keyboard.press("Enter");
        return (await question.count()) === 0;
      });
      await log.getByText("did not allow this: Use “Add Note” of the extension “Test Notes”").waitFor();

      // Nothing was added meanwhile. The next call is allowed by keyboard.
      await callTool(panel, "ext_notes_add", { text: "tea" });
      await question.waitFor();
      await page.keyboard.press("Alt+Shift+Q");
      await focusIs(page, /^button "Allow/);
      await until(async () => {
        if (/^button "Allow/.test(await focused(page).catch(() => ""))) await page.keyboard.press("Enter");
        return (await question.count()) === 0;
      });
      await log.getByText("Notes: milk, tea").waitFor();
      await screenshot(page, `extension-tools-${theme}-done`);
      assert.deepEqual(errors, []);
    });
  });
}
