// Draws the picture of the Sessions view for the README in the real VS Code: `npm run pictures`.
import { mkdirSync } from "node:fs";
import { newSession, openChat, openWorkbench, runCommand } from "./harness.ts";

if (process.env["PARLEY_PICTURES"]) {
  describe("the picture of the Sessions view in the README", () => {
    it("shows a session that waits, one that works, and the recent ones in the empty chat", async () => {
      const works = [{ chunk: "I compare both versions of the parser. " }, { chunk: ".", times: 600, delayMs: 100 }];
      const { page } = await openWorkbench({
        files: {
          "sum.js": "export const sum = (a, b) => a - b;\n",
          "package.json": '{ "scripts": { "test": "node --test" } }\n',
          "compare the parsers.json": JSON.stringify(works),
        },
        settings: {
          "workbench.colorTheme": "Default Dark Modern",
          "window.commandCenter": false,
          "window.title": "sample-workspace",
          "parley.agents": Object.fromEntries(
            ["codex", "opencode", "qwen", "copilot", "auggie", "goose"].map(id => [id, false]),
          ),
        },
      });
      await page.setViewportSize({ width: 1280, height: 860 });
      const panel = await openChat(page);
      const composer = panel.getByRole("textbox", { name: "Message" });
      const send = async (text: string): Promise<void> => {
        await composer.fill(text);
        await composer.press("Enter");
        await panel.getByRole("heading", { name: `You: ${text}`, exact: true }).waitFor();
      };
      const edge = await page.locator(".part.sidebar").boundingBox();
      if (edge) {
        await page.mouse.move(edge.x + edge.width, 400);
        await page.mouse.down();
        await page.mouse.move(520, 400, { steps: 5 });
        await page.mouse.up();
      }
      for (const text of ["hello", "plan a refactor"]) {
        await send(text);
        await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
        await newSession(page, panel);
      }
      await send("#script compare the parsers.json");
      await newSession(page, panel);
      await send("run the tests");
      await panel.getByRole("group", { name: /^Run / }).waitFor();
      await newSession(page, panel);
      await runCommand(page, "Parley: Focus on Sessions View");
      await page.locator(".pane .monaco-list-row").nth(5).waitFor();
      await runCommand(page, "Notifications: Clear All Notifications");
      mkdirSync("docs/images", { recursive: true });
      await page.screenshot({ path: "docs/images/sessions.png", animations: "disabled" });
    });
  });
}
