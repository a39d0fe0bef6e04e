// Reviews changes in the workbench as a person does: decorations and lenses in the editor, keys, the Changes view, the
// multi-file diff, and the bar in the chat.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { chord, openFile, runCommand, screenshot, sharedWorkbench } from "./harness.ts";

const before = `// A list of things to buy.
export const items = [];

export function add(name, count) {
  items.push({ name: name, count: count });
}

export function remove(name) {
  // Looks for it first.
  // There may be none.
  const at = items.findIndex(item => item.name === name);
  items.splice(at, 1);
}

export function total() {
  return items.length;
}
`;
/** The text with changed words, removed lines and an added line. */
const after = before
  .replace("{ name: name, count: count }", "{ name, count }")
  .replace("  // Looks for it first.\n  // There may be none.\n", "")
  .replace("export function total() {\n", "export function total() {\n  if (items.length === 0) return 0;\n");

function write(folder: string, path: string, content: string): unknown {
  return {
    request: { method: "fs/write_text_file", params: { sessionId: "$session", path: join(folder, path), content } },
  };
}

async function runScript(panel: FrameLocator, name: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(`#script ${name}`);
  await composer.press("Enter");
  // The prompt appears when the turn has started. The Stop button can be gone again before Playwright looks.
  await panel.getByRole("heading", { name: `You: #script ${name}` }).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

const lens = (page: Page, words: string): Locator => page.locator(".codelens-decoration a", { hasText: words });
const rows = (page: Page, words: string): Locator =>
  page
    .locator(".pane", { has: page.locator(".pane-header", { hasText: "Changes" }) })
    .locator(".monaco-list-row", { hasText: words });

async function until(page: Page, holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)));
}

/** The test takes screenshots in both themes, for visual inspection. */
const themes: readonly (readonly [string, Readonly<Record<string, string>>])[] = process.env["PARLEY_PICTURES"]
  ? [
      ["dark", { "workbench.colorTheme": "Default Dark Modern" }],
      ["light", { "workbench.colorTheme": "Default Light Modern" }],
    ]
  : [["usual", {}]];

for (const [theme, settings] of themes) {
  describe(`a review in a real VS Code, ${theme} theme`, () => {
    it("shows hunks in the editor, keeps one and undoes the others by keyboard, and reverts all decisions", async () => {
      const { page, panel, folder } = await sharedWorkbench({ "src/list.js": before }, settings);
      writeScript(folder, "src/list.js", "note.md");
      const list = (): string => readFileSync(join(folder, "src/list.js"), "utf8");
      await runScript(panel, "changes.json");
      assert.equal(list(), after);
      const bar = panel.getByRole("region", { name: "Changes" });
      await bar.getByRole("button", { name: /^2 files/ }).waitFor();

      await openFile(page, "list.js");
      await lens(page, "2 lines removed · Peek").waitFor();
      await until(page, async () => (await lens(page, "Keep").count()) === 3);
      await screenshot(page, `review-hunks-${theme}`);

      await page.keyboard.press("Control+Home");
      await page.keyboard.press("Control+F8");
      await page.locator(".statusbar-item", { hasText: "Ln 5," }).waitFor();
      await lens(page, "2 lines removed · Peek").waitFor();
      await chord(page, "k", async () => (await lens(page, "1 line changed · Peek").count()) === 0);
      assert.equal(list(), after);
      await until(page, async () => (await lens(page, "Keep").count()) === 2);
      // The cursor moved on to the removed lines.
      await chord(page, "x", async () => (await lens(page, "2 lines removed · Peek").count()) === 0);
      const kept = before.replace("{ name: name, count: count }", "{ name, count }");
      await until(
        page,
        () =>
          list() ===
          after.replace("remove(name) {\n", "remove(name) {\n  // Looks for it first.\n  // There may be none.\n"),
      );
      await chord(page, "Shift+X", async () => (await lens(page, "Keep").count()) === 0);
      await until(page, () => list() === kept);

      await runCommand(page, "Parley: Undo Last Review Decision");
      await lens(page, "Keep").first().waitFor();
      await until(page, () => list() !== kept);
      await runCommand(page, "Parley: Keep All Changes");
      await bar.waitFor({ state: "detached" });
    });

    it("lists changes by file with their actions, and shows them in one diff", async () => {
      const { page, panel, folder } = await sharedWorkbench({ "src/basket.js": before }, settings);
      writeScript(folder, "src/basket.js", "shops.md");
      await runScript(panel, "changes.json");
      await runCommand(page, "Parley: Focus on Changes View");
      await rows(page, "basket.js").waitFor();
      await rows(page, "basket.js").click();
      await page.keyboard.press("ArrowRight");
      await lens(page, "2 lines removed · Peek").waitFor();
      await runCommand(page, "Parley: Focus on Changes View");
      await page.keyboard.press("ArrowRight");
      await rows(page, "line 5").waitFor();
      await rows(page, "shops.md").hover();
      await screenshot(page, `review-tree-${theme}`);

      await lens(page, "2 lines removed · Peek").click();
      await page.locator(".peekview-widget").getByText("There may be none").first().waitFor();
      await screenshot(page, `review-peek-${theme}`);
      await page.keyboard.press("Escape");

      await runCommand(page, "Parley: Open File Diff");
      await page.locator(".diff-editor, .monaco-diff-editor").first().waitFor();
      const title = page.locator(".editor-group-container .title .editor-actions");
      await title.getByRole("button", { name: /^Keep Change/ }).waitFor();
      await title.getByRole("button", { name: /^Undo Change/ }).waitFor();
      await screenshot(page, `review-diff-${theme}`);
      await runCommand(page, "Parley: Review Changes");
      await page.locator(".multiDiffEditor").getByText("shops.md").first().waitFor();
      await screenshot(page, `review-all-${theme}`);

      const bar = panel.getByRole("region", { name: "Changes" });
      await runCommand(page, "Parley: Open Chat");
      const files = bar.getByRole("button", { name: /^2 files/ });
      // Opening the chat can move the bar while it is clicked.
      await until(page, async () => {
        if ((await files.getAttribute("aria-expanded")) === "true") return true;
        await files.click();
        return false;
      });
      await bar.getByRole("button", { name: "Keep shops.md" }).click();
      await bar.getByRole("button", { name: /^1 file/ }).waitFor();
      await bar.getByRole("button", { name: "Undo All" }).click();
      await bar.waitFor({ state: "detached" });
      // The decision is complete. The next test removes the files.
      await page.locator(".statusbar-item", { hasText: "All changes reviewed." }).waitFor();
      assert.equal(readFileSync(join(folder, "src/basket.js"), "utf8"), before);
      assert.equal(readFileSync(join(folder, "shops.md"), "utf8"), "# Buying\n");
    });
  });
}

function writeScript(folder: string, changed: string, created: string): void {
  const steps = [write(folder, changed, after), write(folder, created, "# Buying\n")];
  writeFileSync(join(folder, "changes.json"), JSON.stringify({ steps }));
}
