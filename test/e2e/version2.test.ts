// An agent of version 2 of the protocol, built on the official SDK, in the real VS Code.
import assert from "node:assert/strict";
import type { FrameLocator, Locator } from "playwright-core";
import { chooseAgent, withAgents } from "./agents.ts";
import { chat, openChat, reloadWindow, runCommand, screenshot, type Workbench } from "./harness.ts";

async function send(panel: FrameLocator, text: string): Promise<void> {
  const composer = panel.getByRole("textbox", { name: "Message" });
  await composer.fill(text);
  await composer.press("Enter");
}
/** The window with the agent of this id in a new session. */
async function start(id = "version-two"): Promise<Workbench & { readonly panel: FrameLocator; readonly log: Locator }> {
  const opened = await withAgents();
  await chooseAgent(opened.panel, id);
  return { ...opened, log: opened.panel.getByRole("log", { name: "Conversation" }) };
}

/** Sends `hello`, and waits for the end of the turn. */
async function greet(panel: FrameLocator, log: Locator): Promise<void> {
  await send(panel, "hello");
  await log.getByText("You said: hello", { exact: true }).waitFor();
  await idle(panel);
}

const idle = (panel: FrameLocator): Promise<void> =>
  panel.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "hidden" });

describe("an agent of version 2", () => {
  it("answers, streams a terminal, asks by subject, works in the background, takes a prompt while it works, and is stopped", async () => {
    const { page, panel, log, errors } = await start();
    await greet(panel, log);
    assert.equal(await log.getByRole("heading", { name: "You: hello" }).count(), 1);

    await send(panel, "use the tool");
    await log.getByText("The checks pass.").waitFor();
    const card = log.getByRole("article", { name: "Run the checks" });
    await card.getByRole("button", { expanded: false }).click();
    await card.getByText("2 passing ✔").waitFor();
    await idle(panel);

    await send(panel, "permission please");
    const ask = panel.getByRole("group", { name: /Publish the package/ });
    await ask.getByText("It can't be taken back.").waitFor();
    await ask.getByText("npm publish").first().waitFor();
    await screenshot(page, "version2-question");
    await ask.getByRole("button", { name: "Allow" }).click();
    await log.getByText("You decided: yes.").waitFor();
    await idle(panel);

    await send(panel, "work in the background");
    await log.getByText("It is being served.").waitFor();
    await panel.getByText("Working in the background…").waitFor();
    await screenshot(page, "version2-background");
    await runCommand(page, "Parley: Restart Agent");
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/The agent still works in the background of/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await log.getByRole("button", { name: "Stop Serve the site" }).click();
    await panel.getByText("Working in the background…").waitFor({ state: "hidden" });
    await log.getByRole("article", { name: "Serve the site" }).getByText("Cancelled").waitFor();

    await send(panel, "steer me");
    await panel.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await send(panel, "and this");
    await panel.getByRole("button", { name: "Send while running: and this" }).click();
    await log.getByText("Also: and this").waitFor();
    await idle(panel);

    await send(panel, "hold this");
    await panel.getByRole("button", { name: "Stop", exact: true }).click();
    await panel.getByRole("button", { name: "Edit: hold this" }).waitFor();
    await panel.getByText("Paused").waitFor();
    await idle(panel);
    await panel.getByRole("button", { name: "Remove from queue: hold this" }).click();
    assert.deepEqual(errors, []);
  });

  it("asks before its background work ends with a session that is deleted: Cancel keeps both", async () => {
    const { page, panel, log, errors } = await start();
    await send(panel, "serve in the background");
    await log.getByText("It is being served.").waitFor();
    await panel.getByText("Working in the background…").waitFor();
    const prompt = (text: string): Locator => log.getByRole("heading", { name: `You: ${text}`, exact: true });
    const dialog = page.getByRole("dialog");
    const question =
      /The agent still works in the background of “serve in the background”\. This work will be stopped\./;

    await runCommand(page, "Parley: Delete Session");
    await dialog.getByText(question).waitFor();
    await screenshot(page, "version2-delete");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    await panel.getByText("Working in the background…").waitFor();
    await log.getByRole("button", { name: "Stop Serve the site" }).waitFor();

    await runCommand(page, "Parley: Delete Session");
    await dialog.getByText(question).waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await prompt("serve in the background").waitFor({ state: "detached" });
    await panel.getByText("Working in the background…").waitFor({ state: "hidden" });
    await runCommand(page, "Notifications: Clear All Notifications");

    // Without background work, Parley does not ask.
    await start();
    await send(panel, "goodbye");
    await log.getByText("You said: goodbye").waitFor();
    await idle(panel);
    await runCommand(page, "Parley: Delete Session");
    await prompt("goodbye").waitFor({ state: "detached" });
    assert.equal(await dialog.filter({ hasText: /still works in the background/ }).count(), 0);
    await runCommand(page, "Notifications: Clear All Notifications");
    assert.deepEqual(errors, []);
  });

  it("that can use only MCP servers that are programs gets only those", async () => {
    const { panel, log, errors } = await start();
    await send(panel, "name the servers");
    await log.getByText("Servers: tools (stdio)", { exact: true }).waitFor();
    await idle(panel);
    assert.deepEqual(errors, []);
  });

  it("that sends what Parley does not know is shown with it, and its turn goes on", async () => {
    const { page, panel, log, errors } = await start();
    await send(panel, "tell the future");
    await log.getByText("It may rain.").waitFor();
    await log.getByText("The agent sent something that Parley does not know: weather_update").waitFor();
    await screenshot(page, "version2-unknown");
    await idle(panel);
    assert.deepEqual(errors, []);
  });

  it("that no longer has the session gets the conversation in a new one, when the user presses Retry", async () => {
    const { page, panel, log, errors } = await start();
    await greet(panel, log);
    await send(panel, "forget me");
    await log.getByText(/SDK Agent 2 did not accept this message: Session not found/).waitFor();
    await log.getByText(/^SDK Agent 2 no longer has this conversation in its context/).waitFor();
    await screenshot(page, "version2-session-gone");
    await log.getByRole("button", { name: "Retry" }).click();
    await log.getByText("You said: forget me").waitFor();
    await log.getByText("This is the conversation so far").waitFor();
    await idle(panel);
    assert.deepEqual(errors, []);
  });

  it("finishes an answer while the window reloads, and repeats what the conversation lacks", async () => {
    const { page, panel, log } = await start();
    await greet(panel, log);
    await send(panel, "be slow");
    await log.getByText("Half of the answer.").waitFor();
    await reloadWindow(page);
    await chat(page).locator("body").waitFor();
    await openChat(page);
    await log.getByText("Half of the answer.").waitFor();
    await send(panel, "go on");
    await log.getByText("You said: go on").waitFor();
    await log.getByText("SDK Agent 2 loaded this conversation.").waitFor();
    await screenshot(page, "version2-replay");
    for (const text of ["hello", "be slow", "go on"])
      assert.equal(await log.getByRole("heading", { name: `You: ${text}`, exact: true }).count(), 1, text);
    for (const text of ["You said: hello", "Half of the answer.", "The other half."])
      assert.equal(await log.getByText(text, { exact: true }).count(), 1, text);
  });

  it("is spoken to in version 2 after the user has switched it on", async () => {
    const { panel, log, errors } = await start("only-version-two");
    const problem = panel.getByRole("group", { name: "Problem" });
    await problem
      .getByText(/Agent of Version 2 needs version 2 of the Agent Client Protocol, which is a draft/)
      .waitFor();
    await panel.getByRole("button", { name: "Use Version 2" }).click();
    await greet(panel, log);
    assert.deepEqual(errors, []);
  });
});
