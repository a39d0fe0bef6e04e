// Following the agent in the real editor: its location, its edits, and who moves the view.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { runCommand, screenshot, sharedWorkbench, type Workbench } from "./harness.ts";

type Step = Readonly<Record<string, unknown>>;

const lines = (count: number): string =>
  Array.from({ length: count }, (_, i) => `export const value${i + 1} = ${i + 1};\n`).join("");

const files = { "src/long.js": lines(3000), "src/other.js": lines(100) };

/** The script continues when the user allows its permission request. */
const gate = (title: string): Step => ({
  permission: { toolCall: { toolCallId: title, title, kind: "other", status: "pending" } },
});

const at = (toolCallId: string, path: string, line: number | string, more: Step = {}): Step => ({
  update: {
    sessionUpdate: "tool_call",
    toolCallId,
    title: `Look at ${path}`,
    kind: "read",
    status: "in_progress",
    locations: [{ path: path.startsWith("/") ? path : `$cwd/${path}`, line }],
    ...more,
  },
});

const write = (path: string, content: string): Step => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: `$cwd/${path}`, content } },
});

interface Opened extends Workbench {
  readonly panel: FrameLocator;
  readonly follow: Locator;
  /** Lets the script continue. */
  readonly allow: (title: string) => Promise<void>;
  /** Waits until the script has reached this step. */
  readonly comes: (title: string) => Promise<void>;
}

/** `smoothly`: with smooth scrolling, by a workspace setting. */
async function open(steps: readonly Step[], { smoothly = false } = {}): Promise<Opened> {
  // The panel reports the other setting, so it shows when the extension host has applied both or removed them again.
  const settings = { "editor.smoothScrolling": true, "parley.files.sensitive": ["{"] };
  const workbench = await sharedWorkbench({
    ...files,
    ...(smoothly && { ".vscode/settings.json": JSON.stringify(settings) }),
    "follow.json": JSON.stringify({ steps }),
  });
  const { panel } = workbench;
  await panel.getByTitle("Send (Enter)").waitFor();
  const problem = panel.getByRole("group", { name: "Problem" }).getByText("parley.files.sensitive of the folder");
  await problem.waitFor({ state: smoothly ? "visible" : "hidden" });
  const question = (title: string): Locator => panel.getByRole("group", { name: title });
  return {
    ...workbench,
    follow: panel.getByRole("button", { name: "Follow", exact: true }),
    allow: async title => {
      await question(title)
        .getByRole("button", { name: /^Allow/ })
        .first()
        .click();
      await question(title).waitFor({ state: "hidden" });
    },
    comes: title => question(title).waitFor(),
  };
}

async function play(panel: FrameLocator): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill("#script follow.json");
  await panel.getByTitle(/^Send/).click();
}

const tab = (page: Page, name: string): Locator => page.locator(".tabs-container .tab", { hasText: name });
const shown = (page: Page, name: string): Promise<void> =>
  page.locator(".tabs-container .tab.active", { hasText: name }).first().waitFor();
const pausedStatus = (page: Page): Locator => page.locator(".statusbar-item", { hasText: "Following paused" });

/** Waits until the agent's name appears next to the line. */
async function named(page: Page, number: number): Promise<void> {
  await page.waitForFunction(`[...document.querySelectorAll(".view-line")].some(line =>
    /value${number}\\b/.test(line.textContent) && [...line.querySelectorAll("span")].some(part =>
      getComputedStyle(part, "::after").content.includes("Demo Agent")))`);
}

async function pressed(follow: Locator, value: boolean): Promise<void> {
  await follow.locator(`xpath=self::*[@aria-pressed="${value}"]`).waitFor();
}

/** The number of the first visible line. */
const topmost = `Math.min(...[...document.querySelectorAll(".editor-instance .margin-view-overlays .line-numbers")]
    .map(each => Number(each.textContent)))`;
const top = (page: Page): Promise<number> => page.evaluate(topmost);

/** Scrolls the editor with the mouse wheel. */
async function wheel(page: Page, delta: number): Promise<void> {
  const box = await page.locator(".editor-instance .monaco-editor").first().boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, delta);
}

describe("following the agent", () => {
  it("shows its location in one tab, pauses when the user scrolls, and resumes on request", async () => {
    const sub = { _meta: { claudeCode: { parentToolUseId: "task" } } };
    const changed = lines(3000).replace("export const value200 = 200;\n", "export const value200 = 0;\n// More.\n");
    const { page, panel, follow, allow, comes, errors } = await open([
      gate("Begin"),
      at("t1", "src/long.js", 150),
      gate("Go elsewhere"),
      at("t2", "src/other.js", 40),
      gate("Write"),
      write("src/long.js", changed),
      gate("Leave"),
      at("t3", "/etc/hosts", 1),
      at("task", "src/other.js", 41, { kind: "other" }),
      at("t4", "src/sum.js", 1, sub),
      gate("End"),
    ]);
    const composer = panel.getByRole("textbox", { name: "Message" });
    await follow.click();
    await pressed(follow, true);
    await composer.focus();
    await play(panel);
    await allow("Begin");
    await shown(page, "long.js");
    await named(page, 150);
    await screenshot(page, "follow-read");

    await comes("Go elsewhere");
    await wheel(page, 300);
    await pausedStatus(page).waitFor();
    await pressed(follow, false);
    await allow("Go elsewhere");
    await comes("Write");
    assert.equal(await tab(page, "other.js").count(), 0);

    await follow.click();
    await shown(page, "other.js");
    await named(page, 40);
    await pausedStatus(page).waitFor({ state: "hidden" });
    assert.equal(await tab(page, "long.js").count(), 0, "one preview tab");

    await allow("Write");
    await shown(page, "long.js");
    await named(page, 200);
    await screenshot(page, "follow-edit");
    await comes("Leave");
    await allow("Leave");
    await comes("End");
    await shown(page, "other.js");
    assert.equal(await tab(page, "hosts").count(), 0);
    assert.equal(await tab(page, "sum.js").count(), 0);
    // A tab that became permanent only by the agent's edit still belongs to Follow, which closes it after the next one opened.
    await tab(page, "long.js").waitFor({ state: "detached" });
    await pressed(follow, true);
    assert.deepEqual(errors, []);
  });

  it("pauses on a wheel event during a movement", async () => {
    const { page, panel, follow, comes, allow } = await open(
      [
        ...Array.from({ length: 12 }, (_, i) => ({ ...at(`t${i}`, "src/long.js", 48 * (i + 1)), delayMs: 150 })),
        gate("Continue"),
        ...Array.from({ length: 13 }, (_, i) => at(`u${i}`, "src/long.js", 48 * (i + 13))),
        gate("End"),
      ],
      { smoothly: true },
    );
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.locator(".monaco-workbench:not(.monaco-reduce-motion)").first().waitFor();
    await follow.click();
    await pressed(follow, true);
    await play(panel);
    await shown(page, "long.js");
    await page.waitForFunction(`${topmost} > 100`);
    await pressed(follow, true);
    // Like a finger, the wheel sends many small steps.
    for (let i = 0; i < 20 && !(await pausedStatus(page).isVisible()); i++) await wheel(page, -200);
    await pausedStatus(page).waitFor();
    await comes("Continue");
    const before = await top(page);
    await allow("Continue");
    await comes("End");
    const after = await top(page);
    assert.ok(Math.abs(after - before) < 120, `scrolled from ${before} to ${after}`);
    assert.ok(after < 1100, "the editor did not scroll to the end");
    await page.emulateMedia({ reducedMotion: "reduce" });
  });

  it("works by keyboard next to the chat in a tab, and does not reopen closed tabs", async () => {
    const { page, follow, panel, comes, errors } = await open([
      gate("Begin"),
      at("t1", "src/long.js", 150),
      gate("Again"),
      at("t2", "src/long.js", 160),
      gate("Elsewhere"),
      at("t3", "src/other.js", 40),
      gate("End"),
    ]);
    const keys = page.keyboard;
    const allow = async (title: string): Promise<void> => {
      await runCommand(page, "Parley: Open Chat");
      const question = panel.getByRole("group", { name: title });
      const option = question.getByRole("button", { name: /^Allow/ }).first();
      // The permission request accepts keys 500 ms after it gets the focus.
      while (await question.isVisible()) await option.press("Enter", { timeout: 1000 }).catch(() => undefined);
    };
    await play(panel);
    await comes("Begin");
    await keys.press("Alt+Shift+T");
    await pressed(follow, true);
    await allow("Begin");
    await shown(page, "long.js");
    await named(page, 150);
    // The next question takes the focus from the answered one.
    await comes("Again");
    // The question can take the focus a moment later than the editor, and with it the key.
    await until(async () => {
      await runCommand(page, "View: Focus Active Editor Group");
      await page.locator(".editor-instance .monaco-editor.focused").waitFor();
      await keys.press("ArrowDown");
      return pausedStatus(page)
        .waitFor({ timeout: 2000 })
        .then(
          () => true,
          () => false,
        );
    });
    await keys.press("Alt+Shift+T");
    await pausedStatus(page).waitFor({ state: "hidden" });
    await pressed(follow, true);
    await runCommand(page, "View: Close Editor");
    await pausedStatus(page).waitFor();
    await keys.press("Alt+Shift+T");
    await pressed(follow, true);
    await allow("Again");
    await comes("Elsewhere");
    assert.equal(await tab(page, "long.js").count(), 0);
    await allow("Elsewhere");
    await shown(page, "other.js");
    assert.deepEqual(errors, []);
  });
});
