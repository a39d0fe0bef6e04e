// Changes of a worktree that come back into the folder of the window, where they wait for review.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { chooseInMenu } from "./contextMenu.ts";
import { chooseRow, openChat, openFile, openWorkbench, runCommand, screenshot } from "./harness.ts";
import { editorHasFocus } from "./keyboard.ts";

const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const pick = (page: Page, text: string | RegExp): Locator =>
  page.locator(".quick-input-list .monaco-list-row", { hasText: text });
const lens = (page: Page, text: string | RegExp): Locator => page.locator(".codelens-decoration a", { hasText: text });
/** A notification. An automated VS Code keeps its toasts in the list. */
async function notification(page: Page, text: string): Promise<Locator> {
  const found = page.locator(".notifications-center .notification-list-item", { hasText: text });
  // The list closes when its last notification goes, for example one that is replaced.
  await until(async () => {
    if (await found.isVisible()) return true;
    await runCommand(page, "Notifications: Show Notifications");
    return found.isVisible();
  });
  return found;
}

const lines = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, i) => `${change[i + 1] ?? `line ${i + 1}`}\n`).join("");

const write = (file: string, content: string): unknown => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: `$cwd/${file}`, content } },
});
const call = (update: object): unknown => ({ update: { toolCallId: "t1", ...update } });

async function send(panel: FrameLocator, text: string, reply: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
  await conversation(panel).getByText(reply).waitFor();
  await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
}

interface Started {
  readonly page: Page;
  readonly panel: FrameLocator;
  readonly folder: string;
  readonly worktree: string;
  git(...args: readonly string[]): string;
}

/** Opens a window on a repository with these files, and starts a session in a worktree of it. */
async function start(
  files: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Started> {
  const { page, folder } = await openWorkbench({ files, settings: { "files.autoSave": "off", ...settings } });
  const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("config", "user.email", "ada@example.com");
  git("config", "user.name", "Ada");
  git("add", ".");
  git("commit", "-q", "-m", "Start");
  const panel = await openChat(page);
  await runCommand(page, "Parley: New Session in Worktree…");
  await until(async () => (await page.locator(".quick-input-widget input.input").inputValue()) === "parley/session");
  await page.keyboard.press("Enter");
  await pick(page, "Last commit of main").waitFor();
  await page.keyboard.press("Enter");
  await panel.getByText("parley/session").first().waitFor();
  return { page, panel, folder, worktree: join(parentOf(folder), "parley-session"), git };
}

const parentOf = (folder: string): string => join(dirname(folder), `${basename(folder)}.worktrees`);

describe("changes of a session in a worktree", () => {
  let parent = "";
  afterEach(() => {
    if (parent !== "") rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
  });

  it("come back into the editor beside unsaved text, wait for review, and leave what conflicts", async () => {
    const first = [
      write("app.txt", lines({ 2: "the agent's two", 8: "the agent's eight" })),
      write("conflict.txt", "the agent's\n"),
      write("made.txt", "made\n"),
      call({ sessionUpdate: "tool_call", title: "Run a script", kind: "execute", status: "in_progress" }),
      { write: "disk.txt", text: "on disk\n" },
      call({ sessionUpdate: "tool_call_update", status: "completed" }),
      { chunk: "All done." },
    ];
    const second = [
      write("app.txt", lines({ 2: "the agent's two", 5: "the agent's five", 8: "the agent's eight" })),
      { chunk: "Also done." },
    ];
    const { page, panel, folder } = await start({
      "app.txt": lines(),
      "conflict.txt": "start\n",
      "first.json": JSON.stringify(first),
      "second.json": JSON.stringify(second),
    });
    parent = parentOf(folder);
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    await send(panel, "#script first.json", "All done.");
    await runCommand(page, "Parley: Keep All Changes");

    await openFile(page, "app.txt");
    await editorHasFocus(page);
    await page.keyboard.press("Control+End");
    await page.locator(".statusbar-item", { hasText: "Ln 13," }).waitFor();
    await page.keyboard.type("unsaved");
    await page.locator(".tab.active.dirty").waitFor();
    writeFileSync(join(folder, "conflict.txt"), "mine\n");

    await runCommand(page, "Parley: Bring Back Changes…");
    for (const text of [
      /app\.txt\s*\+2 −2 · with your unsaved changes/,
      /conflict\.txt\s*conflict in 1 place/,
      /made\.txt\s*\+1 −0 · new/,
    ])
      await pick(page, text).waitFor();
    await screenshot(page, "bring-back-pick");
    await page.keyboard.press("Enter");
    await lens(page, "1 line changed").first().waitFor();
    const kept = await notification(page, "1 file conflicts with your changes, which stay: conflict.txt");
    await screenshot(page, "bring-back-review");
    assert.equal(read("app.txt"), lines(), "unsaved text stays unsaved");
    assert.equal(read("conflict.txt"), "mine\n");
    assert.deepEqual([read("made.txt"), read("disk.txt")], ["made\n", "on disk\n"]);

    await kept.getByRole("button", { name: "Show Conflicts" }).click();
    await page.locator(".tab.active", { hasText: "conflict.txt (Worktree ↔ Local File)" }).waitFor();
    await page.locator(".modified-in-monaco-diff-editor .view-line", { hasText: "mine" }).waitFor();
    await page.locator(".original-in-monaco-diff-editor .view-line", { hasText: "the agent's" }).waitFor();
    await screenshot(page, "bring-back-conflict");

    // Ctrl+Z takes back what came into the editor, and nothing that was typed.
    await openFile(page, "app.txt");
    const shown = (text: string): Locator => page.locator(".editor-instance .view-line", { hasText: text });
    await page.keyboard.press("Control+Z");
    await shown("the agent's two").waitFor({ state: "detached" });
    await shown("unsaved").waitFor();
    await until(async () => (await lens(page, "1 line changed").count()) === 0);
    await page.keyboard.press("Control+Shift+Z");
    await shown("the agent's two").waitFor();
    await lens(page, "1 line changed").first().waitFor();
    await page.keyboard.press("Control+S");
    await until(() => read("app.txt") === `${lines({ 2: "the agent's two", 8: "the agent's eight" })}unsaved`);

    // One hunk is undone, and comes back with the decision.
    await page.keyboard.press("Control+Home");
    await runCommand(page, "Parley: Next Change");
    await runCommand(page, "Parley: Undo Change");
    const undone = `${lines({ 8: "the agent's eight" })}unsaved`;
    await until(() => read("app.txt") === undone || read("app.txt") === `${lines({ 2: "the agent's two" })}unsaved`);
    await runCommand(page, "Parley: Undo Last Review Decision");
    await until(() => read("app.txt") === `${lines({ 2: "the agent's two", 8: "the agent's eight" })}unsaved`);

    // The second time brings only what is new.
    await send(panel, "#script second.json", "Also done.");
    await runCommand(page, "Parley: Bring Back Changes…");
    await pick(page, /app\.txt\s*\+1 −1/).waitFor();
    await pick(page, "conflict.txt").waitFor();
    assert.equal(await pick(page, "made.txt").count(), 0);
    await page.keyboard.press("Enter");
    await until(
      () =>
        read("app.txt") === `${lines({ 2: "the agent's two", 5: "the agent's five", 8: "the agent's eight" })}unsaved`,
    );

    // An undo of the session removes the files that it brought.
    await runCommand(page, "Parley: Undo All Changes");
    await page.getByRole("dialog").getByRole("button", { name: "Undo Changes" }).click();
    await until(() => read("app.txt") === `${lines()}unsaved` && !existsSync(join(folder, "made.txt")));
    assert.ok(!existsSync(join(folder, "disk.txt")));
    assert.equal(read("conflict.txt"), "mine\n");
  });

  it("are committed and merged into the branch of the window, and the refusal of a hook keeps both branches", async () => {
    const first = [write("app.txt", lines({ 2: "the agent's two" })), { chunk: "All done." }];
    const { page, panel, folder, worktree, git } = await start(
      { "app.txt": lines(), "main.txt": "start\n", "first.json": JSON.stringify(first) },
      { "workbench.colorTheme": "Default Dark Modern" },
    );
    parent = parentOf(folder);
    await send(panel, "#script first.json", "All done.");
    await runCommand(page, "Parley: Keep All Changes");
    const hook = join(folder, ".git", "hooks", "pre-commit");
    writeFileSync(hook, "#!/bin/sh\necho 'The linter found 2 problems.' >&2\necho 'app.txt: line 2' >&2\nexit 1\n", {
      mode: 0o755,
    });
    const head = git("rev-parse", "HEAD");
    const merge = async (): Promise<void> => {
      await runCommand(page, "Parley: Commit and Merge Worktree…");
      await pick(page, "Squash").waitFor();
      await screenshot(page, "merge-worktree-pick-dark");
      await page.keyboard.press("Enter");
      const message = page.locator(".quick-input-widget input.input");
      await until(async () => (await message.inputValue()) === "#script first.json");
      await message.fill("Change line 2");
      await screenshot(page, "merge-worktree-message-dark");
      await page.keyboard.press("Enter");
    };
    await merge();
    const refusal = page.getByRole("dialog").filter({ hasText: "parley/session was not merged into main." });
    await refusal.getByText("The linter found 2 problems.").waitFor();
    await screenshot(page, "merge-worktree-refused-dark");
    await page.keyboard.press("Escape");
    await refusal.waitFor({ state: "detached" });
    assert.deepEqual([git("rev-parse", "HEAD"), git("-C", worktree, "rev-parse", "HEAD")], [head, head]);
    assert.equal(readFileSync(join(folder, "app.txt"), "utf8"), lines());

    // The main checkout goes on, and its commits come into the worktree first.
    rmSync(hook);
    writeFileSync(join(folder, "main.txt"), "main\n");
    git("commit", "-qam", "On main");
    await runCommand(page, "Parley: Update Worktree from Base");
    await until(() => readFileSync(join(worktree, "main.txt"), "utf8") === "main\n");
    await conversation(panel).getByText("The worktree was updated with the commits of").waitFor();

    await merge();
    await until(() => readFileSync(join(folder, "app.txt"), "utf8") === lines({ 2: "the agent's two" }));
    await conversation(panel).getByText("parley/session was merged into main.").waitFor();
    await screenshot(page, "merge-worktree-done-dark");
    assert.equal(git("status", "--porcelain").trim(), "");
    assert.ok(git("log", "--format=%s").includes("Change line 2"));
    await runCommand(page, "Parley: Bring Back Changes…");
    await notification(page, "There is nothing to bring back from “parley/session”.");
  });

  it("come back hunk by hunk, with both sides in a diff before", async () => {
    const first = [write("app.txt", lines({ 2: "the agent's two", 8: "the agent's eight" })), { chunk: "All done." }];
    const { page, panel, folder } = await start(
      { "app.txt": lines(), "first.json": JSON.stringify(first) },
      { "workbench.colorTheme": "Default Dark Modern" },
    );
    parent = parentOf(folder);
    const read = (): string => readFileSync(join(folder, "app.txt"), "utf8");
    await send(panel, "#script first.json", "All done.");
    await runCommand(page, "Parley: Keep All Changes");
    await runCommand(page, "Parley: Bring Back Changes…");
    const row = pick(page, /app\.txt\s*\+2 −2/);
    await row.hover();
    await row.locator(".action-label[aria-label='Show Both Sides']").click();
    await page.locator(".tab", { hasText: "app.txt (Worktree ↔ Local File)" }).waitFor();
    await page.locator(".original-in-monaco-diff-editor .view-line", { hasText: "the agent's two" }).waitFor();
    await row.hover();
    await screenshot(page, "bring-back-pick-dark");
    await row.locator(".action-label[aria-label='Select Hunks…']").click();
    const second = pick(page, /the agent's eight\s*line 8 · \+1 −1/);
    await chooseRow(second);
    await screenshot(page, "bring-back-hunks-dark");
    await page.locator(".quick-input-widget").getByRole("button", { name: "OK" }).click();
    await until(() => read() === lines({ 2: "the agent's two" }));
    await notification(page, "1 file was brought back. Its changes wait for your review.");
    await screenshot(page, "bring-back-done-dark");
    await runCommand(page, "Parley: Bring Back Changes…");
    await pick(page, /app\.txt\s*\+1 −1/).waitFor();
    await page.keyboard.press("Enter");
    await until(() => read() === lines({ 2: "the agent's two", 8: "the agent's eight" }));
    await runCommand(page, "Parley: Bring Back Changes…");
    await notification(page, "There is nothing to bring back from “parley/session”.");
  });

  it("come back one by one from the editor and the diffs of the worktree, and conflicts are settled with Keep Mine", async () => {
    const first = [
      write("app.txt", lines({ 2: "the agent's two", 5: "the agent's five", 8: "the agent's eight" })),
      write("conflict.txt", "the agent's\n"),
      write("other.txt", "the agent's other\n"),
      { chunk: "All done." },
    ];
    const { page, panel, folder, worktree } = await start({
      ...{ "app.txt": lines(), "conflict.txt": "start\n", "other.txt": "start\n" },
      "first.json": JSON.stringify(first),
    });
    parent = parentOf(folder);
    const read = (name: string): string => readFileSync(join(folder, name), "utf8");
    await send(panel, "#script first.json", "All done.");
    await runCommand(page, "Parley: Keep All Changes");
    for (const name of ["conflict.txt", "other.txt"]) writeFileSync(join(folder, name), "mine\n");

    // In the list.
    await runCommand(page, "Parley: Bring Back Changes…");
    const conflict = pick(page, /conflict\.txt\s*conflict in 1 place/);
    await conflict.hover();
    await screenshot(page, "bring-back-keep-mine");
    await conflict.locator(".action-label[aria-label='Keep Mine']").click();
    await conflict.waitFor({ state: "detached" });
    // In the diff of the conflict.
    const other = pick(page, /other\.txt\s*conflict in 1 place/);
    await other.hover();
    await other.locator(".action-label[aria-label='Show Both Sides']").click();
    await page.locator(".tab.active", { hasText: "other.txt (Worktree ↔ Local File)" }).waitFor();
    await page.keyboard.press("Escape");
    const keepMine = page.locator(".editor-actions").getByRole("button", { name: "Keep Mine" });
    await keepMine.waitFor();
    await screenshot(page, "bring-back-keep-mine-diff");
    await keepMine.click();
    await keepMine.waitFor({ state: "detached" });
    await runCommand(page, "Parley: Bring Back Changes…");
    await pick(page, /app\.txt\s*\+3 −3/).waitFor();
    assert.equal(await pick(page, "conflict in").count(), 0);
    await page.keyboard.press("Escape");
    const kept = await notification(page, "Your version of other.txt stays.");
    await kept.getByRole("button", { name: "Undo" }).click();
    await runCommand(page, "Parley: Bring Back Changes…");
    await other.waitFor();
    await page.keyboard.press("Escape");
    assert.deepEqual([read("conflict.txt"), read("other.txt")], ["mine\n", "mine\n"]);

    // A change in the diffs of the worktree: in the title bar.
    await runCommand(page, "Parley: Show Worktree Changes");
    await page.locator(".multiDiffEntry .modified .view-line", { hasText: "the agent's eight" }).click();
    const bringBack = page.locator(".editor-actions").getByRole("button", { name: "Bring Back This Change" });
    await bringBack.waitFor();
    await screenshot(page, "bring-back-this-diff");
    await bringBack.click();
    await until(() => read("app.txt") === lines({ 8: "the agent's eight" }));

    // In the editor of the worktree's file: above the change, and in the context menu.
    await page.keyboard.press("Control+P");
    await page.keyboard.type(join(worktree, "app.txt"));
    await pick(page, "app.txt").first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: "app.txt" }).waitFor();
    const lenses = lens(page, /^Bring Back This Change$/);
    await until(async () => (await lenses.count()) === 2);
    await screenshot(page, "bring-back-this-editor");
    await lenses.first().click();
    await until(() => read("app.txt") === lines({ 2: "the agent's two", 8: "the agent's eight" }));
    await until(async () => (await lenses.count()) === 1);
    const line = page.locator(".editor-instance .view-line", { hasText: "the agent's five" });
    await chooseInMenu(line, "Bring Back This Change");
    await until(
      () => read("app.txt") === lines({ 2: "the agent's two", 5: "the agent's five", 8: "the agent's eight" }),
    );
    await until(async () => (await lenses.count()) === 0);

    // They wait for review in the folder.
    const changes = panel.getByRole("region", { name: "Changes" });
    await changes.getByText("1 file").waitFor();
    await changes.getByText("+3").waitFor();
  });
});
