// The API for other extensions in the real VS Code: the sample extension asks for the consent, opens a session with the demo agent,
// and shows the answer. The user withdraws the consent. And links that fill the message box.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import {
  expandView,
  openChat,
  openFile,
  openWorkbench,
  pictureThemes,
  runCommand,
  screenshot,
  viewPane,
} from "./harness.ts";
import { resizeChat } from "./resizeChat.ts";

/** VS Code's own command. A link from elsewhere, such as a browser, takes the same way, with the same question. */
async function openLink(page: Page, link: string): Promise<void> {
  await runCommand(page, "Developer: Open URL");
  const box = page.locator(".quick-input-widget input");
  await box.fill(link);
  await box.press("Enter");
  const question = page.getByRole("dialog").filter({ hasText: "extension to open this URI?" });
  await question.getByRole("button", { name: "Open", exact: true }).click();
  await question.waitFor({ state: "hidden" });
}

for (const [theme, colors] of pictureThemes) {
  describe(`another extension, ${theme} theme`, () => {
    it("uses an agent after the user has allowed it, and not after the user has withdrawn that", async () => {
      const { page, errors } = await openWorkbench({
        extensions: [inProject("examples", "api-sample")],
        settings: { "workbench.colorTheme": colors },
      });
      await openFile(page, "sum.js");
      await runCommand(page, "API Sample: Explain This File");
      const dialog = page
        .getByRole("dialog")
        .filter({ hasText: "Allow the extension “API Sample” to use your agents?" });
      await dialog.getByText("Extension: parley-samples.api-sample").waitFor();
      await screenshot(page, `api-${theme}-consent`);
      await dialog.getByRole("button", { name: "Allow", exact: true }).click();

      // The answer is in an editor of its own, and the session in the list, closed and with the name of the extension.
      const answer = page.locator(".tab", { hasText: "Untitled-1" });
      await answer.waitFor();
      const panel = await openChat(page);
      await expandView(page, "Sessions");
      await viewPane(page, "Sessions").getByText("Explain src/sum.js").first().click();
      const log = panel.getByRole("log", { name: "Conversation" });
      await log.getByText("The extension “API Sample” (parley-samples.api-sample) sends messages here.").waitFor();
      await log.getByRole("heading", { name: "You: Explain this file." }).waitFor();
      await screenshot(page, `api-${theme}-answer`);

      // Withdrawn with the keyboard: the only row has the focus after one key.
      await runCommand(page, "Parley: Manage Extensions That Use Parley");
      const list = page.locator(".quick-input-widget");
      await list.getByText("1 Selected").waitFor();
      await list.getByText("parley-samples.api-sample").waitFor();
      await screenshot(page, `api-${theme}-manage`);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Space");
      await list.getByText("0 Selected").waitFor();
      await page.keyboard.press("Enter");
      await list.waitFor({ state: "hidden" });

      await page.locator(".tab", { hasText: "sum.js" }).first().click();
      await runCommand(page, "API Sample: Explain This File");
      await page.getByText("The user does not allow “API Sample” to use Parley").first().waitFor();
      assert.equal(await dialog.count(), 0);
      assert.deepEqual(errors, []);
    });

    it("or a browser fills the message box with a link, which sends nothing and keeps the draft", async () => {
      const { page, folder, errors } = await openWorkbench({ settings: { "workbench.colorTheme": colors } });
      const panel = await openChat(page);
      const composer = panel.getByRole("textbox", { name: "Message" });
      const note = panel.getByText("A link filled the message box. Read the message before you send it.");
      const link = `code-oss://parley.parley/prompt?folder=${encodeURIComponent(folder)}&text=`;
      await openLink(page, `${link}${encodeURIComponent("Explain 50% of a & b = c + d#e?\u202e\nand more")}`);
      await note.waitFor();
      assert.equal(await composer.inputValue(), "Explain 50% of a & b = c + d#e?[U+202E]\nand more");
      if (process.env["PARLEY_PICTURES"])
        for (const width of [280, 480]) {
          await resizeChat(page, width);
          await screenshot(page, `api-${theme}-link-${width}`);
        }

      await composer.fill("mine");
      await openLink(page, `${link}another`);
      await runCommand(page, "Notifications: Show Notifications");
      const draft = page.locator(".notification-list-item", { hasText: "The message box has a draft, which stays." });
      await draft.first().waitFor();
      await screenshot(page, `api-${theme}-draft`);
      assert.equal(await composer.inputValue(), "mine");
      await draft.first().getByRole("button", { name: "Add Below" }).click();
      await until(async () => (await composer.inputValue()) === "mine\nanother");

      await openLink(page, "code-oss://parley.parley/prompt?folder=/nowhere&text=x");
      await runCommand(page, "Notifications: Show Notifications");
      const refused = page.locator(".notification-list-item", { hasText: "“/nowhere” is no folder of this window." });
      await refused.first().waitFor();
      assert.equal(await composer.inputValue(), "mine\nanother");
      assert.equal(await panel.getByRole("heading", { name: /^You:/ }).count(), 0);
      assert.deepEqual(errors, []);
    });
  });
}
