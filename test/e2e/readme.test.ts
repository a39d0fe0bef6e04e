// Draws the pictures of the README in the real VS Code: `npm run pictures`.
import { mkdirSync } from "node:fs";
import { everything } from "../support/mcp/servers.ts";
import { openChat, openFile, openWorkbench, runCommand } from "./harness.ts";
import { startServerByCommand } from "./mcpCommands.ts";

if (process.env["PARLEY_PICTURES"]) {
  describe("the pictures of the README", () => {
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

    it("shows the arguments of an MCP prompt, and what is sent", async () => {
      const { page } = await openWorkbench({
        settings: {
          "workbench.colorTheme": "Default Dark Modern",
          // Only one agent, so that the list of agents does not distract.
          "parley.agents": Object.fromEntries(
            ["claude", "codex", "gemini", "opencode", "qwen", "copilot", "auggie", "goose", "kimi"].map(id => [
              id,
              false,
            ]),
          ),
          "parley.mcpServers": { everything: { command: process.execPath, args: [everything] } },
        },
      });
      await page.setViewportSize({ width: 1000, height: 760 });
      const panel = await openChat(page);
      await startServerByCommand(page, panel);
      await panel.getByRole("option", { name: /everything:completable-prompt/ }).click();
      const form = panel.getByRole("form", { name: "/everything:completable-prompt" });
      await form.getByRole("combobox", { name: "department (required)" }).click();
      await page.keyboard.type("Sales");
      const name = form.getByRole("combobox", { name: "name (required)" });
      await name.click();
      await page.keyboard.type("D");
      await form.getByRole("option", { name: "David" }).waitFor();
      const shots = [await page.locator(".part.sidebar").screenshot({ animations: "disabled" })];
      await form.getByRole("option", { name: "David" }).click();
      await form.getByRole("button", { name: "Continue" }).click();
      await panel.getByText("Please promote David to the head of the Sales team.").waitFor();
      shots.push(await page.locator(".part.sidebar").screenshot({ animations: "disabled" }));
      mkdirSync("docs/images", { recursive: true });
      // Side by side, on the background of the window, without the other views.
      const canvas = await page.context().newPage();
      const images = shots.map(
        shot => `<img style="margin:-62px 0 -66px" src="data:image/png;base64,${shot.toString("base64")}">`,
      );
      const row = "display:inline-flex;align-items:flex-start;gap:12px;overflow:hidden";
      await canvas.setContent(`<body style="margin:0;background:#181818"><div style="${row}">${images.join("")}</div>`);
      await canvas.locator("div").screenshot({ path: "docs/images/mcp.png" });
    });
  });
}
