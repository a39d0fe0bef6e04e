// Sessions in worktrees of a real repository: made from the command palette, set up by a command, and apart from the folder
// of the window.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { isAlive, until } from "../support/fakes/until.ts";
import { chooseInMenu } from "./contextMenu.ts";
import { answerTrust, newSession, openChat, openWorkbench, runCommand, screenshot } from "./harness.ts";
import { filesBelow, textOf } from "./storedFiles.ts";

const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const input = (page: Page): Locator => page.locator(".quick-input-widget input.input");
const pick = (page: Page, text: string | RegExp): Locator =>
  page.locator(".quick-input-list .monaco-list-row", { hasText: text });

async function send(panel: FrameLocator, text: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
  await conversation(panel)
    .getByRole("heading", { name: `You: ${text}`, exact: true })
    .waitFor();
}

const write = (file: string, content: string): unknown => ({
  request: { method: "fs/write_text_file", params: { sessionId: "$session", path: `$cwd/${file}`, content } },
});

/** The number of running windows that have stored which sessions they have open. */
function windowsWithSessions(dataDir: string): number {
  const records = filesBelow(dataDir).filter(name => {
    const pid = Number(/window-.+\.(\d+)\.json$/.exec(name)?.[1] ?? 0);
    return pid > 0 && isAlive(pid);
  });
  return records.filter(name => textOf(join(dataDir, name))?.includes("live")).length;
}

const call = (update: object): unknown => ({ update: { toolCallId: "t1", ...update } });

describe("a session in a worktree", () => {
  it("starts on a new branch with uncommitted files after its set-up, and its changes are apart from those of the window's folder", async () => {
    const script = JSON.stringify([
      write("a.txt", "the agent's\n"),
      write("made.txt", "new\n"),
      call({ sessionUpdate: "tool_call", title: "Run a script", kind: "execute", status: "in_progress" }),
      { write: "disk.txt", text: "on disk\n" },
      call({ sessionUpdate: "tool_call_update", status: "completed" }),
      { chunk: "All done." },
    ]);
    const { page, folder, server } = await openWorkbench({
      files: {
        "a.txt": "a\n",
        "mine.txt": "committed\n",
        "write.json": script,
        ".gitignore": ".env\n",
        ".env": "S=1\n",
      },
      settings: {
        "parley.worktrees.copy": [".env"],
        "parley.worktrees.setup": "test -e ready && echo set up > set-up.txt",
      },
    });
    const parent = join(dirname(folder), `${basename(folder)}.worktrees`);
    const worktree = join(parent, "parley-session");
    const read = (at: string, name: string): string => readFileSync(join(at, name), "utf8");
    try {
      const git = (...args: readonly string[]): string =>
        execFileSync("git", ["-c", "user.email=ada@example.com", "-c", "user.name=Ada", ...args], {
          cwd: folder,
          encoding: "utf8",
        });
      const outside = write("", "outside\n") as { readonly request: { readonly params: object } };
      const params = { ...outside.request.params, path: join(folder, "a.txt") };
      writeFileSync(join(folder, "outside.json"), JSON.stringify([{ request: { ...outside.request, params } }]));
      git("init", "-q", "-b", "main");
      git("add", ".");
      git("commit", "-q", "-m", "Start");
      writeFileSync(join(folder, "mine.txt"), "uncommitted\n");

      const panel = await openChat(page);
      await runCommand(page, "Parley: New Session in Worktree…");
      await until(async () => (await input(page).inputValue()) === "parley/session");
      await screenshot(page, "worktree-branch");
      await page.keyboard.press("Enter");
      await pick(page, "Last commit of main, with the 1 uncommitted file").waitFor();
      await screenshot(page, "worktree-base");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");

      // The set-up fails: the agent does not start.
      const problem = panel
        .getByRole("group", { name: "Problem" })
        .getByText("The command that sets up the worktree ended with exit code 1.");
      await problem.waitFor();
      await screenshot(page, "worktree-set-up-failed");
      assert.equal(read(worktree, "mine.txt"), "uncommitted\n");
      assert.equal(read(worktree, ".env"), "S=1\n");
      assert.equal(git("-C", worktree, "symbolic-ref", "--short", "HEAD").trim(), "parley/session");
      writeFileSync(join(worktree, "ready"), "");
      await panel.getByRole("button", { name: "Retry" }).click();
      await problem.waitFor({ state: "hidden" });
      await send(panel, "#script write.json");
      await conversation(panel).getByText("All done.").waitFor();
      assert.equal(read(worktree, "set-up.txt"), "set up\n");
      assert.equal(read(worktree, "a.txt"), "the agent's\n");
      assert.equal(read(folder, "a.txt"), "a\n");
      assert.ok(!existsSync(join(folder, "made.txt")));
      const bar = panel.getByRole("region", { name: "Changes" });
      await bar.getByRole("button", { name: /^3 files/ }).waitFor();
      await screenshot(page, "worktree-changes");
      assert.equal(await conversation(panel).getByText("no longer has this conversation").count(), 0);
      await runCommand(page, "Parley: Undo All Changes");
      await page.getByRole("dialog").getByRole("button", { name: "Undo Changes" }).click();
      await until(
        () =>
          read(worktree, "a.txt") === "a\n" && !["made.txt", "disk.txt"].some(name => existsSync(join(worktree, name))),
      );

      const opened = page.context().waitForEvent("page");
      await runCommand(page, "Parley: Open Worktree in New Window");
      const window = await opened;
      assert.equal(new URL(window.url()).searchParams.get("folder"), worktree);
      // Its list also has the session, which the first window has open.
      await runCommand(window, "Parley: Focus on Sessions View");
      await window
        .locator(".pane", { hasText: "Sessions" })
        .locator(".monaco-list-row", { hasText: `in ${basename(folder)}` })
        .waitFor();
      await screenshot(window, "worktree-window-list");

      // The worktree stays while that window has a session open there.
      const other = await openChat(window);
      await send(other, "hello there");
      await other.getByRole("note", { name: "Finished turn" }).waitFor();
      await until(() => windowsWithSessions(server.dataDir) === 2);
      await runCommand(page, "Parley: Remove Worktree…");
      await pick(page, "parley/session").waitFor();
      await page.keyboard.press("Enter");
      const refusal = page.getByRole("dialog").filter({ hasText: "The worktree “parley/session” cannot be removed." });
      await refusal.getByText(/Another window has sessions there open. Close that window first: .+/).waitFor();
      await screenshot(page, "worktree-open-elsewhere");
      await page.keyboard.press("Escape");
      await refusal.waitFor({ state: "hidden" });
      assert.ok(existsSync(worktree));
      await window.close();
      // The extension host of the window ends a moment later.
      await until(() => windowsWithSessions(server.dataDir) === 1);

      // The agent asks before it writes in the folder of the window.
      await send(panel, "#script outside.json");
      const question = panel.getByRole("group", { name: /a\.txt/ });
      await question.first().waitFor();
      await screenshot(page, "worktree-outside");
      await question
        .getByRole("button", { name: /^Refuse/ })
        .first()
        .click();
      await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
      assert.equal(read(folder, "a.txt"), "a\n");

      // Meanwhile, a session in the folder of the window changes the same file there.
      await newSession(page, panel);
      await panel.getByText("parley-session").waitFor({ state: "detached" });
      await send(panel, "#script write.json");
      await conversation(panel).getByText("All done.").waitFor();
      assert.equal(read(folder, "a.txt"), "the agent's\n");
      assert.equal(read(worktree, "a.txt"), "a\n");
      await bar.getByRole("button", { name: /^3 files/ }).waitFor();

      await runCommand(page, "Parley: Remove Worktree…");
      await pick(page, "parley/session").waitFor();
      await screenshot(page, "worktree-remove");
      await page.keyboard.press("Enter");
      const removal = page.getByRole("dialog").filter({ hasText: "Remove the worktree “parley/session”?" });
      await removal.getByText("Not committed: mine.txt").waitFor();
      await screenshot(page, "worktree-remove-question");
      await removal.getByRole("button", { name: "Delete Files and Remove" }).click();
      await until(() => !existsSync(worktree));
      await until(() => git("for-each-ref", "--format=%(refname:short)", "refs/heads").trim() === "main");
    } finally {
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it("is shown with its branch, commits and lines, and its changes, a terminal and a window are a click away", async () => {
    const script = JSON.stringify([
      write("a.txt", "the agent's\n"),
      write("made.txt", "new\nlines\n"),
      { chunk: "All done." },
    ]);
    const { page, folder, server } = await openWorkbench({
      files: {
        ...{ "a.txt": "a\n", "gone.txt": "gone\n", "logo.bin": "a\0b", "write.json": script },
        ".cursor/worktrees.json": JSON.stringify({ "setup-worktree": ["echo set up > set-up.txt"] }),
      },
      settings: { "workbench.colorTheme": "Default Dark Modern", "parley.worktrees.newSessions": true },
      trust: true,
    });
    const parent = join(dirname(folder), `${basename(folder)}.worktrees`);
    const worktree = join(parent, "parley-session");
    try {
      const git = (...args: readonly string[]): string =>
        execFileSync("git", ["-c", "user.email=ada@example.com", "-c", "user.name=Ada", ...args], {
          cwd: folder,
          encoding: "utf8",
        });
      git("init", "-q", "-b", "main");
      git("add", ".");
      git("commit", "-q", "-m", "Start");
      await answerTrust(page, true);
      const panel = await openChat(page);
      // New sessions start in worktrees, and the branch has the name of the draft.
      await panel.getByRole("textbox", { name: "Message" }).fill("Fix the sum!\nAnd more.");
      assert.equal(await panel.getByRole("button", { name: /^Worktree: / }).count(), 0);
      await panel.getByRole("button", { name: "New Session" }).click();
      await until(async () => (await input(page).inputValue()) === "parley/fix-the-sum");
      await input(page).fill("parley/session");
      await page.keyboard.press("Enter");
      await pick(page, "Last commit of main").waitFor();
      await page.keyboard.press("Enter");
      // Nothing that the repository names runs before the user has allowed it.
      const question = page.getByRole("dialog").filter({ hasText: "in the new worktree “parley/session”?" });
      await question.getByText("echo set up > set-up.txt").waitFor();
      assert.ok(!existsSync(join(worktree, "set-up.txt")));
      await screenshot(page, "worktree-proposed-set-up");
      await question.getByRole("button", { name: "Run Set-Up" }).click();
      await until(() => existsSync(join(worktree, "set-up.txt")));
      await panel
        .getByRole("button", { name: /^Worktree: parley\/session, The same commits as main, No files changed/ })
        .waitFor();

      // The user works there, too, and somebody commits in the main checkout.
      rmSync(join(worktree, "gone.txt"));
      writeFileSync(join(worktree, "logo.bin"), "a\0c");
      git("-C", worktree, "commit", "-q", "--allow-empty", "-m", "Ahead");
      git("commit", "-q", "--allow-empty", "-m", "Behind");
      await send(panel, "#script write.json");
      await conversation(panel).getByText("All done.").waitFor();
      const chip = panel.getByRole("button", { name: /^Worktree: / });
      const about =
        "Worktree: parley/session, 1 commit ahead of main, 1 commit behind main, 5 files changed since the base, +4 −2 lines";
      await panel.getByRole("button", { name: about, exact: true }).waitFor();
      await screenshot(page, "worktree-chip-dark");

      await chip.click();
      await screenshot(page, "worktree-menu-dark");
      await panel.getByRole("menuitem", { name: "Show Worktree Changes" }).click();
      await page.getByRole("tab", { name: /^Changes of parley\/session \(5 files\)/ }).waitFor();
      const diffs = page.locator(".multiDiffEntry");
      await until(async () => (await diffs.count()) === 5);
      await diffs.filter({ hasText: "made.txt" }).locator(".modified .view-line", { hasText: "lines" }).waitFor();
      await diffs.filter({ hasText: "gone.txt" }).locator(".original .view-line", { hasText: "gone" }).waitFor();
      await screenshot(page, "worktree-diffs-dark");

      // VS Code asks no question about a file outside of its folder.
      const made = diffs.filter({ hasText: "made.txt" });
      await made.locator(".header").hover();
      await made.locator(".codicon-go-to-file").click();
      await page.getByRole("tab", { name: /^made\.txt/ }).waitFor();
      await page.locator(".editor-instance .view-line", { hasText: "lines" }).first().waitFor();
      assert.equal(await page.getByRole("dialog").count(), 0);
      await screenshot(page, "worktree-file");
      await runCommand(page, "View: Close Editor");

      await runCommand(page, "Parley: Focus on Sessions View");
      const row = page
        .locator(".pane", { hasText: "Sessions" })
        .locator(".monaco-list-row", { hasText: "parley/session ↑1 ↓1" });
      await row.waitFor();
      await row.hover();
      await screenshot(page, "worktree-row-dark");
      await chooseInMenu(row, "Open Terminal in Worktree");
      await page.locator(".terminal-wrapper").waitFor();
      await page.locator(".xterm-rows", { hasText: "parley-session" }).waitFor();
      await screenshot(page, "worktree-terminal-dark");
      await runCommand(page, "View: Toggle Panel Visibility");

      server.writeSettings({ "workbench.colorTheme": "Default Light Modern" });
      await page.locator(".monaco-workbench.vs").waitFor();
      await screenshot(page, "worktree-diffs-light");
      // VS Code asks for trust in the window of the worktree only.
      const opened = page.context().waitForEvent("page");
      await chooseInMenu(row, "Open Worktree in New Window");
      const window = await opened;
      await window.getByRole("dialog").getByText("Do you trust the authors of the files in this folder?").waitFor();
      await screenshot(window, "worktree-trust");
      await window.close();
      await page.getByRole("tab", { name: /^Source Control/ }).click();
      // VS Code lists the worktree by itself.
      await page.locator(".scm-view").first().getByText("parley-session").first().waitFor();
      await screenshot(page, "worktree-scm");

      await runCommand(page, "Parley: Open Chat in Editor");
      await page
        .frameLocator('iframe.webview.ready[src*="extensionId=parley.parley&"]:not([src*="purpose=webviewView"])')
        .frameLocator("iframe#active-frame")
        .getByRole("button", { name: about, exact: true })
        .waitFor();
      await screenshot(page, "worktree-wide-light");
    } finally {
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
