// The commit message in the Source Control view of a real VS Code: by mouse and by keyboard, cancelled and while the user types.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { inProject } from "../../scripts/tools/project.mjs";
import { until } from "../support/fakes/until.ts";
import { commitAll, gitIn } from "./candidatesPage.ts";
import { openWorkbench, runCommand, screenshot, type Workbench } from "./harness.ts";

const view = (page: Page): Locator => page.locator(".scm-view");
const box = (page: Page): Locator => view(page).locator(".scm-editor");
const writeButton = (page: Page): Locator => page.getByRole("button", { name: "Write Commit Message" });
/** VS Code shows the buttons of a title while the pointer is on its view, or the focus in it. */
async function pointAtTitle(page: Page): Promise<void> {
  await page.locator(".pane-header", { hasText: "Changes" }).first().hover();
  await writeButton(page).waitFor();
}
const cancelButton = (page: Page): Locator => page.getByRole("button", { name: "Cancel Commit Message" });

/** The text of the box. Monaco shows blanks as no-break spaces. */
async function boxText(page: Page): Promise<string> {
  const lines = await box(page).locator(".view-line").all();
  const shown = await Promise.all(
    lines.map(async line => ({ top: (await line.boundingBox())?.y ?? 0, text: await line.innerText() })),
  );
  return shown
    .toSorted((a, b) => a.top - b.top)
    .map(({ text }) => text.replaceAll("\u00a0", " "))
    .join("\n")
    .trim();
}

async function openOnRepository(settings: Readonly<Record<string, unknown>> = {}): Promise<Workbench> {
  const workbench = await openWorkbench({
    files: { "src/app.ts": "export const a = 1;\n", "package-lock.json": "{}\n", ".env": "TOKEN=1\n" },
    settings: { "git.enabled": true, ...settings },
  });
  const { page, folder } = workbench;
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.email=ada@example.com", "-c", "user.name=Ada", ...args], { cwd: folder });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "Start");
  writeFileSync(join(folder, "src/app.ts"), "export const a = 2;\n");
  writeFileSync(join(folder, "package-lock.json"), '{ "lockfileVersion": 3 }\n');
  writeFileSync(join(folder, ".env"), "TOKEN=2\n");
  await runCommand(page, "Source Control: Focus on Changes View");
  await pointAtTitle(page);
  return workbench;
}

describe("the commit message in a real VS Code", () => {
  it("is written by the button into the box, and names the files that the agent did not get", async () => {
    const { page, errors } = await openOnRepository();
    await writeButton(page).click();
    await until(async () => (await boxText(page)).startsWith("Change 3 files"));
    await page
      .getByText(
        "The agent did not get the content of 2 files: .env (possible secrets), package-lock.json (lock file).",
      )
      .first()
      .waitFor();
    await writeButton(page).waitFor({ state: "attached" });
    assert.match(await boxText(page), /^Change 3 files\n\n- Change src\/app\.ts\n/);
    await screenshot(page, "commit-message");
    assert.deepEqual(errors, []);
  });

  it("goes into the box of the repository whose button was pressed, of several", async () => {
    const { page, folder, errors } = await openWorkbench({
      files: { "one/a.ts": "export const a = 1;\n", "two/b.ts": "export const b = 1;\n" },
      settings: { "git.enabled": true },
    });
    for (const file of ["one/a.ts", "two/b.ts"]) {
      commitAll(gitIn(join(folder, dirname(file))));
      writeFileSync(join(folder, file), "export const changed = 2;\n");
    }
    await runCommand(page, "Source Control: Focus on Changes View");
    const repository = view(page).locator(".scm-provider", { hasText: "two" });
    await repository.first().hover();
    await repository.getByRole("button", { name: "Write Commit Message" }).first().click();
    await until(async () => (await boxText(page)) === "Change b.ts");
    await screenshot(page, "commit-message-of-two");
    assert.deepEqual(errors, []);
  });

  describe("while the agent writes", () => {
    let base: string;
    let log: string;
    let page: Page;
    before(() => {
      base = mkdtempSync(join(tmpdir(), "parley-message-"));
      log = join(base, "agent.log");
    });
    after(() => rmSync(base, { recursive: true, force: true }));
    const cancels = (): number => readFileSync(log, "utf8").split('"cancelled"').length - 1;

    it("is cancelled by Escape and by its button, which show what was there before, and ends when the user types", async () => {
      const agent = inProject("test", "support", "agents", "messageAgent.mjs");
      const writer = { name: "Writer", command: process.execPath, args: [agent, log, "--waits"] };
      ({ page } = await openOnRepository({ "parley.agents": { demo: false, writer } }));
      const isWritten = (): Promise<boolean> => boxText(page).then(text => text === "Describe a part");
      const isHint = (): Promise<boolean> => boxText(page).then(text => text === "my hint");
      await box(page).click();
      await page.keyboard.type("my hint");
      await until(isHint);

      // By mouse.
      await pointAtTitle(page);
      await writeButton(page).click();
      await until(isWritten);
      await screenshot(page, "commit-message-writing");
      await page.keyboard.press("Escape");
      await until(isHint);
      await pointAtTitle(page);
      await until(() => cancels() === 1);

      await writeButton(page).click();
      await until(isWritten);
      await cancelButton(page).click();
      await until(isHint);
      await until(() => cancels() === 2);

      // By keyboard.
      await runCommand(page, "Parley: Write Commit Message");
      await until(isWritten);
      await page.keyboard.press("Escape");
      await until(isHint);
      await until(() => cancels() === 3);

      await runCommand(page, "Parley: Write Commit Message");
      await until(isWritten);
      // The description of the button that was pressed covers the box while the pointer is there.
      await page.mouse.move(900, 400);
      await page.locator(".hover-contents").waitFor({ state: "hidden" });
      await box(page).click();
      await page.keyboard.press("End");
      await page.keyboard.type(" of mine");
      await until(() => cancels() === 4);
      await until(async () => (await boxText(page)) === "Describe a part of mine");

      // Escape belongs to VS Code again, which clears the box.
      await page.keyboard.press("Escape");
      await until(async () => (await boxText(page)) === "");
    });
  });
});
