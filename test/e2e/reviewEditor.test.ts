// Decides on changes where VS Code shows them: in the title of the editor, in the inline diff, and in the diff of several
// files. By mouse and by keyboard.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { chooseInMenu } from "./contextMenu.ts";
import { openChat, openFile, openWorkbench, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { chord, editorHasFocus } from "./keyboard.ts";

const numbered = (...words: readonly (number | string)[]): string => words.map(one => `line ${one}\n`).join("");
const before = numbered(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
/** The text with a changed line, two removed lines and an added line. */
const after = numbered(1, "two", 3, 4, 5, 8, 9, 10, "10 and a half", 11, 12);

interface Started {
  readonly page: Page;
  readonly folder: string;
  readonly bar: Locator;
  readonly text: (name: string) => string;
  /** Two changed files and a created one. The tests share a window, so each has files of its own. */
  readonly files: readonly [first: string, second: string, created: string];
}

let count = 0;

/** The agent changes two files and creates one. */
async function start(): Promise<Started> {
  count++;
  const files = [`first-${count}.txt`, `second-${count}.txt`, `third-${count}.txt`] as const;
  const { page, panel, folder } = await sharedWorkbench({ [files[0]]: before, [files[1]]: before });
  const write = (path: string, content: string): unknown => ({
    request: { method: "fs/write_text_file", params: { sessionId: "$session", path: join(folder, path), content } },
  });
  const steps = [write(files[0], after), write(files[1], after), write(files[2], "new\n")];
  writeFileSync(join(folder, "changes.json"), JSON.stringify({ steps: [...steps, { chunk: "All done." }] }));
  await play(panel);
  const bar = panel.getByRole("region", { name: "Changes" });
  await bar.getByRole("button", { name: /^3 files/ }).waitFor();
  return { page, bar, files, folder, text: name => readFileSync(join(folder, name), "utf8") };
}

async function play(panel: FrameLocator): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill("#script changes.json");
  await composer.press("Enter");
  await panel.getByRole("log", { name: "Conversation" }).getByText("All done.").waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

const lens = (page: Page, words: string): Locator => page.locator(".codelens-decoration a", { hasText: words });
/** A button in the title of the editor. */
const action = (page: Page, name: RegExp): Locator =>
  page.locator(".editor-group-container .title .editor-actions").getByRole("button", { name });
const line = (page: Page, number: number): Locator => page.locator(".statusbar-item", { hasText: `Ln ${number},` });
const tab = (page: Page, name: string): Locator => page.locator(".tabs-container .tab", { hasText: name });

async function until(page: Page, holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)));
}

describe("the editor of a changed file", () => {
  it("moves between changes, decides on them and goes to the next file by buttons, also in the inline diff and the diff of the file", async () => {
    const { page, bar, text, files } = await start();
    const [first, second, third] = files;
    await openFile(page, first);
    await lens(page, "Keep").first().waitFor();
    await page.keyboard.press("Control+Home");
    await action(page, /^Next Change/).click();
    await line(page, 2).waitFor();
    await page.locator(".statusbar-item", { hasText: `Change 1 of 3 in ${first}` }).waitFor();
    await screenshot(page, "review-title");
    await action(page, /^Next Change/).click();
    await line(page, 6).waitFor();
    await action(page, /^Previous Change/).click();
    await line(page, 2).waitFor();
    await action(page, /^Keep Change/).click();
    // The cursor goes on to the next change.
    await line(page, 6).waitFor();
    await action(page, /^Undo Change/).click();
    const undone = after.replace("line 8", "line 6\nline 7\nline 8");
    await until(page, () => text(first) === undone);
    await action(page, /^Next File with Changes/).click();
    await tab(page, second).waitFor();
    await line(page, 2).waitFor();

    // Removed lines are in VS Code's inline diff.
    await lens(page, "1 line changed · Peek").waitFor();
    assert.equal(await lens(page, "Peek").count(), 2, "the added line has nothing to peek at");
    await lens(page, "2 lines removed · Peek").click();
    const diff = page.locator(".peekview-widget");
    await diff.getByText("line 7").first().waitFor();
    await diff.getByText(/2 of 3/).waitFor();
    await screenshot(page, "review-inline-diff");
    await diff.locator(".action-label[aria-label^='Undo Change']").click();
    await until(page, () => text(second) === undone);
    await page.keyboard.press("Escape");
    await diff.waitFor({ state: "detached" });
    await lens(page, "1 line changed · Peek").click();
    await diff.getByText(/1 of 2/).waitFor();
    await diff.locator(".action-label[aria-label^='Show Next Change']").click();
    await diff.getByText(/2 of 2/).waitFor();
    await page.keyboard.press("Escape");
    await diff.waitFor({ state: "detached" });

    await runCommand(page, "Parley: Open File Diff");
    await page.locator(".diff-editor, .monaco-diff-editor").first().waitFor();
    await action(page, /^Keep Change/).waitFor();
    await action(page, /^Undo Change/).waitFor();
    await openFile(page, second);
    await action(page, /^Next File with Changes/).click();
    await tab(page, third).waitFor();
    await bar.getByRole("button", { name: "Keep All" }).click();
    await action(page, /^Next Change/).waitFor({ state: "detached" });
    assert.equal(await action(page, /Change|File with Changes/).count(), 0, "no button stays");
  });
});

describe("the inline diff in a repository", () => {
  it("compares with the text before the agent's changes, also after a reload, and the status bar shows the branch", async () => {
    const { page, folder } = await openWorkbench({ files: { "first.txt": before } });
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-c", "user.email=ada@example.com", "-c", "user.name=Ada", ...args], { cwd: folder });
    git("init", "-q", "-b", "lists");
    git("add", ".");
    git("commit", "-q", "-m", "Start");
    // The user's own change, which git shows and the review doesn't.
    const mine = before.replace("line 12", "line twelve");
    writeFileSync(join(folder, "first.txt"), mine);
    const branch = page.locator(".statusbar-item", { hasText: "lists" });
    await branch.waitFor();
    const request = {
      method: "fs/write_text_file",
      params: { sessionId: "$session", path: join(folder, "first.txt") },
    };
    const content = after.replace("line 12", "line twelve");
    const steps = [{ request: { ...request, params: { ...request.params, content } } }, { chunk: "All done." }];
    writeFileSync(join(folder, "changes.json"), JSON.stringify({ steps }));
    await play(await openChat(page));
    for (const reloaded of [false, true]) {
      if (reloaded) await reloadWindow(page);
      await branch.waitFor();
      await openFile(page, "first.txt");
      const diff = page.locator(".peekview-widget");
      // Just after a reload, VS Code may not have compared the file. Parley shows the earlier text instead.
      await until(page, async () => {
        await lens(page, "2 lines removed · Peek").click();
        await diff.waitFor();
        const count = diff.getByText("2 of 3 changes");
        const isCompared = await count.waitFor({ timeout: 3000 }).then(
          () => true,
          () => false,
        );
        if (!isCompared) await page.keyboard.press("Escape");
        return isCompared;
      });
      await diff.locator(".action-label[aria-label^='Keep Change']").waitFor();
      await branch.waitFor();
      // On a busy machine, the earlier text can still be shown below.
      await until(page, async () => {
        await page.keyboard.press("Escape");
        return (await diff.count()) === 0;
      });
    }
  });
});

/** Comments of other tests stand above the files, and VS Code draws only the rows for which there is room. */
async function foldComments(rows: Locator): Promise<void> {
  const row = rows.locator(".monaco-list-row");
  await row.first().waitFor();
  const open = row.and(rows.locator('[aria-expanded="true"]')).filter({ hasText: /^Comments/ });
  if ((await open.count()) === 0) return;
  await open.locator(".monaco-tl-twistie").click();
  await open.waitFor({ state: "detached" });
}

describe("actions away from the cursor", () => {
  it("decide in the menu of a line number, in the Changes view and in the source control view, although the cursor is in no change", async () => {
    const { page, bar, text, files } = await start();
    const [first, second] = files;
    await openFile(page, first);
    await lens(page, "2 lines removed · Peek").waitFor();
    await page.keyboard.press("Control+End");
    await page.locator(".line-numbers", { hasText: /^9$/ }).click({ button: "right" });
    const undo = page.getByRole("menuitem", { name: /^Undo Change/ });
    // A menu ignores clicks just after it has opened.
    await until(page, async () => {
      if ((await undo.count()) > 0) await undo.click({ timeout: 1000 }).catch(() => undefined);
      return (await undo.count()) === 0;
    });
    await until(page, () => text(first) === after.replace("line 10 and a half\n", ""));
    await runCommand(page, "Parley: Focus on Changes View");
    const rows = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Changes" }) });
    const row = (words: string): Locator => rows.locator(".monaco-list-row", { hasText: words }).first();
    await foldComments(rows);
    await row(second).click();
    await tab(page, second).waitFor();
    await row(first).click();
    // The file that the click opens can take the focus later, and the key with it.
    await until(page, async () => {
      if ((await row("line two").count()) > 0) return true;
      await runCommand(page, "Parley: Focus on Changes View");
      await page.keyboard.press("ArrowRight");
      return false;
    });
    // Enter opens the file that has the focus, not the one that is selected.
    await page.locator(".tab.active", { hasText: first }).waitFor();
    await runCommand(page, "Parley: Focus on Changes View");
    const focused = rows.locator(".monaco-list-row.focused").filter({ hasText: second });
    await until(page, async () => {
      if ((await focused.count()) > 0) return true;
      await page.keyboard.press("ArrowDown");
      return false;
    });
    assert.equal(await focused.getAttribute("aria-selected"), "false");
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: second }).waitFor();
    await row(first).click();
    await page.locator(".tab.active", { hasText: first }).waitFor();

    await row("line two").hover();
    await page.keyboard.press("Control+End");
    await row("line two").locator(".action-label[aria-label^='Keep Change']").click();
    await until(page, async () => (await lens(page, "1 line changed · Peek").count()) === 0);

    await runCommand(page, "Source Control: Focus on Changes View");
    const listed = (words: string): Locator => page.locator(".scm-view .monaco-list-row", { hasText: words });
    await listed("Changes to Review").waitFor();
    await listed(second).click();
    await tab(page, `${second} (agent's changes)`).waitFor();
    await listed(second).hover();
    await screenshot(page, "review-source-control");
    await listed(second).locator(".action-label[aria-label^='Keep File']").click();
    await listed(second).waitFor({ state: "detached" });
    await runCommand(page, "Parley: Keep All Changes");
    await listed("Changes to Review").waitFor({ state: "detached" });
    await runCommand(page, "Parley: Open Chat");
    await bar.waitFor({ state: "detached" });
  });
});

describe("files under review", () => {
  it("are marked as reviewed in the Changes view by mouse and by key and in the title of the diff, also after a reload, until they change", async () => {
    const { page, bar, files } = await start();
    const [first, second] = files;
    const counted = (words: string): Promise<void> => bar.getByText(words, { exact: true }).waitFor();
    await runCommand(page, "Parley: Focus on Changes View");
    const rows = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Changes" }) });
    const row = (words: string): Locator => rows.locator(".monaco-list-row", { hasText: words }).first();
    await foldComments(rows);
    await row(first).hover();
    await row(first).locator(".action-label[aria-label^='Mark File as Reviewed']").click();
    await counted("1 of 3 reviewed");
    await row(`${first}reviewed`).waitFor();
    await row(second).click();
    await tab(page, second).waitFor();
    await runCommand(page, "Parley: Focus on Changes View");
    await chord(page, "Shift+R", () => bar.getByText("2 of 3 reviewed", { exact: true }).isVisible());
    await screenshot(page, "reviewed-marks");

    await reloadWindow(page);
    await openChat(page);
    await counted("2 of 3 reviewed");
    await runCommand(page, "View: Close All Editors");
    await openFile(page, first);
    await lens(page, "2 lines removed · Peek").waitFor();
    // Once the caret is there, the editor has the keys.
    await until(page, async () => {
      await page.keyboard.press("Control+End");
      return page.locator(".statusbar-item", { hasText: "Ln 12," }).isVisible();
    });
    await page.keyboard.type("mine");
    await counted("1 of 3 reviewed");
    await page.keyboard.press("Control+S");

    await runCommand(page, "Parley: Review Changes");
    // The diff begins with the cursor in its first file.
    const mark = page.locator(".editor-actions").getByRole("button", { name: "Mark File as Reviewed" });
    await mark.click();
    await counted("2 of 3 reviewed");
    await screenshot(page, "reviewed-marks-diff");
    await chord(page, "Shift+R", () => bar.getByText("1 of 3 reviewed", { exact: true }).isVisible());
    await runCommand(page, "Parley: Keep All Changes");
    await bar.waitFor({ state: "detached" });
  });
});

describe("the changes of a file", () => {
  it("are explained in words, from the command palette and from the Changes view, with what the user typed", async () => {
    const { page, bar, files } = await start();
    const [first, second] = files;
    const sentence = (words: string): Locator => page.locator(".view-line", { hasText: words });
    await openFile(page, first);
    // The tab is there before the editor has the keys.
    await editorHasFocus(page);
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("mine ");
    await page.keyboard.press("Control+S");
    await runCommand(page, "Parley: Explain Changes of This File");
    await tab(page, `Changes of ${first}`).waitFor();
    await sentence("The agent of “#script changes.json” wrote the file through the editor.").waitFor();
    await sentence("You changed line 1 in the editor.").waitFor();
    await screenshot(page, "explained-changes");
    await runCommand(page, "Parley: Focus on Changes View");
    const rows = page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Changes" }) });
    await chooseInMenu(rows.locator(".monaco-list-row", { hasText: second }).first(), "Explain Changes of This File");
    await tab(page, `Changes of ${second}`).waitFor();
    await runCommand(page, "Parley: Keep All Changes");
    await sentence("You kept changes of the file.").waitFor();
    await bar.waitFor({ state: "detached" });
  });
});

describe("the marks of changes", () => {
  /** The visible boxes: around two changes and around the changed word, and the line where lines were removed. */
  const boxes = (page: Page): Promise<number> =>
    page.locator(".monaco-editor .view-overlays .cdr").evaluateAll(
      all =>
        all.filter(element => {
          const { borderTopWidth, borderTopStyle, borderTopColor } = getComputedStyle(element);
          return borderTopStyle === "solid" && borderTopWidth === "1px" && !borderTopColor.endsWith(", 0)");
        }).length,
    );

  it("have visible borders in high contrast, and in other themes only where lines were removed", async () => {
    const { page, bar, files, folder } = await start();
    const usual = (await page.locator(".monaco-workbench.vs").count()) > 0 ? "vs" : "vs-dark";
    const settings = join(folder, ".vscode", "settings.json");
    const theme = async (name: string, kind: string): Promise<void> => {
      mkdirSync(dirname(settings), { recursive: true });
      writeFileSync(settings, JSON.stringify({ "workbench.colorTheme": name }));
      await page.locator(`.monaco-workbench.${kind}`).waitFor();
    };
    await openFile(page, files[0]);
    await lens(page, "2 lines removed · Peek").waitFor();
    for (const [name, kind, tops] of [
      ["Default High Contrast", "hc-black", 4],
      ["Default High Contrast Light", "hc-light", 4],
      ["Default Light Modern", "vs", 1],
    ] as const) {
      await theme(name, kind);
      await until(page, async () => (await boxes(page)) === tops);
      await screenshot(page, `review-marks-${kind}`);
    }
    await bar.getByRole("button", { name: "Keep All" }).click();
    await until(page, async () => (await boxes(page)) === 0);
    rmSync(settings);
    await page.locator(`.monaco-workbench.${usual}`).waitFor();
  });
});

describe("the diff of several files", () => {
  const multi = (page: Page): Locator => page.locator(".multiDiffEditor");
  const lineIn = (page: Page, words: string): Locator => multi(page).locator(".view-line", { hasText: words });

  it("decides on a change by key, on the file with the focus, and on all files, and then closes", async () => {
    const { page, bar, text, files, folder } = await start();
    const [first, second, third] = files;
    await runCommand(page, "Parley: Review Changes");
    await lineIn(page, "line two").first().waitFor();
    await screenshot(page, "review-multi-diff");
    // The second file, on the side of the text.
    await lineIn(page, "line two").nth(1).click();
    await chord(page, "K", async () => (await bar.getByText("+4").count()) > 0);
    await screenshot(page, "review-multi-diff-kept");
    await lineIn(page, "line 10 and a half").nth(1).click();
    await action(page, /^Undo File/).click();
    await until(page, () => text(second) === before.replace("line 2", "line two"));
    await lineIn(page, "line two").first().click();
    await action(page, /^Keep File/).click();
    await bar.getByRole("button", { name: /^1 file/ }).waitFor();
    await screenshot(page, "review-multi-diff-one-left");
    await action(page, /^Keep All Changes/).click();
    await tab(page, "Changes to Review").waitFor({ state: "detached" });
    await bar.waitFor({ state: "detached" });
    assert.equal(text(first), after);

    await runCommand(page, "Parley: Undo Last Review Decision");
    await bar.getByRole("button", { name: /^1 file/ }).waitFor();
    await runCommand(page, "Parley: Review Changes");
    await lineIn(page, "new").first().waitFor();
    await action(page, /^Undo All Changes/).click();
    await page.locator(".monaco-dialog-box").getByRole("button", { name: "Undo Changes" }).click();
    await tab(page, "Changes to Review").waitFor({ state: "detached" });
    await bar.waitFor({ state: "detached" });
    await page.locator(".statusbar-item", { hasText: "All changes reviewed." }).waitFor();
    assert.ok(!existsSync(join(folder, third)));
  });
});
