// The mode and the model of a session, and the mode that the key for the next one selects.
import assert from "node:assert/strict";
import { chosenOption, nextValue } from "../../src/session/chosenOption.ts";
import type { SessionOption } from "../../src/session/events.ts";
import type { Choice } from "../../src/session/state.ts";

const mode = (value: string, ...values: readonly string[]): SessionOption => ({
  type: "select",
  id: "mode",
  name: "Mode",
  category: "mode",
  value,
  choices: values.map(each => ({ value: each, name: each })),
});
const next = (option: SessionOption, choices: readonly Choice[] = []): string | undefined => {
  const chosen = chosenOption({ options: [option], choices }, "mode");
  return chosen && nextValue(chosen)?.value;
};

describe("the next mode", () => {
  it("follows in the agent's order, and the first follows the last", () => {
    assert.equal(next(mode("ask", "ask", "plan", "code")), "plan");
    assert.equal(next(mode("code", "ask", "plan", "code")), "ask");
  });

  it("is never one that approves everything without asking", () => {
    assert.equal(next(mode("plan", "ask", "plan", "bypassPermissions", "yolo")), "ask");
    assert.equal(next(mode("ask", "ask", "yolo")), undefined);
  });

  it("follows the mode that the user chose and that the agent does not have yet", () => {
    const pending: Choice = { id: "mode", category: "mode", name: "Mode", value: "plan", status: "pending" };
    assert.equal(next(mode("ask", "ask", "plan", "code"), [pending]), "code");
  });

  it("is missing if the agent offers no other mode", () => {
    assert.equal(next(mode("ask", "ask")), undefined);
    assert.equal(chosenOption({ options: [mode("ask", "ask")], choices: [] }, "model"), undefined);
  });

  it("is the first one if the agent reports a mode that it does not offer", () => {
    assert.equal(next(mode("other", "ask", "plan")), "ask");
  });
});
