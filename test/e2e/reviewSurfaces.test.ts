// Reviews changes in the editor by keyboard: decorations, lenses and keys.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { openFile, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { chord } from "./keyboard.ts";

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
  });
}

function writeScript(folder: string, changed: string, created: string): void {
  const steps = [write(folder, changed, after), write(folder, created, "# Buying\n")];
  writeFileSync(join(folder, "changes.json"), JSON.stringify({ steps }));
}
