// A conversation after a reload of the window, with agents that continue it in each way. The prompt is sent at once.
import assert from "node:assert/strict";
import { agentFile, openJoined, testAgent, useJoined, type JoinedWindow } from "./joinedPanel.ts";

const open = (behaviour: string): Promise<JoinedWindow> => {
  const lasting = testAgent("continuing.mjs", [behaviour, agentFile()], { name: "Lasting Agent" });
  return openJoined({ agents: { lasting } });
};

describe("a conversation with an agent that keeps sessions", () => {
  useJoined();

  for (const [behaviour, notice, answer] of [
    ["resumes", "Lasting Agent resumed this conversation.", "Prompt 3 of this session."],
    ["loads", "Lasting Agent loaded this conversation.", "Prompt 3 of this session."],
    [
      "forgets",
      "Lasting Agent no longer has this conversation in its context. Parley attaches it to your next prompt.",
      "Prompt 1 of this session, with the conversation.",
    ],
  ] as const) {
    it(`continues after a reload with an agent that ${behaviour} it, and has each message once`, async () => {
      const window = await open(behaviour);
      const { log } = window;
      for (const [at, text] of ["one", "two"].entries()) {
        await window.send(text);
        await log.getByText(`Prompt ${at + 1} of this session.`, { exact: true }).waitFor();
      }
      await window.reload();
      await log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
      await window.send("three");
      await log.getByText(answer, { exact: true }).last().waitFor();
      await log.getByText(notice, { exact: true }).waitFor();
      for (const text of ["one", "two", "three"]) assert.equal(await window.prompt(text).count(), 1, text);
      assert.equal(await log.getByText(/^Prompt \d of this session/).count(), 3);
    });
  }

  it("gets a new session when the agent no longer has it and a prompt fails, and Retry sends the prompt with the conversation", async () => {
    const window = await open("expires");
    const { log } = window;
    await window.send("one");
    await log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
    await window.send("two");
    await log.getByText(/Lasting Agent could not finish this turn: Session not found/).waitFor();
    await log.getByText(/^Lasting Agent no longer has this conversation in its context/).waitFor();
    await log.getByRole("button", { name: "Retry" }).click();
    await log.getByText("Prompt 1 of this session, with the conversation.", { exact: true }).waitFor();
  });
});
