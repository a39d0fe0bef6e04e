// A whole change by keyboard alone, and without the panel: asked for, commented, corrected, kept and committed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { openWorkbench, screenshot } from "./harness.ts";
import { chord, pressChord } from "./keyboard.ts";

const source = `export function total(items) {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
}
`;
const asked = source.replace("item.price", "item.price * item.count");
const corrected = source.replace("item.price", "item.price * (item.count ?? 1)");

const threads = (page: Page): Locator => page.locator(".review-widget");
const focusedRow = (page: Page, text: string): Locator =>
  page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text });

/** Chooses the first row with the text in a list of VS Code, which the key opens. */
async function choose(page: Page, key: string, text: string): Promise<void> {
  await page.keyboard.press(key);
  await page.locator(".quick-input-widget input").waitFor();
  await page.keyboard.type(text);
  await focusedRow(page, text).waitFor();
  await page.keyboard.press("Enter");
}

const atLine = (page: Page, line: number): Promise<void> =>
  page.locator(".statusbar-item", { hasText: `Ln ${line},` }).waitFor();

describe("a change by keyboard, without the panel, in a real VS Code", () => {
  it("is asked for, commented on, corrected, kept and committed", async () => {
    const { page, folder, errors } = await openWorkbench({
      files: { "total.js": source },
      settings: { "git.enabled": true },
    });
    const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
    git("init", "-q", "-b", "main");
    git("config", "user.email", "ada@example.com");
    git("config", "user.name", "Ada");
    const file = join(folder, "total.js");
    for (const [name, chunk, content] of [
      ["ask.json", "It counts them now.", asked],
      ["correct.json", "One is the default now.", corrected],
    ] as const) {
      const params = { sessionId: "$session", path: file, content };
      const steps = [{ chunk }, { request: { method: "fs/write_text_file", params } }];
      writeFileSync(join(folder, name), JSON.stringify({ steps }));
    }
    git("add", ".");
    git("commit", "-q", "-m", "Start");

    await choose(page, "Control+P", "total.js");
    await page.locator(".tab.active", { hasText: "total.js" }).waitFor();
    await page.keyboard.press("Control+G");
    await page.locator(".quick-input-widget input").waitFor();
    await page.keyboard.type("3");
    await focusedRow(page, "line 3").waitFor();
    await page.keyboard.press("Enter");
    await atLine(page, 3);

    await pressChord(page, "Shift+A");
    await page.locator(".quick-input-widget", { hasText: "Ask at Selection" }).waitFor();
    await page.keyboard.type("#script ask.json");
    await focusedRow(page, "#script ask.json").waitFor();
    await page.keyboard.press("Enter");
    await threads(page).locator(".comment-body", { hasText: "It counts them now." }).waitFor();
    await threads(page).locator(".review-title", { hasText: "answered with a change" }).waitFor();
    await until(() => readFileSync(file, "utf8") === asked);

    // The thread of the question gets the correction.
    await page.keyboard.press("Control+1");
    await atLine(page, 3);
    await pressChord(page, "Shift+C");
    await until(() => page.evaluate("document.activeElement?.closest('.review-widget') != null"));
    await page.keyboard.press("Tab");
    await threads(page).locator(".comment-form .monaco-editor.focused").waitFor();
    await page.keyboard.type("#script correct.json");
    await page.keyboard.press("Control+Enter");
    await threads(page).locator(".comment-body", { hasText: "One is the default now." }).waitFor();
    await until(() => readFileSync(file, "utf8") === corrected);
    await screenshot(page, "keyboard-review");

    await page.keyboard.press("Control+1");
    await atLine(page, 3);
    await chord(page, "k", async () => (await threads(page).count()) === 0);

    await choose(page, "F1", "Parley: Write Commit Message");
    const message = page.locator(".scm-view .scm-editor .view-line");
    await until(async () => (await message.allInnerTexts()).join("").startsWith("Change"));
    await choose(page, "F1", "Git: Commit All");
    await until(() => git("rev-list", "--count", "HEAD").trim() === "2");
    assert.equal(git("show", "HEAD:total.js"), corrected);
    assert.match(git("log", "-1", "--format=%s"), /^Change/);
    assert.deepEqual(errors, []);
  });
});
