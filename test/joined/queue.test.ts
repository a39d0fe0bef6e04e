// The queue of prompts, by keyboard: a command of the agent is suggested, prompts wait while the agent works, and the user
// changes their text and order, stops the agent, and sends them one by one or together.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { demoAgent, openJoined, useJoined, type JoinedWindow } from "./joinedPanel.ts";

const button = ({ page }: JoinedWindow, name: string): Locator => page.getByRole("button", { name, exact: true });
const focused = ({ page }: JoinedWindow, control: Locator): Promise<void> =>
  control.and(page.locator(":focus")).waitFor();

/** Resolves when exactly these prompts wait, in this order. */
async function waiting({ page }: JoinedWindow, ...expected: readonly string[]): Promise<void> {
  const rows = page.getByRole("list", { name: "Queued messages" }).locator(".queue-text");
  for (const [at, text] of expected.entries()) await rows.nth(at).getByText(text, { exact: true }).waitFor();
  assert.deepEqual(await rows.allTextContents(), expected);
}

/** Chooses the command that runs the tests, which asks first. */
async function runTests(window: JoinedWindow): Promise<void> {
  await window.page.keyboard.type("/te");
  await window.page.getByRole("option", { name: /^\/test/ }).waitFor();
  await window.page.keyboard.press("Enter");
  await window.page.keyboard.press("Enter");
  await window.page.getByRole("group", { name: /^Run / }).waitFor();
}

/** The agent works on the second prompt, until the user answers its question. */
async function begin(window: JoinedWindow): Promise<void> {
  await window.send("hello");
  await window.log.getByText("Try one of these prompts").waitFor();
  await window.idle();
  await runTests(window);
}

/** The prompts of the user in the conversation. */
async function sentPrompts({ log }: JoinedWindow): Promise<readonly string[]> {
  const texts = await log.locator("parley-message[data-kind=user] .body").allTextContents();
  return texts.map(text => text.trim());
}

const files = { "package.json": JSON.stringify({ scripts: { test: "node --version" } }), "src/sum.js": "export {};\n" };

describe("the queue of prompts", () => {
  useJoined();

  it("waits while the agent asks, is edited and moved by keyboard, and is kept by a stop until the user sends it", async () => {
    const window = await openJoined({ agents: demoAgent, files });
    const { composer, page } = window;
    const { keyboard } = page;
    await begin(window);
    for (const text of ["explain src/sum.js", "what can you do"]) await window.send(text);
    await waiting(window, "explain src/sum.js", "what can you do");
    await keyboard.press("Shift+Tab");
    await focused(window, button(window, "Edit: explain src/sum.js"));
    await keyboard.press("Alt+ArrowDown");
    await waiting(window, "what can you do", "explain src/sum.js");
    await focused(window, button(window, "Edit: explain src/sum.js"));
    await keyboard.press("Enter");
    await focused(window, page.getByRole("textbox", { name: "Edit queued text" }));
    await keyboard.type(" please");
    await keyboard.press("Enter");
    await waiting(window, "what can you do", "explain src/sum.js please");

    await keyboard.press("Tab");
    await focused(window, composer);
    await keyboard.press("Escape");
    await window.idle();
    await page.getByText("Paused").waitFor();
    await waiting(window, "what can you do", "explain src/sum.js please");
    await keyboard.press("Shift+Tab");
    await focused(window, button(window, "Edit: explain src/sum.js please"));
    await keyboard.press("Home");
    await focused(window, button(window, "Resume"));
    // Each row has six buttons.
    for (let presses = 0; presses < 11; presses++) await keyboard.press("ArrowRight");
    await focused(window, button(window, "Send now: explain src/sum.js please"));
    await keyboard.press("Enter");
    await window.prompt("what can you do").waitFor({ state: "attached" });
    await window.idle();

    await composer.click();
    await runTests(window);
    await window.send("hello again");
    await waiting(window, "hello again");
    await keyboard.press("Escape");
    await page.getByText("Paused").waitFor();
    await button(window, "Resume").click();
    await page.getByText("Paused").waitFor({ state: "hidden" });
    await window.prompt("hello again").waitFor({ state: "attached" });
    await window.idle();
    assert.deepEqual(await sentPrompts(window), [
      ...["hello", "/test", "explain src/sum.js please", "what can you do", "/test", "hello again"],
    ]);
  });

  it("keeps a prompt on hold and those behind it, also after a reload, until the user sends or releases them", async () => {
    const window = await openJoined({ agents: demoAgent, files });
    const { page, log } = window;
    const { keyboard } = page;
    const onHold = page.getByRole("listitem").filter({ hasText: "On hold" });
    await begin(window);
    for (const text of ["hello again", "what can you do", "explain src/sum.js"]) await window.send(text);
    await page.getByText("what can you do", { exact: true }).hover();
    await button(window, "Hold: what can you do").click();
    await onHold.getByText("what can you do", { exact: true }).waitFor();
    await page
      .getByRole("group", { name: /^Run / })
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    // The prompt before it goes out. Nothing follows the end of that turn.
    await window.prompt("hello again").waitFor({ state: "attached" });
    await window.idle();
    await window.send("hello once more");
    await waiting(window, "what can you do", "explain src/sum.js", "hello once more");

    await window.reload();
    await waiting(window, "what can you do", "explain src/sum.js", "hello once more");
    await onHold.getByText("what can you do", { exact: true }).waitFor();
    // Resume connects to the agent again. The prompt is still on hold.
    await button(window, "Resume").click();
    await log.getByText(/^Demo Agent .* this conversation/).waitFor();
    await waiting(window, "what can you do", "explain src/sum.js", "hello once more");
    await button(window, "Send now: hello once more").click();
    await window.prompt("hello once more").waitFor({ state: "attached" });
    await window.idle();
    await waiting(window, "what can you do", "explain src/sum.js");

    await window.composer.focus();
    await keyboard.press("Shift+Tab");
    await keyboard.press("Home");
    await focused(window, button(window, "Edit: what can you do"));
    for (let presses = 0; presses < 3; presses++) await keyboard.press("ArrowRight");
    await focused(window, button(window, "Release: what can you do"));
    await keyboard.press("Enter");
    await window.prompt("explain src/sum.js").waitFor({ state: "attached" });
    await window.idle();
    assert.deepEqual(await sentPrompts(window), [
      ...["hello", "/test", "hello again", "hello once more", "what can you do", "explain src/sum.js"],
    ]);
  });

  it("sends a prompt on hold with Send Now, which stops the turn", async () => {
    const window = await openJoined({ agents: demoAgent, files });
    await begin(window);
    for (const text of ["hello again", "what can you do"]) await window.send(text);
    await window.page.getByText("what can you do", { exact: true }).hover();
    await button(window, "Hold: what can you do").click();
    await button(window, "Release: what can you do").waitFor();
    await button(window, "Send now: what can you do").click();
    await window.prompt("hello again").waitFor({ state: "attached" });
    await window.idle();
    assert.deepEqual(await sentPrompts(window), ["hello", "/test", "what can you do", "hello again"]);
  });
});
