// A web address of an agent in the real VS Code, from the wire to the question of VS Code and back.
import assert from "node:assert/strict";
import { sharedWorkbench } from "./harness.ts";

const create = (params: object): object => ({
  request: { method: "elicitation/create", params: { sessionId: "$session", ...params } },
  as: "answer",
});
const url = "https://example.com/login?next=%2Ftickets%26all#start";
const complete = { jsonrpc: "2.0", method: "elicitation/complete", params: { elicitationId: "e1" } };
const scripts = {
  "url.json": JSON.stringify({
    steps: [
      create({ mode: "url", message: "Sign in to the tickets", elicitationId: "e1", url }),
      { echo: "answer" },
      { raw: JSON.stringify(complete) },
    ],
  }),
};

describe("a web address of an agent", () => {
  it("is opened exactly as it is shown, only after consent, and the card closes when the agent has completed it", async () => {
    const { page, panel, errors } = await sharedWorkbench(scripts);
    const log = panel.getByRole("log", { name: "Conversation" });
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script url.json");
    await composer.press("Enter");
    const card = panel.getByRole("form", { name: "Sign in to the tickets" });
    await card.getByText(url).waitFor();
    const dialog = page.getByRole("dialog").filter({ hasText: "external website" });
    assert.equal(await dialog.count(), 0);
    await card.getByRole("button", { name: "Open in Browser" }).click();
    // VS Code asks once more, and shows what it opens.
    await dialog.getByText(url).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await log.getByText('{"action":"accept"}').waitFor();
    await card.waitFor({ state: "hidden" });
    await log.getByText("Opened: Sign in to the tickets").waitFor();
    assert.deepEqual(errors, []);
  });
});
