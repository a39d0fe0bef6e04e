// A conversation after a reload of the window, with agents that continue it in each way. The prompt is sent at once.
import assert from "node:assert/strict";
import { chooseAgent, withAgents } from "./agents.ts";
import { chat, openChat, reloadWindow, screenshot } from "./harness.ts";

describe("a conversation after a reload", () => {
  for (const [id, notice, answer] of [
    ["resumes", "Lasting Agent resumed this conversation.", "Prompt 3 of this session."],
    ["loads", "Lasting Agent loaded this conversation.", "Prompt 3 of this session."],
    [
      "forgets",
      "Lasting Agent no longer has this conversation in its context. Parley attaches it to your next prompt.",
      "Prompt 1 of this session, with the conversation.",
    ],
  ] as const) {
    it(`continues with an agent that ${id} it, and has each message once`, async () => {
      const { page, panel } = await withAgents();
      const log = panel.getByRole("log", { name: "Conversation" });
      const send = async (text: string): Promise<void> => {
        const composer = panel.getByRole("textbox", { name: "Message" });
        await composer.fill(text);
        await composer.press("Enter");
      };
      await chooseAgent(panel, id);
      await send("one");
      await log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
      await send("two");
      await log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
      await reloadWindow(page);
      await chat(page).locator("body").waitFor();
      await openChat(page);
      await log.getByText("Prompt 2 of this session.", { exact: true }).waitFor();
      await send("three");
      await log.getByText(answer, { exact: true }).last().waitFor();
      await log.getByText(notice, { exact: true }).waitFor();
      await screenshot(page, `continued-${id}`);
      for (const text of ["one", "two", "three"])
        assert.equal(await log.getByRole("heading", { name: `You: ${text}`, exact: true }).count(), 1, text);
      assert.equal(await log.getByText(/^Prompt \d of this session/).count(), 3);
    });
  }
});

describe("a session that the agent no longer has", () => {
  it("is replaced by a new one when a prompt fails, and Retry sends the prompt with the conversation", async () => {
    const { page, panel } = await withAgents();
    const log = panel.getByRole("log", { name: "Conversation" });
    const composer = panel.getByRole("textbox", { name: "Message" });
    await chooseAgent(panel, "expires");
    await composer.fill("one");
    await composer.press("Enter");
    await log.getByText("Prompt 1 of this session.", { exact: true }).waitFor();
    await composer.fill("two");
    await composer.press("Enter");
    await log.getByText(/Lasting Agent could not finish this turn: Session not found/).waitFor();
    await log.getByText(/^Lasting Agent no longer has this conversation in its context/).waitFor();
    await screenshot(page, "session-gone");
    await log.getByRole("button", { name: "Retry" }).click();
    await log.getByText("Prompt 1 of this session, with the conversation.", { exact: true }).waitFor();
  });
});
