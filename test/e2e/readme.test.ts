// Draws the picture of the README in the real VS Code: `npm run pictures`.
import { mkdirSync } from "node:fs";
import { openChat, openFile, openWorkbench, runCommand } from "./harness.ts";

if (process.env["PARLEY_PICTURES"]) {
  describe("the picture of the README", () => {
    it("shows the demo agent as it asks before it edits a file", async () => {
      const { page } = await openWorkbench({
        settings: {
          "workbench.colorTheme": "Default Dark Modern",
          "editor.fontSize": 13,
          "window.commandCenter": false,
          "window.title": "${activeEditorShort} — sample-workspace",
        },
      });
      await page.setViewportSize({ width: 1280, height: 800 });
      const panel = await openChat(page);
      const composer = panel.getByRole("textbox", { name: "Message" });
      await composer.and(panel.locator(":focus")).waitFor();
      await openFile(page, "sum.js");
      // Drag the border between side bar and editor, so that the chat is wide enough to read.
      const edge = await page.locator(".part.sidebar").boundingBox();
      if (edge) {
        await page.mouse.move(edge.x + edge.width, 400);
        await page.mouse.down();
        await page.mouse.move(500, 400, { steps: 5 });
        await page.mouse.up();
      }
      await composer.fill("fix the bug in sum.js");
      await composer.press("Enter");
      await panel
        .getByRole("group", { name: /^Run / })
        .getByRole("button", { name: /^Allow/ })
        .click();
      await panel.getByRole("group", { name: /^Edit / }).waitFor();
      await runCommand(page, "Notifications: Clear All Notifications");
      mkdirSync("docs/images", { recursive: true });
      await page.screenshot({ path: "docs/images/panel.png", animations: "disabled" });
    });
  });
}
