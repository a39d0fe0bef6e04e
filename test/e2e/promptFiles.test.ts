// Prompt files in the real VS Code, by keyboard: of the workspace and of the user.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFile, pictureThemes, screenshot, sharedWorkbench } from "./harness.ts";
import { focusIs, pressTo } from "./keyboard.ts";

const userFolder = mkdtempSync(join(tmpdir(), "parley-prompts-"));
after(() => rmSync(userFolder, { recursive: true, force: true }));

const run = `---
description: Runs a script and says what it prints
argument-hint: <script>
model: GPT-5
---

#script \${input:script:The path of the script}

The file \${fileBasename} has this line: \${selection}
Keep to [the rules](../../RULES.md).
`;

for (const [theme, colors] of pictureThemes) {
  describe(`prompt files, ${theme} theme`, () => {
    it("are chosen after a slash, get an argument, are shown, and reach the agent", async () => {
      writeFileSync(join(userFolder, "outline.prompt.md"), "---\ndescription: Outlines a change\n---\nOutline it.");
      const { page, panel, folder, errors } = await sharedWorkbench(
        {
          ".github/prompts/run.prompt.md": run,
          ".github/prompts/broken.prompt.md": "---\ndescription: Has no end\n",
          "cart.js": "const cart = [];\n",
          "task.json": JSON.stringify([{ chunk: "The agent got the script." }]),
        },
        { "workbench.colorTheme": colors, "parley.promptFiles.folder": userFolder },
      );
      const keys = page.keyboard;
      const composer = panel.getByRole("textbox", { name: "Message" });
      const log = panel.getByRole("log", { name: "Conversation" });
      await openFile(page, "cart.js");
      await page.locator(".editor-instance .view-line").first().click();
      await keys.press("Home");
      await keys.press("Shift+End");
      await composer.focus();

      // The list, which follows the folder.
      await keys.type("/");
      await panel.getByRole("option", { name: "outline User · Outlines a change" }).waitFor();
      await panel.getByRole("option", { name: /broken The front matter has no second line/ }).waitFor();
      await screenshot(page, `prompt-files-list-${theme}`);
      const late = panel.getByRole("option", { name: "late Workspace" });
      const isListed = (): Promise<boolean> =>
        late.waitFor({ timeout: 10_000 }).then(
          () => true,
          () => false,
        );
      // On a busy machine, VS Code begins to watch a folder long after it has opened it.
      for (let count = 1; count === 1 || !(await isListed()); count++) {
        assert.ok(
          count < 10,
          `VS Code reported none of ${count - 1} changes:\n${await panel.locator("body").innerText()}`,
        );
        writeFileSync(join(folder, ".github", "prompts", "late.prompt.md"), "Late.".repeat(count));
      }
      await keys.type("run");
      await panel.getByRole("option", { name: /run <script> Workspace · Runs a script/ }).waitFor();
      await keys.press("Enter");

      const form = panel.getByRole("form", { name: "/run" });
      await focusIs(page, /^textbox "script \(required\)"/);
      await keys.type("task.json");
      await screenshot(page, `prompt-files-form-${theme}`);
      await pressTo(page, "Tab", /^button "Continue"/);
      // The form ignores keys for 500 ms after it gets the focus.
      const go = form.getByRole("button", { name: "Continue" });
      while (await form.isVisible()) await go.press("Enter", { timeout: 1000 }).catch(() => undefined);

      const preview = panel.getByRole("group", { name: "Preview of /run" });
      const text = [
        "#script task.json",
        "",
        "The file cart.js has this line: const cart = [];",
        "Keep to [the rules](../../RULES.md).",
      ];
      assert.equal(await preview.locator(".preview-text").innerText(), text.join("\n"));
      await focusIs(page, /^button "Send"/);
      await screenshot(page, `prompt-files-preview-${theme}`);
      await keys.press("Enter");
      await log.getByText("The agent got the script.").waitFor();
      await log.getByText("Keep to [the rules](../../RULES.md).").first().waitFor();
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      assert.equal(await composer.inputValue(), "");
      assert.deepEqual(errors, []);
    });
  });
}
