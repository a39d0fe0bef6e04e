// Which answers of a form are not sent, also by the patterns that only the extension host checks.
import assert from "node:assert/strict";
import { heldFields } from "../../src/panel/form/answerForm.ts";
import { PatternChecker } from "../../src/panel/form/patternMatch.ts";
import type { Form, FormValue, HeldFields } from "../../src/session/forms/form.ts";
import { patientPatterns } from "../support/fakes/patientPatterns.ts";

const form: Form = {
  message: "Which ticket?",
  fields: [
    { type: "text", name: "id", title: "Ticket", required: true, pattern: "^[A-Z]+-\\d+$" },
    { type: "text", name: "note", title: "Note", required: false, pattern: "(a+)+$" },
    { type: "number", name: "n", title: "N", integer: true, required: false, maximum: 3 },
  ],
};
const held = (answers: Record<string, string | number>, confirmed: readonly string[] = []): HeldFields | undefined =>
  heldFields(form, new Map(Object.entries(answers)), confirmed, patientPatterns());

describe("the answers of a form", () => {
  it("are faulty without a required one, outside of limits, and with another pattern", () => {
    assert.deepEqual(held({}), { faulty: ["id"], unchecked: [] });
    assert.equal(held({ id: "AB-1" }), undefined);
    assert.deepEqual(held({ id: "ab", n: 4 }), { faulty: ["id", "n"], unchecked: [] });
    assert.equal(held({ id: "AB-1", note: "", n: 3 }), undefined);
  });

  it("are sent without the check of a pattern that takes too long only after the user has seen that", () => {
    const slow = { id: "AB-1", note: `${"a".repeat(40)}!` };
    assert.deepEqual(held(slow), { faulty: [], unchecked: ["note"] });
    assert.equal(held(slow, ["note"]), undefined);
    assert.deepEqual(held({ ...slow, id: "ab" }, ["note"]), { faulty: ["id"], unchecked: [] });
  });

  it("are checked against the patterns of all fields in one time limit", () => {
    const fields = Array.from({ length: 100 }, (_, at) => ({
      ...{ type: "text" as const, name: `f${at}`, title: "F", required: true, pattern: at === 99 ? "^x$" : "^(a+)+$" },
    }));
    const hostile: Form = { message: "m", fields };
    const answers = new Map<string, FormValue>(fields.map(({ name }) => [name, "b"]));
    let now = 0;
    const limits: number[] = [];
    const stopped = (ms: number): { isDone: boolean } => {
      limits.push(ms);
      now += ms;
      return { isDone: false };
    };
    const found = heldFields(hostile, answers, [], new PatternChecker(stopped, () => now));
    assert.deepEqual(limits, [50, 50]);
    assert.deepEqual(found, { faulty: [], unchecked: fields.map(({ name }) => name) });
    // The fields that the user has confirmed take no time, so the last one is checked.
    const confirmed = fields.slice(0, 99).map(({ name }) => name);
    assert.deepEqual(heldFields(hostile, answers, confirmed, patientPatterns()), { faulty: ["f99"], unchecked: [] });
  });
});
