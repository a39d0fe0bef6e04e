// A form and a web address of an agent in the real VS Code, from the wire to the conversation and back.
import assert from "node:assert/strict";
import { reloadWindow, sharedWorkbench } from "./harness.ts";

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
const form = (extra: object = {}): readonly object[] => [
  create({ mode: "form", message: "Which colour?", requestedSchema, ...extra }),
  { echo: "answer" },
];
const url = "https://example.com/login?next=%2Ftickets%26all#start";
const complete = { jsonrpc: "2.0", method: "elicitation/complete", params: { elicitationId: "e1" } };
const ship = { properties: { hull: { type: "ship" } }, required: ["hull"] };
const scripts = {
  "url.json": JSON.stringify({
    steps: [
      create({ mode: "url", message: "Sign in to the tickets", elicitationId: "e1", url }),
      { echo: "answer" },
      { raw: JSON.stringify(complete) },
    ],
  }),
  "form.json": JSON.stringify({ steps: form() }),
  "unknown.json": JSON.stringify({ steps: form({ message: "Which ship?", requestedSchema: ship }) }),
};

describe("a form of an agent", () => {
  it("is answered, reaches the agent, and is still shown after a reload without its free text", async () => {
    const { page, panel, errors } = await sharedWorkbench(scripts);
    const log = panel.getByRole("log", { name: "Conversation" });
    const composer = panel.getByRole("textbox", { name: "Message" });
    await composer.fill("#script form.json");
    await composer.press("Enter");
    const card = panel.getByRole("form", { name: "Which colour?" });
    await card.getByRole("textbox", { name: "Size (required)" }).fill("3");
    await card.getByRole("button", { name: "Send" }).click();
    await card.getByText("An answer is required.").waitFor();
    await card.getByRole("radio", { name: /Blue/ }).check();
    await card.getByRole("textbox", { name: "Other" }).fill("a private note");
    await card.getByRole("button", { name: "Send" }).click();
    const answer = '"action":"accept"';
    await log.getByText(answer).waitFor();
    const echoed = (await log.getByText(answer).innerText()).replace(/\s/g, "");
    for (const part of ['"question_0":"blue"', '"question_0_custom":"aprivatenote"', '"size":3'])
      assert.ok(echoed.includes(part), `${part} in ${echoed}`);
    await log.getByText("Answered: Which colour?").waitFor();

    await composer.fill("#script unknown.json");
    await composer.press("Enter");
    await log.getByText("Declined: Which ship?").waitFor();
    await log.getByText(/requires “hull”, and Parley does not know its type/).waitFor();
    await log.getByText('"action":"decline"').waitFor();

    assert.deepEqual(errors, []);

    await reloadWindow(page);
    await log.getByText("Answered: Which colour?").waitFor();
    await log.getByText(/Colour: Blue/).waitFor();
    await log.getByText(/Other: answered/).waitFor();
  });
});

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
