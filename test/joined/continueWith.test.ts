// Continue With…: another agent gets the digest and the conversation in its prompt, and the two sessions are linked.
import assert from "node:assert/strict";
import { agentFile, openJoined, testAgent, useJoined } from "./joinedPanel.ts";

const lasting = (name: string): object => testAgent("continuing.mjs", ["resumes", agentFile()], { name });

/** The content of the last prompt that Parley sent in this traffic. */
function lastPrompt(traffic: string): readonly { readonly type: string; readonly text?: string }[] {
  const line = traffic.split("\n").findLast(each => each.includes('"session/prompt"')) ?? "";
  const found = /"prompt":(\[.*\])/.exec(line)?.[1];
  assert.ok(found, "a prompt was sent");
  return JSON.parse(found) as ReturnType<typeof lastPrompt>;
}

describe("a conversation that continues with another agent", () => {
  useJoined();

  it("is in the prompt of an agent that takes only text, as digest and conversation, and links both sessions", async () => {
    const agents = { first: lasting("First Agent"), second: lasting("Second Agent") };
    const window = await openJoined({ agents });
    const { log, page } = window;
    await window.send("remember the walrus");
    await log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
    await window.idle();
    const origin = window.session.id;
    await window.continueWith("second");
    await page.getByRole("button", { name: /^Remove Digest of / }).waitFor();
    await page.getByRole("button", { name: /^Remove Conversation / }).waitFor();
    const next = window.session.id;
    assert.equal(window.session.state.agent?.id, "second");
    await window.send("go on");
    await log.getByText("Prompt 1 of this session, with the conversation.", { exact: true }).waitFor();

    const prompt = lastPrompt(window.traffic("second"));
    assert.deepEqual(
      prompt.map(({ type }) => type),
      ["text", "text", "text"],
    );
    const texts = prompt.map(({ text }) => text ?? "");
    assert.equal(texts.filter(text => text === "go on").length, 1);
    assert.ok(texts.some(text => /digest of an earlier conversation[^]*## Task\n\n> remember the walrus/.test(text)));
    assert.ok(texts.some(text => /the conversation so far[^]*> Prompt 1 of this session\./.test(text)));

    await log.getByText("Continues “remember the walrus” (First Agent).").waitFor();
    await log.getByRole("button", { name: /^Show the session “/ }).click();
    await page.locator(`main[data-session="${origin}"]`).waitFor();
    await log.getByText("Continued in a new session with Second Agent.").waitFor();
    await log.getByRole("button", { name: "Show the new session" }).click();
    await page.locator(`main[data-session="${next}"]`).waitFor();
    assert.deepEqual(window.failures, []);
  });
});
