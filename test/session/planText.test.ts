// A plan as a Markdown document.
import assert from "node:assert/strict";
import { planText } from "../../src/session/conversation/planText.ts";

describe("the document of a plan", () => {
  it("has a line for each step, with its status and its priority if it is not the usual one", () => {
    const step = (content: string, status: string, priority = "medium") => ({ content, status, priority }) as const;
    const entries = [
      step("Read the code", "completed"),
      step("Write\n  a test", "in_progress", "high"),
      step("Ship", "pending", "low"),
      step("Rename", "cancelled"),
    ];
    assert.equal(
      planText({ entries }),
      "# Plan\n\n- [x] Read the code\n- [ ] Write a test _(in progress, high priority)_\n- [ ] Ship _(low priority)_\n" +
        "- [ ] Rename _(cancelled)_\n",
    );
  });

  it("is the text of the agent if the plan is one, and its address if it has only that", () => {
    assert.equal(planText({ entries: [], markdown: "# My plan\n\nText" }), "# My plan\n\nText");
    assert.equal(planText({ entries: [], uri: "file:///a b" }), "# Plan\n\n<file:///a%20b>\n");
  });
});
