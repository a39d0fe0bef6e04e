// Forms and web addresses of an agent, from the wire to the conversation and back.
import assert from "node:assert/strict";
import { demoAgent, openJoined, useJoined } from "./joinedPanel.ts";

const requestedSchema = {
  type: "object",
  properties: {
    question_0: {
      type: "string",
      title: "Colour",
      oneOf: [
        { const: "red", title: "Red", description: "Warm" },
        { const: "blue", title: "Blue" },
      ],
    },
    question_0_custom: { type: "string", title: "Other", description: "Type your own answer." },
    size: { type: "integer", title: "Size", minimum: 1 },
  },
  required: ["question_0", "size"],
};
const create = (params: object): object => ({
  request: { method: "elicitation/create", params: { sessionId: "$session", ...params } },
  as: "answer",
});
const url = "https://example.com/login?next=%2Ftickets%26all#start";
const complete = { jsonrpc: "2.0", method: "elicitation/complete", params: { elicitationId: "e1" } };
const ship = { properties: { hull: { type: "ship" } }, required: ["hull"] };
const script = (...steps: readonly object[]): string => JSON.stringify({ steps });

describe("a form of an agent", () => {
  useJoined();

  it("is answered, reaches the agent, and is still shown after a reload without its free text", async () => {
    const form = create({ mode: "form", message: "Which colour?", requestedSchema });
    const window = await openJoined({
      agents: demoAgent,
      files: { "form.json": script(form, { echo: "answer" }) },
    });
    const { page, log } = window;
    await window.send("#script form.json");
    const card = page.getByRole("form", { name: "Which colour?" });
    await card.getByRole("textbox", { name: "Size (required)" }).fill("3");
    await card.getByRole("button", { name: "Send" }).click();
    await card.getByText("An answer is required.").waitFor();
    await card.getByRole("radio", { name: /Blue/ }).check();
    await card.getByRole("textbox", { name: "Other" }).fill("a private note");
    await card.getByRole("button", { name: "Send" }).click();
    const answer = log.getByText('"action":"accept"');
    await answer.waitFor();
    const echoed = (await answer.innerText()).replace(/\s/g, "");
    for (const part of ['"question_0":"blue"', '"question_0_custom":"aprivatenote"', '"size":3'])
      assert.ok(echoed.includes(part), `${part} in ${echoed}`);
    await log.getByText("Answered: Which colour?").waitFor();
    await window.idle();

    await window.reload();
    await log.getByText("Answered: Which colour?").waitFor();
    await log.getByText(/Colour: Blue/).waitFor();
    await log.getByText(/Other: answered/).waitFor();
  });

  it("that Parley cannot show is declined, with the reason", async () => {
    const form = create({ mode: "form", message: "Which ship?", requestedSchema: ship });
    const window = await openJoined({
      agents: demoAgent,
      files: { "unknown.json": script(form, { echo: "answer" }) },
    });
    const { log } = window;
    await window.send("#script unknown.json");
    await log.getByText("Declined: Which ship?").waitFor();
    await log.getByText(/requires “hull”, and Parley does not know its type/).waitFor();
    await log.getByText('"action":"decline"').waitFor();
  });
});

describe("a web address of an agent", () => {
  useJoined();

  it("is opened only after consent, and the card closes when the agent has completed it", async () => {
    const address = create({ mode: "url", message: "Sign in to the tickets", elicitationId: "e1", url });
    const window = await openJoined({
      agents: demoAgent,
      files: { "url.json": script(address, { echo: "answer" }, { raw: JSON.stringify(complete) }) },
    });
    const { page, log } = window;
    await window.send("#script url.json");
    const card = page.getByRole("form", { name: "Sign in to the tickets" });
    await card.getByText(url).waitFor();
    assert.deepEqual(window.commands, []);
    await card.getByRole("button", { name: "Open in Browser" }).click();
    await window.asked(`openAddress ${url}`);
    await log.getByText('{"action":"accept"}').waitFor();
    await card.waitFor({ state: "hidden" });
    await log.getByText("Opened: Sign in to the tickets").waitFor();
  });
});
