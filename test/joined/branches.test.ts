// Edit, Retry and Branch from Here: the agent gets the conversation up to the message, and the earlier branch stays.
import assert from "node:assert/strict";
import { agentFile, openJoined, testAgent, useJoined, type JoinedWindow } from "./joinedPanel.ts";
import { chooseAction } from "./messageSteps.ts";

const lasting = (): object => testAgent("continuing.mjs", ["resumes", agentFile()], { name: "Lasting Agent" });
const withConversation = "Prompt 1 of this session, with the conversation.";

/** A window in which the agent has answered two prompts. */
async function answered(): Promise<JoinedWindow> {
  const window = await openJoined({ agents: { lasting: lasting() } });
  for (const [at, text] of ["one", "two"].entries()) {
    await window.send(text);
    await window.log.getByText(`Prompt ${at + 1} of this session.`, { exact: true }).waitFor();
  }
  await window.idle();
  return window;
}

describe("a branch of a conversation", () => {
  useJoined();

  it("Retry sends the prompt again with the conversation before it, and both branches can be switched to", async () => {
    const window = await answered();
    const origin = window.session.id;
    await chooseAction(window, "two", "Retry");
    await window.log.getByText(withConversation, { exact: true }).waitFor();
    assert.notEqual(window.session.id, origin);
    assert.equal(await window.prompt("one").count(), 1);
    assert.equal(await window.prompt("two").count(), 1);
    assert.equal(await window.log.getByText("Prompt 2 of this session.", { exact: true }).count(), 0);
    await window.log.getByText("2 of 2").waitFor();
    const branch = window.session.id;
    await window.log.getByRole("button", { name: "Previous Branch" }).click();
    await window.page.locator(`main[data-session="${origin}"]`).waitFor();
    await window.log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
    await window.log.getByText("1 of 2").waitFor();
    await window.log.getByRole("button", { name: "Next Branch" }).focus();
    await window.page.keyboard.press("Enter");
    await window.page.locator(`main[data-session="${branch}"]`).waitFor();
    assert.deepEqual(window.failures, []);
  });

  it("has the cost of its first turn at the turn and in its usage, and nothing of the turns that it copied", async () => {
    const costing = testAgent("continuing.mjs", ["resumes", agentFile(), "100"], { name: "Lasting Agent" });
    const window = await openJoined({ agents: { costing } });
    for (const text of ["one", "two"]) {
      await window.send(text);
      await window.prompt(text).waitFor();
      await window.idle();
    }
    const costs = (): readonly unknown[] => window.session.state.spending.turns.map(({ cost }) => cost?.amount);
    assert.deepEqual(costs(), [0.5, 0.5]);
    await chooseAction(window, "two", "Retry");
    await window.log.getByText(withConversation, { exact: true }).waitFor();
    await window.idle();
    assert.deepEqual(costs(), [0.5]);
    // One line is of the turn that was copied, the other one of the turn in the branch.
    assert.equal(await window.log.getByText(/\$0\.50/).count(), 2);
    assert.deepEqual(window.failures, []);
  });

  it("Edit sends the changed text by keyboard, leaves the draft in the composer, and Undo shows the earlier branch", async () => {
    const window = await answered();
    const origin = window.session.id;
    await window.composer.click();
    await window.page.keyboard.type("a draft");
    const message = window.log.locator("parley-message").filter({ hasText: "two" }).first();
    await message.getByRole("button", { name: "Edit Prompt" }).focus();
    await window.page.keyboard.press("Enter");
    await window.page.keyboard.type(" and a half");
    await window.page.keyboard.press("Enter");
    await window.prompt("two and a half").waitFor();
    await window.log.getByText(withConversation, { exact: true }).waitFor();
    assert.match(window.traffic("lasting"), /"text":"two and a half"/);
    await window.idle();
    await window.undoBranch();
    await window.page.locator(`main[data-session="${origin}"]`).waitFor();
    await window.prompt("two").waitFor();
    assert.equal(await window.composer.inputValue(), "a draft");
  });

  it("Branch from Here keeps the answer, and the next prompt goes on with the conversation", async () => {
    const window = await answered();
    await chooseAction(window, "Prompt 1 of this session.", "Branch from Here");
    await window.prompt("two").waitFor({ state: "detached" });
    await window.send("three");
    await window.log.getByText(withConversation, { exact: true }).waitFor();
    await window.log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
    assert.equal(await window.prompt("two").count(), 0);
    await window.log.getByText("2 of 2").waitFor();
  });

  it("Retry sends a prompt again whose turn failed, and the failed turn stays in the earlier branch", async () => {
    const failing = testAgent("bad.mjs", ["prompt-error"], { name: "Bad Agent" });
    const window = await openJoined({ agents: { failing } });
    const origin = window.session.id;
    const failure = window.log.getByText(/Bad Agent could not finish this turn: The model is overloaded\./);
    await window.send("one");
    await failure.waitFor();
    await window.idle();
    await chooseAction(window, "one", "Retry");
    await window.page.locator(`main[data-session]:not([data-session="${origin}"])`).waitFor();
    await window.log.getByText("2 of 2").waitFor();
    await failure.waitFor();
    await window.idle();
    const sent = window.traffic("failing").split("\n").filter(line => line.includes('"session/prompt"')); // prettier-ignore
    assert.equal(sent.filter(line => line.includes('"text":"one"')).length, 2);
    assert.equal(await window.prompt("one").count(), 1);
    await window.log.getByRole("button", { name: "Previous Branch" }).click();
    await window.page.locator(`main[data-session="${origin}"]`).waitFor();
    await failure.waitFor();
    assert.deepEqual(window.failures, []);
  });

  it("Retry stops a running turn first, and sends its prompt again, with a switch at the first message", async () => {
    const slow = testAgent("bad.mjs", ["cancel-error"], { name: "Bad Agent" });
    const window = await openJoined({ agents: { slow } });
    const origin = window.session;
    await window.send("one");
    await window.stop.waitFor();
    await window.send("waits");
    await window.page.getByText("waits", { exact: true }).waitFor();
    await chooseAction(window, "one", "Retry");
    await window.page.locator(`main[data-session]:not([data-session="${origin.id}"])`).waitFor();
    await window.log.getByText("2 of 2").waitFor();
    await window.stop.waitFor();
    assert.equal(origin.state.activity.state, "idle");
    assert.equal(origin.state.pendingPrompts.length, 1);
    assert.equal(window.session.state.pendingPrompts.filter(({ isSubmitted }) => !isSubmitted).length, 0);
    assert.deepEqual(window.failures, []);
  });
});
