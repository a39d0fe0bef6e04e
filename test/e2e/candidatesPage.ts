// The page that compares candidates, the questions before it, and a repository for them.
import { execFileSync } from "node:child_process";
import { basename, dirname, join } from "node:path";
import type { FrameLocator, Locator, Page } from "playwright-core";

/** A row of an open list of VS Code. */
export const pick = (page: Page, text: string | RegExp): Locator =>
  page.locator(".quick-input-list .monaco-list-row", { hasText: text });

/** The document of the chat view, also while a page is open in an editor tab. */
export const chatView = (page: Page): FrameLocator =>
  page.frameLocator('iframe.webview.ready[src*="purpose=webviewView"]').frameLocator("iframe#active-frame");

/** The page that compares candidates, which is the only editor tab with a page. */
export const comparison = (page: Page): FrameLocator =>
  page
    .frameLocator('iframe.webview.ready:not([src*="purpose=webviewView"]):visible')
    .frameLocator("iframe#active-frame");

/** The facts of a candidate, without the row of its buttons. */
export const candidateRow = (frame: FrameLocator, branch: string): Locator =>
  frame
    .getByRole("row")
    .filter({ has: frame.getByRole("rowheader") })
    .filter({ hasText: branch });

/** The buttons of a candidate. */
export const candidateActions = (frame: FrameLocator, name: string): Locator =>
  frame.getByRole("toolbar", { name, exact: true });

/** A tab of the editors. */
export const tab = (page: Page, name: string): Locator => page.getByRole("tab", { name });

/** Runs git in the folder. */
export type RunGit = (...args: readonly string[]) => string;

/** Runs git in the folder, as a user with a name. */
export const gitIn =
  (folder: string): RunGit =>
  (...args) =>
    execFileSync("git", ["-c", "user.email=ada@example.com", "-c", "user.name=Ada", ...args], {
      cwd: folder,
      encoding: "utf8",
    });

/** Makes a repository with one commit of all files. */
export function commitAll(git: RunGit): void {
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "Start");
}

/** The folder with the worktrees of a repository. */
export const worktreesOf = (folder: string): string => join(dirname(folder), `${basename(folder)}.worktrees`);
