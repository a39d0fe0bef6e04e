// Misbehaving agents in the real VS Code: each failure appears in the panel as a sentence with a next step, nothing is
// lost, and the panel stays usable.
import assert from "node:assert/strict";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { chooseAgent as choose, late, startless, withAgents, writeProgram } from "./agents.ts";
import { chat, openChat, reloadWindow, runCommand, screenshot, sharedWorkbench } from "./harness.ts";
import { scene } from "./scene.ts";

const composer = (panel: FrameLocator): Locator => panel.getByRole("textbox", { name: "Message" });
const conversation = (panel: FrameLocator): Locator => panel.getByRole("log", { name: "Conversation" });
const idle = (panel: FrameLocator): Promise<void> =>
  panel.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

async function send(panel: FrameLocator, text: string): Promise<void> {
  await composer(panel).fill(text);
  await composer(panel).press("Enter");
}

/** The agent takes longer than its limit. The user waits once more, then stops it. */
async function stopLate(page: Page, panel: FrameLocator, asks: string): Promise<void> {
  const status = panel.locator(".status-line");
  const late = status.getByText(asks);
  await late.waitFor();
  await scene(page, "agent-late");
  await status.getByRole("button", { name: "Keep Waiting" }).click();
  await late.waitFor({ state: "hidden" });
  await late.waitFor();
  await status.getByRole("button", { name: "Stop" }).click();
}

describe("an agent that does not start", () => {
  it("causes a message with a next step for every reason, and the panel stays usable", async () => {
    const { page, panel, errors } = await withAgents();
    for (const { id, late: asks, says, offers, scene: name } of startless) {
      await choose(panel, id);
      if (asks !== undefined) await stopLate(page, panel, asks);
      const banner = panel.getByRole("group", { name: "Problem" });
      await banner.getByText(says).waitFor();
      await banner.getByRole("button", { name: offers }).waitFor();
      await composer(panel).fill(`typed while ${id} is broken`);
      await scene(page, name);
      if (offers !== "Open Settings") continue;
      await banner.getByRole("button", { name: offers }).click();
      const settings = page.locator(".settings-editor");
      await settings.locator(".setting-item-contents", { hasText: "Parley: Agents" }).waitFor();
      await screenshot(page, "open-settings");
      await runCommand(page, "View: Close All Editors");
      await settings.waitFor({ state: "detached" });
    }
    await choose(panel, "none");
    await send(panel, "hello");
    await conversation(panel).getByText("You said: hello").waitFor();
    await panel
      .getByRole("img", { name: /^Context: 1,234 of 10,000 tokens used \(12%\)\. This turn: 1,200 input tokens, 34/ })
      .waitFor();
    assert.deepEqual(errors, []);
  });

  it("is checked by a button, and the report says what to do next and can be copied", async () => {
    const { page, panel, errors } = await withAgents();
    await choose(panel, "exit");
    await panel.getByRole("group", { name: "Problem" }).getByRole("button", { name: "Check Agent" }).click();
    const report = page.locator(".editor-instance .view-lines");
    await report.getByText("does not work").waitFor();
    await report.getByText("Read its last output, then restart it.").waitFor();
    await report.getByText("no licence found").first().waitFor();
    await screenshot(page, "agent-check");
    // An automated VS Code keeps its toasts in the notification list.
    await runCommand(page, "Notifications: Show Notifications");
    await page.locator(".notifications-center").getByRole("button", { name: "Copy Report" }).click();
    await runCommand(page, "View: Close All Editors");
    await report.waitFor({ state: "detached" });
    assert.deepEqual(errors, []);
  });

  it("starts after the user has signed in by a button of the card", async () => {
    const { panel, errors } = await withAgents();
    await choose(panel, "auth-required");
    const banner = panel.getByRole("group", { name: "Problem" });
    await banner.getByRole("button", { name: "Use a key" }).click();
    const form = panel.getByRole("form", { name: "Use a key" });
    await form.getByLabel("BAD_KEY").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await banner.getByRole("button", { name: "Log in", exact: true }).click();
    await banner.waitFor({ state: "hidden" });
    await send(panel, "hello");
    await conversation(panel).getByText("You said: hello").waitFor();
    assert.deepEqual(errors, []);
  });

  it("keeps the terminal of a sign-in that failed open until the user has read it", async () => {
    const { page, panel, errors } = await withAgents();
    await choose(panel, "auth-fails");
    const banner = panel.getByRole("group", { name: "Problem" });
    await banner.getByRole("button", { name: "Log in at the terminal" }).click();
    const terminal = page.locator(".terminal-outer-container .xterm-rows");
    await terminal.getByText("bad-agent: the code has expired").waitFor();
    await terminal.getByText("Press Enter to close this terminal.").waitFor();
    await banner.getByText("Signing in with “Log in at the terminal”…").waitFor();
    await screenshot(page, "sign-in-failed");
    await page.keyboard.press("Enter");
    await terminal.waitFor({ state: "detached" });
    const refusal = page.getByText("its sign-in program ended with code 1. Try again, or choose another way.");
    await refusal.first().waitFor();
    await banner.getByRole("button", { name: "Log in at the terminal" }).waitFor();
    await screenshot(page, "sign-in-refused");
    const unexpected = errors.filter(error => !error.startsWith("Bad Agent did not sign you in"));
    assert.deepEqual(unexpected, [], "VS Code doesn't report the program");
  });

  it("can be cancelled while Parley connects, at each step, and Retry or a prompt starts it again", async () => {
    const { page, panel, errors } = await withAgents();
    const banner = panel.getByRole("group", { name: "Problem" });
    const status = panel.locator(".status-line");
    const cancel = status.getByRole("button", { name: "Cancel" });
    for (const { id, words } of [
      { id: "connects-never", words: "Connecting to Bad Agent…" },
      { id: "session-never", words: "Opening the session…" },
    ]) {
      await choose(panel, id);
      await status.filter({ hasText: words }).getByText(/\d s$/).waitFor();
      await scene(page, id);
      await cancel.click();
      await banner.getByText("Connecting to Bad Agent was cancelled.").waitFor();
      await status.waitFor({ state: "hidden" });
      await banner.getByRole("button", { name: "Retry" }).click();
      await status.filter({ hasText: words }).waitFor();
      await cancel.press("Enter");
      await banner.getByText("Connecting to Bad Agent was cancelled.").waitFor();
      await send(panel, "start again");
      await status.filter({ hasText: words }).waitFor();
      await panel.getByRole("button", { name: "Remove from queue: start again" }).click();
    }
    await choose(panel, "none");
    await send(panel, "hello");
    await conversation(panel).getByText("You said: hello").waitFor();
    assert.deepEqual(errors, []);
  });

  it("starts with one button once its program exists, and the queued prompt is sent", async () => {
    const { panel } = await withAgents();
    await choose(panel, "late");
    const banner = panel.getByRole("group", { name: "Problem" });
    await banner.getByText(/there is no program at/).waitFor();
    await send(panel, "hello anyway");
    await panel.getByText("hello anyway").first().waitFor();
    writeProgram(late.command, "none");
    await banner.getByRole("button", { name: "Retry" }).click();
    await conversation(panel).getByText("You said: hello anyway").waitFor();
  });
});

describe("an agent that breaks while it works", () => {
  it("loses nothing and blocks nothing: banners, refusals, wrong types, two permission requests, its exit", async () => {
    const { page, panel, errors } = await withAgents();
    const log = conversation(panel);

    await choose(panel, "banner");
    await send(panel, "hi");
    await log.getByText("after the banner").waitFor();

    await choose(panel, "prompt-error");
    await send(panel, "do it");
    await log.getByText("Reconnecting 1/1").waitFor();
    await log.getByText(/Bad Agent could not finish this turn: The model is overloaded\./).waitFor();
    await log.getByRole("button", { name: "Retry" }).waitFor();
    await scene(page, "prompt-refused");
    await idle(panel);

    await choose(panel, "refusal");
    await send(panel, "do something else");
    await log.getByText(/^The agent declined to answer\. Your message and everything after it are no longer/).waitFor();
    await log.getByText("No longer part of the conversation", { exact: true }).waitFor();
    assert.equal(await log.locator("[data-excluded]").count(), 3);
    await scene(page, "refusal");

    await choose(panel, "wrong-types");
    await send(panel, "go");
    await log.getByText("still here").waitFor();
    await idle(panel);

    await choose(panel, "two-questions");
    await send(panel, "ask me");
    await panel.getByText("1 of 2").waitFor();
    await scene(page, "two-questions");
    await panel
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await panel.getByText("1 of 2").waitFor({ state: "hidden" });
    await panel
      .getByRole("button", { name: /^Reject/ })
      .first()
      .click();
    await log.getByText("allow then reject").waitFor();

    await choose(panel, "dies-with-question");
    await send(panel, "ask and die");
    await panel
      .getByRole("button", { name: /^Allow/ })
      .first()
      .click();
    await panel
      .getByText(/Bad Agent ended with code 1/)
      .first()
      .waitFor();
    await panel.getByRole("button", { name: /^Allow/ }).waitFor({ state: "hidden" });

    await choose(panel, "dies-in-turn");
    await send(panel, "work hard");
    const banner = panel.getByRole("group", { name: "Problem" });
    await banner.getByText(/Bad Agent ended with code 137/).waitFor();
    await log.getByText("I feel unwell").waitFor();
    const spoken = panel.locator(".speech");
    await spoken.getByText(/Bad Agent ended with code 137/).waitFor({ state: "attached" });
    assert.doesNotMatch(await spoken.innerText(), /finished/);
    await scene(page, "agent-died");
    const title = await panel.getByRole("heading", { name: /^Work of process/ }).innerText();
    const plan = panel.getByRole("region", { name: "Plan" });
    await plan.waitFor();
    await banner.getByRole("button", { name: "Restart Agent" }).click();
    await log.getByText(/no longer has this conversation in its context/).waitFor();
    await log.getByText("work hard", { exact: true }).waitFor();
    await panel.getByRole("heading", { name: title }).waitFor();
    await plan.waitFor({ state: "hidden" });
    await composer(panel).fill("still usable");
    assert.deepEqual(errors, []);
  });
});

describe("a turn that is interrupted", () => {
  it("offers to restart an agent that ignores Stop, and then sends the queue on request", async () => {
    const { page, panel, errors } = await withAgents();
    const log = conversation(panel);
    await choose(panel, "ignores-cancel");
    await send(panel, "work");
    await log.getByText("I do not stop").waitFor();
    await send(panel, "the next prompt");
    await composer(panel).press("Escape");
    await panel.locator(".status-line", { hasText: "Bad Agent has not stopped yet." }).waitFor();
    await scene(page, "stop-ignored");
    await panel.getByRole("button", { name: "Restart Agent" }).click();
    await log.getByText(/no longer has this conversation in its context/).waitFor();
    await idle(panel);
    await panel.getByRole("button", { name: "Resume" }).click();
    await log.getByRole("heading", { name: "You: the next prompt" }).waitFor({ state: "attached" });
    assert.deepEqual(errors, []);
  });

  it("shows what the agent does after its turn as background work, which Stop ends", async () => {
    const { page, panel, errors } = await withAgents();
    const log = conversation(panel);
    await choose(panel, "works-after-turn");
    await send(panel, "start the server");
    await log.getByText("The server has started.").waitFor();
    await panel.getByRole("group", { name: "Watch the server" }).getByRole("button", { name: "Reject" }).click();
    await panel.locator(".status-line", { hasText: "Working in the background…" }).waitFor();
    await scene(page, "background-work");
    await panel.getByRole("button", { name: "Stop" }).click();
    await log.getByText("I was cancelled.").waitFor();
    await idle(panel);
    assert.deepEqual(errors, []);
  });

  it("stops by Escape and by Parley: Stop during a permission request, which closes, and the turn ends", async () => {
    const { page, panel } = await sharedWorkbench();
    const allow = panel.getByRole("button", { name: /^Allow/ }).first();
    await send(panel, "run the tests");
    await allow.waitFor();
    await composer(panel).press("Escape");
    await allow.waitFor({ state: "hidden" });
    await idle(panel);
    const cancelled = conversation(panel).locator("[data-status=cancelled]");
    await cancelled.getByText(/^Run/).first().waitFor();
    await send(panel, "run the tests");
    await allow.waitFor();
    await runCommand(page, "Parley: Stop");
    await allow.waitFor({ state: "hidden" });
    await idle(panel);
  });

  it("loses nothing on a window reload: the transcript is restored and reports the interrupted turn", async () => {
    const { page, panel } = await sharedWorkbench();
    await send(panel, "run the tests");
    await panel
      .getByRole("button", { name: /^Allow/ })
      .first()
      .waitFor();
    await reloadWindow(page);
    // The chat opens by itself.
    await chat(page).locator("body").waitFor();
    const restored = await openChat(page);
    const log = conversation(restored);
    await log.getByText("run the tests", { exact: true }).waitFor();
    await log.getByText(/The window was closed or reloaded while Demo Agent was working/).waitFor();
    await scene(page, "reloaded");
    await send(restored, "hello");
    await log.getByText(/no longer has this conversation in its context/).waitFor();
    await idle(restored);
  });
});
