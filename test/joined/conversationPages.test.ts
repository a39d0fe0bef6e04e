// A conversation that is too long for a prompt: the next agent session reads its pages through the client, without a
// question, and no other file of Parley.
import assert from "node:assert/strict";
import { openJoined, testAgent, useJoined, type JoinedWindow } from "./joinedPanel.ts";

const reader = (name: string): object => testAgent("pageReader.mjs", [], { name });

/** A window with a conversation of 150,000 characters. */
async function longConversation(): Promise<JoinedWindow> {
  const window = await openJoined({ agents: { first: reader("First Agent"), second: reader("Second Agent") } });
  for (const at of [1, 2, 3]) {
    await window.send(`question ${at}`);
    await window.log.getByText(`Answer ${at} ends.`).waitFor();
    await window.idle();
  }
  return window;
}

/** The agent has read the page without a question, and the other file only if the user allows it. */
async function assertOnlyPageIsRead(window: JoinedWindow, read: RegExp): Promise<void> {
  await window.log.getByText(read).waitFor();
  await window.page.getByRole("button", { name: "Refuse" }).click();
  await window.log.getByText(/The other file: error: The user did not allow this/).waitFor();
  await window.idle();
  assert.deepEqual(window.failures, []);
}

describe("a conversation that is too long for a prompt", () => {
  useJoined();

  it("is read by the agent that continues it, as pages that the digest names", async () => {
    const window = await longConversation();
    await window.continueWith("second");
    await window.page.getByRole("button", { name: /^Remove Conversation / }).waitFor();
    await window.send("go on");
    await assertOnlyPageIsRead(window, /I read page 2 of 4 with Walrus 1/);
    const traffic = window.traffic("second");
    assert.match(traffic, /## The whole conversation[^]*earlier-conversation-page-1-of-4\.md/);
    assert.match(traffic, /Earlier messages are left out[^]*earlier-conversation-page-4-of-4\.md/);
  });

  it("is read by the agent after Retry, in a new session of the agent", async () => {
    const window = await longConversation();
    const message = window.log.locator("parley-message").filter({ hasText: "question 3" }).first();
    await message.hover();
    await message.getByRole("button", { name: "Message Actions" }).click();
    await message.getByRole("menuitem", { name: "Retry" }).click();
    // Before the third question, the conversation has two answers.
    await assertOnlyPageIsRead(window, /I read page 2 of 3 with Walrus 1/);
  });
});
