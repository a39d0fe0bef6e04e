// The answers to a form: faults, what is sent to the agent, and what the log keeps.
import assert from "node:assert/strict";
import {
  completeAnswers,
  defaultAnswers,
  fieldFault,
  loggedAnswers,
  type FieldFault,
  type Form,
  type FormField,
  type FormValue,
} from "../../src/session/forms/form.ts";

const base = { name: "f", title: "Field", required: false } as const;
const choices = ["a", "b", "c"].map(value => ({ value, name: value.toUpperCase() }));
const text = (limits: Partial<Extract<FormField, { type: "text" }>> = {}): FormField => ({
  ...base,
  type: "text",
  ...limits,
});
const integer: FormField = { ...base, type: "number", integer: true, minimum: 1, maximum: 10 };
const decimal: FormField = { ...base, type: "number", integer: false };
const boolean: FormField = { ...base, type: "boolean" };
const select: FormField = { ...base, type: "select", choices };
const several: FormField = { ...base, type: "multiselect", choices, minItems: 1, maxItems: 2 };

type Fault = FieldFault["fault"] | undefined;

const rows: readonly (readonly [what: string, field: FormField, value: FormValue | undefined, fault: Fault])[] = [
  ["an optional text that is empty", text({ minLength: 3 }), "", undefined],
  ["a required text that is empty", text({ required: true }), "", "missing"],
  ["a required boolean without an answer", { ...boolean, required: true }, undefined, "missing"],
  ["a required boolean that is false", { ...boolean, required: true }, false, undefined],
  ["a text of the least length", text({ minLength: 2 }), "ab", undefined],
  ["a text that is too short", text({ minLength: 2 }), "a", "tooShort"],
  ["a text that is too long", text({ maxLength: 2 }), "abc", "tooLong"],
  ["an emoji where one character is allowed", text({ maxLength: 1 }), "😀", undefined],
  ["a number for a text", text(), 1, "wrongType"],
  ["a pattern that runs forever", text({ pattern: "^(a+)+$" }), `${"a".repeat(50)}!`, undefined],
  ["an email address", text({ format: "email" }), "ann@example.org", undefined],
  ["an email address without a host", text({ format: "email" }), "ann@", "format"],
  ["an address", text({ format: "uri" }), "https://example.org/a?b", undefined],
  ["a word for an address", text({ format: "uri" }), "example", "format"],
  ["a leap day", text({ format: "date" }), "2028-02-29", undefined],
  ["a day that does not exist", text({ format: "date" }), "2026-02-29", "format"],
  ["a month that does not exist", text({ format: "date" }), "2026-13-01", "format"],
  ["a date and time", text({ format: "date-time" }), "2026-07-24T12:00:00Z", undefined],
  ["a date and time with an offset", text({ format: "date-time" }), "2026-07-24T12:00:00.5+02:00", undefined],
  ["a date and time without a zone", text({ format: "date-time" }), "2026-07-24T12:00:00", "format"],
  ["an hour that does not exist", text({ format: "date-time" }), "2026-07-24T25:00:00Z", "format"],
  ["an integer at the limit", integer, 10, undefined],
  ["an integer below the limit", integer, 0, "tooSmall"],
  ["an integer above the limit", integer, 11, "tooLarge"],
  ["a fraction for an integer", integer, 1.5, "notInteger"],
  ["a fraction for a number", decimal, 1.5, undefined],
  ["zero for a number", { ...decimal, required: true }, 0, undefined],
  ["infinity for a number", decimal, Infinity, "wrongType"],
  ["digits as text for a number", decimal, "1", "wrongType"],
  ["a text for a boolean", boolean, "true", "wrongType"],
  ["an offered choice", select, "b", undefined],
  ["a choice that is not offered", select, "z", "notOffered"],
  ["the name of a choice instead of its value", select, "B", "notOffered"],
  ["a list for a single choice", select, ["a"], "wrongType"],
  ["two choices", several, ["a", "c"], undefined],
  ["an optional selection of nothing", several, [], undefined],
  ["a required selection of nothing", { ...several, required: true }, [], "tooFew"],
  ["too many choices", several, ["a", "b", "c"], "tooMany"],
  ["the same choice twice", several, ["a", "a"], "notOffered"],
  ["a selection with an unknown choice", several, ["z"], "notOffered"],
  ["a text for a selection", several, "a", "wrongType"],
];

describe("an answer to a field of a form", () => {
  for (const [what, field, value, fault] of rows) {
    it(`${fault === undefined ? "may be" : `has the fault ${fault}:`} ${what}`, () => {
      assert.equal(fieldFault(field, value)?.fault, fault);
    });
  }

  it("names the limit that it exceeds", () => {
    assert.deepEqual(fieldFault(integer, 11), { fault: "tooLarge", limit: 10 });
    assert.deepEqual(fieldFault(text({ format: "date" }), "x"), { fault: "format", format: "date" });
  });
});

describe("the answers to a form", () => {
  const form: Form = {
    message: "Which?",
    fields: [
      { ...select, name: "colour", required: true, default: "a" },
      { ...text(), name: "colour_custom" },
      { ...decimal, name: "count" },
      { ...boolean, name: "sure", default: false },
      { ...several, name: "more" },
    ],
  };

  it("start with the defaults", () => {
    assert.deepEqual([...defaultAnswers(form)], [["colour", "a"], ["sure", false]]); // prettier-ignore
  });

  it("are sent without empty ones and without fields that the form lacks", () => {
    const answers = new Map<string, FormValue>([["colour", "b"], ["colour_custom", ""], ["other", "x"]]); // prettier-ignore
    assert.deepEqual([...(completeAnswers(form, answers) ?? [])], [["colour", "b"]]);
  });

  it("are not sent while one has a fault", () => {
    assert.equal(completeAnswers(form, new Map()), undefined);
    assert.equal(completeAnswers(form, new Map<string, FormValue>([["colour", "a"], ["count", "x"]])), undefined); // prettier-ignore
  });

  it("are logged with numbers, booleans and choices, but without free text", () => {
    const answers = new Map<string, FormValue>([["colour", "b"], ["colour_custom", "secret-123"], ["count", 3], ["sure", true], ["more", ["a"]]]); // prettier-ignore
    const logged = loggedAnswers(form, answers);
    assert.deepEqual(logged, [
      { field: "colour", value: "b" },
      { field: "colour_custom", answered: true },
      { field: "count", value: 3 },
      { field: "sure", value: true },
      { field: "more", value: ["a"] },
    ]);
    assert.ok(!JSON.stringify(logged).includes("secret-123"));
  });
});
