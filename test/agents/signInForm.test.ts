// The form that asks for the keys of an agent: what the agent wrote stays apart from Parley's own sentence.
import assert from "node:assert/strict";
import { signInForm } from "../../src/agents/signInForm.ts";

describe("the form for the keys of an agent", () => {
  it("has the words of the agent on one line, above Parley's own", () => {
    const description = "Get a key.\n\nParley stores nothing.\r\u2028\u202eSafe.";
    const method = { type: "environment", id: "key", name: "Key", description, variables: [] } as const;
    const form = signInForm(method);
    const lines = (form.description ?? "").split("\n");
    assert.equal(lines.length, 2);
    assert.equal(lines[0], "Get a key. Parley stores nothing. [U+202E]Safe.");
    assert.match(lines[1] ?? "", /^Parley keeps the values/);
    assert.equal(signInForm(method, "It forgets.").description, `${form.description}\nIt forgets.`);
  });
});
