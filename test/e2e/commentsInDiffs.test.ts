// Comments on the lines of diffs, by keyboard and by mouse: on removed lines and on both sides of the diff of a file and of
// all files, after a reload, and the sentence where VS Code shows no text box.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseInMenu } from "./contextMenu.ts";
import { chat, expandView, openFile, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { pressChord, typeComment } from "./keyboard.ts";

const before = `export const items = [];

export function add(name, count) {
  items.push({ name: name, count: count });
}

export function total() {
  return items.length;
}
`;
/** Changes a line, and removes the last function. */
const after = `export const items = [];

export function add(name, count) {
  items.push({ name, count });
}
`;

/** The tests take screenshots in all kinds of themes, for visual inspection. */
const themes: readonly (readonly [string, Readonly<Record<string, string>>])[] = process.env["PARLEY_PICTURES"]
  ? [
      ["dark", { "workbench.colorTheme": "Default Dark Modern" }],
      ["light", { "workbench.colorTheme": "Default Light Modern" }],
      ["hc-dark", { "workbench.colorTheme": "Default High Contrast" }],
      ["hc-light", { "workbench.colorTheme": "Default High Contrast Light" }],
    ]
  : [["usual", {}]];

type Side = "original" | "modified";

const threads = (of: Page | Locator): Locator => of.locator(".review-widget");
const unsent = (of: Page | Locator): Locator => threads(of).locator(".review-title", { hasText: "not sent" });
const lineOn = (of: Page | Locator, side: Side, words: string): Locator =>
  of.locator(`.${side} .view-line`, { hasText: words });
const numberOn = (of: Page | Locator, side: Side, line: number): Locator =>
  of.locator(`.${side} .line-numbers`, { hasText: new RegExp(`^${line}$`) });

async function typeInBox(page: Page, words: string): Promise<void> {
  await threads(page).locator(".comment-form .monaco-editor.focused").waitFor();
  await page.keyboard.type(words);
}

/** Collects what the text box of the new thread has. */
async function collect(page: Page): Promise<void> {
  const count = await unsent(page).count();
  await threads(page).getByRole("button", { name: "Add to Review" }).last().click();
  await until(async () => (await unsent(page).count()) === count + 1);
}

/** The agent changes these files. */
async function change(panel: FrameLocator, folder: string, ...names: readonly string[]): Promise<void> {
  const steps = names.map(name => {
    const params = { sessionId: "$session", path: join(folder, name), content: after };
    return { request: { method: "fs/write_text_file", params } };
  });
  writeFileSync(join(folder, "change.json"), JSON.stringify({ steps: [...steps, { chunk: "All done." }] }));
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill("#script change.json");
  await composer.press("Enter");
  await panel.getByRole("log", { name: "Conversation" }).getByText("All done.").waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

/** The chat has the message with these parts. */
async function hasPrompt(panel: FrameLocator, ...parts: readonly string[]): Promise<void> {
  const heading = panel.getByRole("heading", { name: `You: ${parts.length} comments on lines:` });
  let text = "";
  const isShown = async (): Promise<boolean> => {
    // Out of sight, a message has no inner text.
    text = (await heading.locator("..").textContent()) ?? "";
    return parts.every(part => text.includes(part));
  };
  // The panel shows the texts of a message after its heading.
  await until(isShown, 20_000).catch(() => assert.fail(`The prompt is another one: ${text}`));
}

for (const [theme, settings] of themes) {
  describe(`comments on lines in the diffs of a real VS Code, ${theme} theme`, () => {
    it("are on both sides after a reload, and are sent with their sides; an inline diff says why it has none", async () => {
      const { page, panel, folder } = await sharedWorkbench({ "src/sides.js": before }, settings);
      await change(panel, folder, "src/sides.js");
      await openFile(page, "sides.js");
      await runCommand(page, "Parley: Open File Diff");
      await lineOn(page, "original", "return items.length").click();
      await typeComment(page, "Who counts now?");
      await screenshot(page, `comments-left-box-${theme}`);
      await collect(page);
      // The menu of a line number does not move the focus.
      await chooseInMenu(numberOn(page, "modified", 4), "Comment on Lines");
      await typeInBox(page, "Are these names clear?");
      await collect(page);
      await screenshot(page, `comments-sides-${theme}`);
      await reloadWindow(page);
      await chat(page).locator("parley-header").waitFor();
      // VS Code does not restore a diff with the text before changes.
      await openFile(page, "sides.js");
      await runCommand(page, "Parley: Open File Diff");
      for (const [side, words] of [
        ["original", "Who counts now?"],
        ["modified", "Are these names clear?"],
      ] as const) {
        // VS Code can show a thread twice for a moment.
        const thread = threads(page.locator(`.${side}`)).filter({ hasText: words });
        const title = thread.locator(".review-title", { hasText: "#script change.json · not sent" });
        await until(async () => (await title.count()) === 1);
      }
      await runCommand(page, "Parley: Send Comments");
      const answers = threads(page).locator(".comment-body", { hasText: "I am the demo agent." });
      await until(async () => (await answers.count()) === 2);
      await hasPrompt(
        chat(page),
        "[1] Who counts now?\n\nsrc/sides.js, line 8 of the text before your changes:\n```js\n  return items.length;\n```",
        "[2] Are these names clear?\n\nsrc/sides.js, line 4:\n```js\n  items.push({ name, count });\n```",
      );
      await screenshot(page, `comments-left-answered-${theme}`);

      // VS Code shows a narrow diff inline.
      const size = page.viewportSize();
      assert.ok(size);
      await page.setViewportSize({ width: 1000, height: size.height });
      await numberOn(page, "original", 3).click();
      await pressChord(page, "Shift+C");
      const sentence = "Removed lines can have comments in a side-by-side diff only.";
      await page.locator(".statusbar-item", { hasText: sentence }).waitFor();
      await screenshot(page, `comments-inline-${theme}`);
      await page.setViewportSize(size);
    });

    it("are on both sides of the diff of all files, by keys and by the menu of a line", async () => {
      const files = { "src/first.js": before, "src/second.js": before };
      const { page, panel, folder } = await sharedWorkbench(files, settings);
      await change(panel, folder, ...Object.keys(files));
      await runCommand(page, "Parley: Review Changes");
      const file = page.locator(".multiDiffEntry").nth(1);
      await lineOn(file, "modified", "items.push").click();
      if (process.env["PARLEY_VSCODE"] === "minimum") {
        await pressChord(page, "Shift+C");
        const sentence = "This version of VS Code opens a comment here only with the + beside a line number.";
        await page.locator(".statusbar-item", { hasText: sentence }).waitFor();
        await file.locator(".modified .comment-range-glyph").first().click();
        await threads(page).locator(".comment-form .monaco-editor.focused").waitFor();
        return;
      }
      await typeComment(page, "Are these names clear?");
      await collect(page);
      await chooseInMenu(lineOn(file, "original", "export function add"), "Comment on Lines");
      await typeInBox(page, "Who calls this?");
      await collect(page);
      await expandView(page, "Changes");
      for (const words of ["second.js, line 4 · not sent", "second.js, line 3 before the changes · not sent"])
        await page.locator(".pane-body .monaco-list-row", { hasText: words }).waitFor();
      await screenshot(page, `comments-all-files-${theme}`);
      await runCommand(page, "Parley: Send Comments");
      await hasPrompt(
        panel,
        "[1] Are these names clear?\n\nsrc/second.js, line 4:\n```js\n  items.push({ name, count });\n```",
        "[2] Who calls this?\n\nsrc/second.js, line 3 of the text before your changes:\n```js\nexport function add(name, count) {\n```",
      );
    });
  });
}
