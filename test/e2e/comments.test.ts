// Comments on lines, by keyboard and by mouse: the answer in the thread, several comments as one prompt after a reload, lines
// that are gone, and questions at the selection.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import {
  chat,
  expandView,
  openFile,
  openWorkbench,
  reloadWindow,
  runCommand,
  screenshot,
  sharedWorkbench,
} from "./harness.ts";
import { until } from "../support/fakes/until.ts";
import { pressChord, typeComment } from "./keyboard.ts";

const list = `// A list of things to buy.
export const items = [];

export function add(name, count) {
  items.push({ name: name, count: count });
}

export function total() {
  return items.length;
}
`;
const short = list.replace("{ name: name, count: count }", "{ name, count }");

/** The test takes screenshots in both themes, for visual inspection. */
const themes: readonly (readonly [string, Readonly<Record<string, string>>])[] = process.env["PARLEY_PICTURES"]
  ? [
      ["dark", { "workbench.colorTheme": "Default Dark Modern" }],
      ["light", { "workbench.colorTheme": "Default Light Modern" }],
    ]
  : [["usual", {}]];

/** The threads of the comments API in the editor. */
const threads = (page: Page): Locator => page.locator(".review-widget");
const box = (page: Page): Locator => threads(page).locator(".comment-form .monaco-editor.focused");

async function goToLine(page: Page, line: number): Promise<void> {
  const input = page.locator(".quick-input-widget input");
  const limit = { timeout: 2000 };
  // The list closes if the panel takes the focus at this moment.
  await until(async () => {
    await page.keyboard.press("Control+G");
    try {
      await input.fill(`:${line}`, limit);
      await input.press("Enter", limit);
      await page.locator(".statusbar-item", { hasText: `Ln ${line},` }).waitFor(limit);
      return true;
    } catch {
      return false;
    }
  });
}

/** Opens the text box at a line by its keys, and types. */
async function comment(page: Page, line: number, words: string): Promise<void> {
  await goToLine(page, line);
  await typeComment(page, words);
}

/** Collects two comments in the active editor. */
async function collectTwo(page: Page): Promise<void> {
  const unsent = threads(page).locator(".review-title", { hasText: "not sent" });
  for (const [at, [line, words]] of (
    [
      [5, "Shorter, please."],
      [9, "Why a length?"],
    ] as const
  ).entries()) {
    await comment(page, line, words);
    await threads(page).getByRole("button", { name: "Add to Review" }).last().click();
    await until(async () => (await unsent.count()) === at + 1);
  }
}

const script = (folder: string, name: string, ...steps: readonly unknown[]): void =>
  writeFileSync(join(folder, name), JSON.stringify({ steps }));

const write = (folder: string, path: string, content: string): unknown => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: join(folder, path), content } },
});

async function runScript(panel: FrameLocator, name: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(`#script ${name}`);
  await composer.press("Enter");
  await panel.getByRole("heading", { name: `You: #script ${name}` }).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

/** The row of the Changes view with this text. */
const row = (page: Page, text: string): Locator => page.locator(".pane-body .monaco-list-row", { hasText: text });

for (const [theme, settings] of themes) {
  describe(`comments on lines in a real VS Code, ${theme} theme`, () => {
    it("send one with Ctrl+Enter, and show the answer in its thread, and the change that answers it", async () => {
      const { page, panel, folder } = await sharedWorkbench({ "src/list.js": list }, settings);
      script(
        folder,
        "answer.json",
        {
          chunk:
            "I use **short** names.\n\n- [x](command:workbench.action.quit) ![image](https://example.com/x.png) <b>no</b>",
        },
        write(folder, "src/list.js", short),
      );
      await openFile(page, "list.js");
      await comment(page, 5, "#script answer.json");
      await screenshot(page, `comments-box-${theme}`);
      await page.keyboard.press("Control+Enter");
      const answer = threads(page).locator(".comment-body", { hasText: "I use short names." });
      await answer.waitFor();
      await threads(page).locator(".review-title", { hasText: "answered with a change" }).waitFor();
      await screenshot(page, `comments-answer-${theme}`);
      assert.equal(await answer.locator("img, b").count(), 0);
      assert.equal(await answer.locator("a[data-href^='command:']").count(), 0);
      await panel.getByRole("heading", { name: "You: #script answer.json" }).waitFor();
      assert.equal(readFileSync(join(folder, "src/list.js"), "utf8"), short);
      // The decision on the change resolves the comment.
      await runCommand(page, "Parley: Keep All Changes");
      await threads(page).waitFor({ state: "detached" });
    });

    it("send two as one message after a reload, and show an answer without parts in both threads", async () => {
      const { page } = await sharedWorkbench({ "src/basket.js": list }, settings);
      await openFile(page, "basket.js");
      await collectTwo(page);
      await expandView(page, "Changes");
      await row(page, "2 not sent").waitFor();
      await screenshot(page, `comments-collected-${theme}`);
      await reloadWindow(page);
      await chat(page).locator("parley-header").waitFor();
      // In a browser, VS Code can have stored an earlier state of the tabs.
      await openFile(page, "basket.js");
      await until(async () => (await threads(page).locator(".review-title", { hasText: "not sent" }).count()) === 2);
      await runCommand(page, "Parley: Send Comments");
      const answers = threads(page).locator(".comment-body", { hasText: "I am the demo agent." });
      await until(async () => (await answers.count()) === 2);
      const prompt = chat(page).getByRole("heading", { name: "You: 2 comments on lines:" });
      await prompt.waitFor();
      await screenshot(page, `comments-sent-${theme}`);
    });

    it("say that the change that they belong to was undone, and keep their text", async () => {
      const { page, panel, folder } = await sharedWorkbench({ "src/cart.js": list }, settings);
      script(folder, "change.json", { chunk: "Shorter." }, write(folder, "src/cart.js", short));
      await runScript(panel, "change.json");
      await openFile(page, "cart.js");
      const lens = page.locator(".codelens-decoration a", { hasText: "Comment" });
      await lens.click();
      await box(page).waitFor();
      await page.keyboard.type("Are these names clear?");
      await threads(page).getByRole("button", { name: "Add to Review" }).click();
      await threads(page).locator(".review-title", { hasText: "not sent" }).waitFor();
      await screenshot(page, `comments-hunk-${theme}`);
      await runCommand(page, "Parley: Undo All Changes");
      await threads(page).locator(".review-title", { hasText: "the change was undone" }).waitFor();
      await threads(page).locator(".comment-body", { hasText: "Are these names clear?" }).waitFor();
      await screenshot(page, `comments-gone-${theme}`);
      await runCommand(page, "Parley: Undo Last Review Decision");
      await threads(page)
        .locator(".review-title", { hasText: /not sent$/ })
        .waitFor();
      await runCommand(page, "Parley: Discard Comments");
      await threads(page).waitFor({ state: "detached" });
    });

    it("ask at the selection in a session of its own, and show the answer there", async () => {
      const { page, panel, folder } = await sharedWorkbench({ "src/shop.js": list }, settings);
      script(folder, "ask.json", { chunk: "It counts the things." });
      await openFile(page, "shop.js");
      await goToLine(page, 9);
      await pressChord(page, "Shift+A");
      await page.locator(".quick-input-widget", { hasText: "Ask at Selection" }).waitFor();
      await screenshot(page, `comments-ask-${theme}`);
      await page.keyboard.type("#script ask.json");
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "#script ask.json" }).waitFor();
      await page.keyboard.press("Enter");
      await threads(page).locator(".comment-body", { hasText: "It counts the things." }).waitFor();
      assert.equal(await panel.getByRole("heading", { name: /^You:/ }).count(), 0);
    });

    it("have a + in each file, and are asked in the session of the chat, if the settings say so", async () => {
      const asked = { "parley.comments.gutter": "always", "parley.comments.askIn": "currentSession" };
      const { page, panel, folder } = await sharedWorkbench({ "src/shop.js": list }, { ...settings, ...asked });
      script(folder, "ask.json", { chunk: "It counts the things." });
      await openFile(page, "shop.js");
      const plus = page.locator(".comment-range-glyph");
      await plus.first().waitFor();
      await plus.nth(3).click();
      await box(page).waitFor();
      await page.keyboard.type("Why a name?");
      await threads(page).getByRole("button", { name: "Add to Review" }).click();
      await threads(page).locator(".review-title", { hasText: "not sent" }).waitFor();
      await goToLine(page, 9);
      await pressChord(page, "Shift+A");
      await page.locator(".quick-input-widget", { hasText: "Ask at Selection" }).waitFor();
      await page.keyboard.type("#script ask.json");
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "#script ask.json" }).waitFor();
      await page.keyboard.press("Enter");
      await threads(page).locator(".comment-body", { hasText: "It counts the things." }).waitFor();
      await panel.getByRole("heading", { name: "You: #script ask.json" }).waitFor();
      await runCommand(page, "Parley: Discard Comments");
      await threads(page).filter({ hasText: "Why a name?" }).waitFor({ state: "detached" });
      assert.equal(await threads(page).count(), 1);
    });

    it("show each thread its own part of an answer", async () => {
      const base = mkdtempSync(join(tmpdir(), "parley-parts-"));
      try {
        script(base, "parts.json", { chunk: "[1]\nI made it shorter.\n\n[2]\nIt counts the things." });
        const env = { PARLEY_DEMO_SCRIPT: join(base, "parts.json") };
        const { page } = await openWorkbench({ files: { "src/parts.js": list }, settings, env });
        await openFile(page, "parts.js");
        await collectTwo(page);
        await runCommand(page, "Parley: Send Comments");
        const answerTo = (words: string): Locator =>
          threads(page).filter({ hasText: words }).locator(".comment-body").nth(1);
        await answerTo("Why a length?")
          .filter({ hasText: /^It counts the things\.$/ })
          .waitFor();
        await answerTo("Shorter, please.")
          .filter({ hasText: /^I made it shorter\.$/ })
          .waitFor();
        await screenshot(page, `comments-parts-${theme}`);
      } finally {
        rmSync(base, { recursive: true, force: true });
      }
    });
  });
}
