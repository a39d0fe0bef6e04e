// The main path, end to end: the user types, the demo agent answers over ACP, and all of its actions appear in the
// panel.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { screenshot, sharedWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

describe("the walking path in a real VS Code", () => {
  it("explains a file: a thought, a tool card and Markdown arrive in the panel", async () => {
    const { page, panel, errors } = await sharedWorkbench();
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.waitFor();
    await panel.getByText("Ready").or(composer).first().waitFor();
    await composer.fill("explain src/sum.js");
    await composer.press("Enter");
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByRole("article", { name: /Read src\/sum\.js/ }).waitFor();
    await log.getByRole("heading", { name: "Functions" }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await screenshot(page, "walk-explain");
    assert.deepEqual(errors, []);
  });

  it("fixes a bug: shows a diff, gets permission by a button, edits the file, and links to it", async () => {
    const { page, panel, folder, errors } = await sharedWorkbench();
    const before = readFileSync(join(folder, "src/sum.js"), "utf8");
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("fix the bug in sum.js");
    await composer.press("Enter");
    await allow(panel, /^Run /); // Run the tests to see the failure.
    const question = panel.getByRole("group", { name: /^Edit src\/sum\.js/ });
    await question.waitFor();
    await screenshot(page, "walk-question");
    assert.equal(readFileSync(join(folder, "src/sum.js"), "utf8"), before, "nothing is written before the answer");
    await question.getByRole("button", { name: "Open Diff" }).click();
    await page.locator(".monaco-diff-editor .line-insert").first().waitFor();
    await allow(panel, /^Edit src\/sum\.js/);
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await screenshot(page, "walk-fixed");
    await scene(page, "demo-fixed");
    assert.notEqual(readFileSync(join(folder, "src/sum.js"), "utf8"), before);
    const log = panel.getByRole("log", { name: "Conversation" });
    await log.getByRole("link", { name: "src/sum.js" }).last().click();
    await page.locator(".tab.active", { hasText: "sum.js" }).waitFor();
    assert.deepEqual(errors, []);
  });
});

/** Answers the permission request of that name with its first option, by mouse. */
async function allow(panel: FrameLocator, name: RegExp): Promise<void> {
  const question = panel.getByRole("group", { name });
  await question
    .getByRole("button", { name: /^Allow/ })
    .first()
    .click();
}
