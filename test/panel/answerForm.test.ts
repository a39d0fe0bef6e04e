// Which answers of a form are not sent, also by the patterns that only the extension host checks.
import assert from "node:assert/strict";
import { faultyFields } from "../../src/panel/form/answerForm.ts";
import type { Form } from "../../src/session/forms/form.ts";

const form: Form = {
  message: "Which ticket?",
  fields: [
    { type: "text", name: "id", title: "Ticket", required: true, pattern: "^[A-Z]+-\\d+$" },
    { type: "text", name: "note", title: "Note", required: false, pattern: "(a+)+$" },
    { type: "number", name: "n", title: "N", integer: true, required: false, maximum: 3 },
  ],
};
const faults = (answers: Record<string, string | number>): readonly string[] =>
  faultyFields(form, new Map(Object.entries(answers)));

describe("the answers of a form", () => {
  it("are faulty without a required one, outside of limits, and with another pattern", () => {
    assert.deepEqual(faults({}), ["id"]);
    assert.deepEqual(faults({ id: "AB-1" }), []);
    assert.deepEqual(faults({ id: "ab", n: 4 }), ["id", "n"]);
    assert.deepEqual(faults({ id: "AB-1", note: "", n: 3 }), []);
  });

  it("are sent if their pattern takes too long, because the agent then decides", () => {
    assert.deepEqual(faults({ id: "AB-1", note: `${"a".repeat(40)}!` }), []);
  });
});
