// What a keyboard user and a screen reader have: where the focus is, keys, and the accessibility tree.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Frame, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { stableTree } from "../support/fakes/stableTree.ts";

/**
 * The role and the name of the element with the focus, through all frames: `textbox "Message"`. In a list of VS Code,
 * the row that the list names as active. "nothing" if the focus is lost.
 */
export async function focused(page: Page): Promise<string> {
  let frame: Frame = page.mainFrame();
  for (;;) {
    const element = (await frame.evaluateHandle(() => document.activeElement)).asElement();
    const inner = await element?.contentFrame();
    if (!inner) break;
    frame = inner;
  }
  if (await frame.evaluate(() => document.activeElement === null || document.activeElement === document.body))
    return "nothing";
  const active = await frame.evaluate(() => {
    const id = document.activeElement?.getAttribute("aria-activedescendant") ?? "";
    // A list that is rendered again can name a row that is gone.
    return document.getElementById(id) ? id : "";
  });
  const row = frame.locator(active === "" ? ":focus" : `[id="${active}"]`).first();
  const tree = await row.ariaSnapshot({ timeout: 2000 });
  // An element without a role has only its content.
  const lines = tree.split("\n").filter(line => line.startsWith("- "));
  if (lines.length === 1) {
    const line = (tree.split("\n")[0] ?? "").replace(/^- /, "").replace(/ \[active\]|:$/g, "");
    // The format quotes a name that contains a colon.
    return line.replace(/^'((?:[^']|'')*)'/, (_, name: string) => name.replaceAll("''", "'"));
  }
  return `${await row.evaluate(element => element.localName)}: ${lines.map(line => line.slice(2)).join(", ")}`;
}

/** Waits until the element with this role and name has the focus. */
export async function focusIs(page: Page, wanted: RegExp): Promise<void> {
  let last = "nothing";
  try {
    await until(async () => wanted.test((last = await focused(page).catch(String))), 30_000);
  } catch {
    assert.fail(`The focus must be at ${String(wanted)}, and it is at ${last}.`);
  }
}

/** Presses a key until the element with this role and name has the focus. Fails if a whole round does not reach it. */
export async function pressTo(page: Page, key: string, wanted: RegExp, maxPresses = 60): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses <= maxPresses; presses++) {
    let at = "";
    // An element that is painted again while it is read has no name for a moment.
    await until(async () => (at = await focused(page).catch(() => "")) !== "");
    if (wanted.test(at)) return;
    seen.push(at);
    await page.keyboard.press(key);
  }
  assert.fail(`${key} does not reach ${String(wanted)}, but only ${[...new Set(seen)].join(" → ")}.`);
}

/** Waits until a list or a box of VS Code has the keys. A key that opens it in the panel reaches VS Code a moment later. */
export const quickInputHasFocus = (page: Page): Promise<void> => page.locator(".quick-input-widget :focus").waitFor();

/** Waits until the text of an editor has the keys. */
export const editorHasFocus = (page: Page): Promise<void> =>
  page.locator(".editor-instance .monaco-editor.focused").waitFor();

/** Runs a command from the Command Palette by typing its title. */
export async function typeCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press("F1");
  await quickInputHasFocus(page);
  await page.keyboard.type(title);
  const rows = page.locator(".quick-input-list .monaco-list-row");
  await rows.first().filter({ hasText: title }).and(page.locator(".focused")).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget", { hasText: title }).waitFor({ state: "hidden" });
}

const folder = join("test", "scenes", "day");
const isUpdate = process.env["UPDATE"] !== undefined;

/**
 * Compares the accessibility tree of an element with its golden. UPDATE=1 writes it.
 *
 * The tree is Playwright's, which computes roles and names from the document by the standard. Chromium's own tree
 * (`Accessibility.getFullAXTree`) needs a connection per process of a frame, and its internal roles and ignored nodes
 * change with the version of Chromium. This tree has the format of the goldens of the panel.
 */
export async function hasTree(element: Locator, name: string, workspace: string): Promise<void> {
  const path = join(folder, `${name}.aria.yml`);
  const tree = async (): Promise<string> => `${sameInVersions(stableTree(await element.ariaSnapshot(), workspace))}\n`;
  if (isUpdate) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, await settled(tree));
  }
  assert.ok(existsSync(path), `There is no ${path}. Write it with UPDATE=1 and check it.`);
  const stored = readFileSync(path, "utf8");
  let last = "";
  // A part of the panel can be painted later.
  await until(async () => (last = await tree()) === stored, 20_000).catch(() => assert.equal(last, stored, path));
}

/** Without the names of VS Code's own that differ between its versions: of the actions of a row, and of the Delete key. */
const sameInVersions = (tree: string): string =>
  tree.replaceAll(/- (['"]?)toolbar "Actions for .*"\1:/g, "- toolbar:").replaceAll("(Delete)", "(Del)");

/** The text when it was the same in twenty readings, each of which takes several frames. */
async function settled(read: () => Promise<string>): Promise<string> {
  let last = await read();
  for (let same = 0; same < 20; same++) {
    const next = await read();
    if (next !== last) same = 0;
    last = next;
  }
  return last;
}

/** Presses Ctrl+K and the key. */
export async function pressChord(page: Page, key: string): Promise<void> {
  await page.keyboard.press("Control+K");
  await page.locator(".statusbar-item", { hasText: "Waiting for second key" }).waitFor();
  await page.keyboard.press(key);
}

/** Opens the text box of a comment at the cursor by its keys, and types. */
export async function typeComment(page: Page, words: string): Promise<void> {
  await pressChord(page, "Shift+C");
  await page.locator(".review-widget .comment-form .monaco-editor.focused").waitFor();
  await page.keyboard.type(words);
}

/**
 * Presses Ctrl+K and the key until it is done. VS Code learns of a hunk at the cursor shortly after it shows the
 * position of the cursor, and rejects the keys until then. The function presses them again only after VS Code has
 * rejected them, because accepted keys would otherwise also decide on the next hunk.
 */
export async function chord(page: Page, key: string, isDone: () => Promise<boolean>): Promise<void> {
  const status = page.locator(".statusbar-item");
  const rejected = status.filter({ hasText: "is not a command" });
  while (!(await isDone())) {
    await pressChord(page, key);
    while (!(await isDone()) && (await rejected.count()) === 0)
      await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)));
  }
}
