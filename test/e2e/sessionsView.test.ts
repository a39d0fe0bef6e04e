// The Sessions view as a person uses it: groups, the badge, and a click that leads to a waiting session.
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { until } from "../support/fakes/until.ts";
import { openChat, openWorkbench, runCommand, screenshot } from "./harness.ts";

const pane = (page: Page): Locator =>
  page.locator(".pane", { has: page.locator(".pane-header", { hasText: "Sessions" }) });
const rows = (page: Page): Locator => pane(page).locator(".monaco-list-row");

describe("the Sessions view in a real VS Code", () => {
  it("groups the sessions, counts those that wait, and shows a session with a click or by keyboard", async () => {
    const { page } = await openWorkbench();
    const panel = await openChat(page);
    const composer = panel.getByRole("textbox", { name: "Message" });
    const session = (): Promise<string | null> => panel.locator("main[data-session]").getAttribute("data-session");
    await composer.fill("hello");
    await composer.press("Enter");
    await panel.getByRole("heading", { name: "You: hello" }).waitFor();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    const first = await session();

    await runCommand(page, "Parley: New Session");
    await panel.locator(`main[data-session]:not([data-session="${first}"])`).waitFor();
    await composer.fill("run the tests");
    await composer.press("Enter");
    const question = panel.getByRole("group", { name: /^Run / });
    await question.waitFor();

    await pane(page).locator(".pane-header").click();
    const list = async (): Promise<readonly string[]> => {
      const texts = await rows(page).allInnerTexts();
      return texts.map(text => text.replace(/\s+/g, " ").trim());
    };
    await until(async () => (await list()).length === 4);
    const [waiting = "", second = "", today = "", idle = ""] = await list();
    assert.match(waiting, /^Waiting for You ?1$/);
    assert.match(second, /^Run the tests ?now · Demo Agent$/);
    assert.match(today, /^Today ?1$/);
    assert.match(idle, /^What the demo agent can do ?now · Demo Agent$/);
    await screenshot(page, "sessions-view");

    await rows(page).filter({ hasText: "What the demo agent can do" }).click();
    await panel.getByRole("heading", { name: "You: hello" }).waitFor();
    await page.getByRole("tab", { name: /Parley.*A session is waiting for you/ }).waitFor();
    await screenshot(page, "sessions-view-badge");
    await runCommand(page, "Parley: Focus on Sessions View");
    await pane(page).locator(".monaco-list:focus").waitFor();
    const focused = pane(page).locator(".monaco-list-row.focused");
    // The list can be rendered again between two keys, which then has no effect.
    await until(async () => {
      for (const key of ["Home", "ArrowDown"]) await page.keyboard.press(key);
      return (await focused.filter({ hasText: "Run the tests" }).count()) === 1;
    });
    await page.keyboard.press("Enter");
    await question.waitFor();
    await question
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    await until(async () => !(await list()).some(text => text.startsWith("Waiting")));
  });
});
