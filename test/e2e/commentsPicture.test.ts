// Draws the picture of a comment on lines for the README in the real VS Code: `npm run pictures`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inProject } from "../../scripts/tools/project.mjs";
import { openChat, openFile, openWorkbench, runCommand } from "./harness.ts";
import { typeComment } from "./keyboard.ts";

const cart = readFileSync(inProject("examples", "sample-workspace", "src", "cart.js"), "utf8");
const discounted = cart
  .replace("total(items, discount = 0)", "total(items, code)")
  .replace("(1 - discount));", "(1 - codes[code]));")
  .replace("`discount` is a fraction between 0 and 1.", "`code` is that of a discount.")
  .replace("const SHIPPING = 4.9;\n", "const SHIPPING = 4.9;\nconst codes = { SPRING: 0.1, STAFF: 0.25 };\n");
const safe = discounted.replace("codes[code]", "codes[code] ?? 0");

if (process.env["PARLEY_PICTURES"]) {
  describe("the picture of a comment on lines in the README", () => {
    const scripts = mkdtempSync(join(tmpdir(), "parley-comments-"));
    after(() => rmSync(scripts, { recursive: true, force: true }));

    it("shows a comment on a change, the answer, and the change that it led to", async () => {
      const file = join(scripts, "answer.json");
      const demo = {
        ...{ name: "Demo Agent", command: process.execPath, args: [inProject("dist", "demo-agent.mjs")] },
        env: { PARLEY_DEMO_SCRIPT: file },
      };
      writeFileSync(file, "[]");
      const { page, folder } = await openWorkbench({
        files: { "src/cart.js": cart },
        settings: {
          "workbench.colorTheme": "Default Dark Modern",
          "window.commandCenter": false,
          "window.title": "sample-workspace",
          "comments.openView": "never",
          "parley.agents": { demo },
        },
      });
      const answerWith = (words: string, content: string, title: string): void => {
        const params = { sessionId: "$session", path: join(folder, "src/cart.js"), content };
        const info = { update: { sessionUpdate: "session_info_update", title } };
        writeFileSync(
          file,
          JSON.stringify({ steps: [info, { request: { method: "fs/write_text_file", params } }, { chunk: words }] }),
        );
      };
      await page.setViewportSize({ width: 1280, height: 760 });
      const panel = await openChat(page);
      const title = "Discount codes";
      answerWith("`total` takes the code of a discount now.", discounted, title);
      const composer = panel.getByRole("textbox", { name: "Message" });
      await composer.fill("Let customers enter the code of a discount");
      await composer.press("Enter");
      await panel.getByText("takes the code of a discount now").first().waitFor();
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      await openFile(page, "cart.js");
      await page.locator(".view-line", { hasText: "codes[code]" }).click();
      answerWith("Then the price was `NaN`. An unknown code gives no discount now.", safe, title);
      await typeComment(page, "What happens with a code that does not exist?");
      await page.keyboard.press("Control+Enter");
      await page.locator(".review-widget .review-title", { hasText: "answered with a change" }).waitFor();
      await page.locator(".review-widget .comment-body", { hasText: "gives no discount now" }).waitFor();
      await runCommand(page, "Notifications: Clear All Notifications");
      mkdirSync("docs/images", { recursive: true });
      await page.screenshot({ path: "docs/images/comments.png", animations: "disabled" });
    });
  });
}
