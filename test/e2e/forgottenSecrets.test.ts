// Secrets that VS Code keeps, and those that it forgets: what the real window says about it at the next start, where the
// user enters a secret, and in the report of a problem.
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { keepsSecrets, openChat, openWorkbench, reloadWindow, runCommand, screenshot } from "./harness.ts";
import { whenStored } from "./whenStored.ts";

const note = "VS Code has forgotten the secrets of its last start, so you may have to enter this again.";

/** The input for the value of a header, after that for its name. */
async function openHeader(page: Page): Promise<void> {
  await runCommand(page, "Parley: Set Header of Agent");
  const input = page.locator(".quick-input-widget");
  await input.getByText("The name of the header").waitFor();
  await page.keyboard.press("Enter");
  await input.getByText(/^The value of Authorization/).waitFor();
}

/** Waits until the report of a problem has the line. */
async function reports(page: Page, line: string): Promise<void> {
  await runCommand(page, "Parley: Report a Problem");
  const check = page.locator(".quick-input-widget .monaco-list-row", { hasText: "Check of" });
  await check.click();
  await page.keyboard.press("Enter");
  await page.locator(".editor-instance .view-line", { hasText: "# Problem with Parley" }).first().waitFor();
  await page.locator(".editor-instance .view-line", { hasText: line }).first().waitFor();
  await runCommand(page, "View: Revert and Close Editor");
}

describe("the secret storage of VS Code", () => {
  it("is watched from the first secret on, and the user learns that it forgets", async function () {
    if (!keepsSecrets) this.skip();
    const { page } = await openWorkbench({
      settings: { "parley.agents": { team: { name: "Team Agent", url: "ws://127.0.0.1:9/acp" } } },
    });
    await openChat(page);
    await reports(page, "Secret storage: not checked");
    await openHeader(page);
    assert.equal(await page.locator(".quick-input-widget").getByText(note).count(), 0);
    // Keys that come before the box has the focus are lost.
    const value = page.locator(".quick-input-widget input").first();
    await value.fill("Bearer tk-0123456789");
    assert.equal(await value.inputValue(), "Bearer tk-0123456789");
    await value.press("Enter");
    await page.locator(".quick-input-widget").waitFor({ state: "hidden" });

    await whenStored(page, "parley.canaryWritten");
    await reloadWindow(page);
    await openChat(page);
    await reports(page, "Secret storage: keeps its values");

    // As a VS Code without a keyring.
    const forgotten = await page.evaluate(() => {
      const keys = Object.keys(localStorage).filter(key => key.startsWith("secrets."));
      for (const key of keys) localStorage.removeItem(key);
      return keys.length;
    });
    assert.equal(forgotten, 1);
    await reloadWindow(page);
    await openChat(page);
    await page
      .getByText(/VS Code has forgotten the keys, values and sign-ins/)
      .first()
      .waitFor({ state: "attached" });
    await runCommand(page, "Notifications: Show Notifications");
    await screenshot(page, "forgotten-secrets");
    await runCommand(page, "Notifications: Clear All Notifications");
    await reports(page, "Secret storage: has forgotten its values");
    await openHeader(page);
    await page.locator(".quick-input-widget").getByText(note).waitFor();
    await screenshot(page, "forgotten-header");
    await page.keyboard.press("Escape");
  });
});
