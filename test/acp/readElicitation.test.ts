// Requests for a form or a web address, as agents send them: every type of property, and hostile ones.
import assert from "node:assert/strict";
import { readElicitation } from "../../src/acp/readElicitation.ts";
import { Refusal } from "../../src/base/errors.ts";
import type { JsonObject } from "../../src/acp/parse.ts";

const request = (more: JsonObject): JsonObject => ({ sessionId: "s", mode: "form", message: "Which?", ...more });
const form = (properties: JsonObject, more: JsonObject = {}): ReturnType<typeof readElicitation> =>
  readElicitation(request({ requestedSchema: { type: "object", properties, ...more } }));
const url = (address: unknown): ReturnType<typeof readElicitation> =>
  readElicitation(request({ mode: "url", elicitationId: "e", url: address }));

/** The field that a property becomes, without its name and title. Undefined: it is left out. */
const rows: readonly (readonly [what: string, property: unknown, field: unknown])[] = [
  ["a text", { type: "string" }, { type: "text" }],
  [
    "a text with every limit",
    { type: "string", minLength: 1, maxLength: 9, pattern: "^a", format: "email", default: "a@b" },
    { type: "text", minLength: 1, maxLength: 9, pattern: "^a", format: "email", default: "a@b" },
  ],
  ["a text of a format that is not known", { type: "string", format: "phone" }, { type: "text" }],
  ["a text with malformed limits", { type: "string", minLength: -1, maxLength: "9", default: 7 }, { type: "text" }],
  ["a number", { type: "number", minimum: -1.5, maximum: 2, default: 0 }, { type: "number", integer: false, minimum: -1.5, maximum: 2, default: 0 }], // prettier-ignore
  ["an integer", { type: "integer", default: 3 }, { type: "number", integer: true, default: 3 }],
  ["an integer with a fraction as default", { type: "integer", default: 3.5 }, { type: "number", integer: true }],
  ["a boolean", { type: "boolean", default: false }, { type: "boolean", default: false }],
  ["a boolean with a text as default", { type: "boolean", default: "yes" }, { type: "boolean" }],
  [
    "a choice",
    { type: "string", enum: ["a", "b", "a", 7], default: "b" },
    { type: "select", choices: [{ value: "a", name: "a" }, { value: "b", name: "b" }], default: "b" }, // prettier-ignore
  ],
  [
    "a choice with names",
    { type: "string", enum: ["a", "b", "a", "c"], enumNames: ["Apple", "", "Again", 7, "More"] },
    { type: "select", choices: [{ value: "a", name: "Apple" }, { value: "b", name: "b" }, { value: "c", name: "c" }] }, // prettier-ignore
  ],
  [
    "a choice with titles",
    { type: "string", oneOf: [{ const: "r", title: "Red", description: "Warm" }, { const: "b" }, { title: "None" }] },
    { type: "select", choices: [{ value: "r", name: "Red", description: "Warm" }, { value: "b", name: "b" }] }, // prettier-ignore
  ],
  ["a choice whose default is not offered", { type: "string", enum: ["a"], default: "z" }, { type: "select", choices: [{ value: "a", name: "a" }] }], // prettier-ignore
  ["a choice of nothing", { type: "string", enum: [] }, undefined],
  [
    "a selection",
    { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 2, default: ["b", "z", "b"] },
    {
      type: "multiselect",
      choices: [{ value: "a", name: "a" }, { value: "b", name: "b" }], // prettier-ignore
      minItems: 1,
      maxItems: 2,
      default: ["b"],
    },
  ],
  ["a selection with titles", { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, { type: "multiselect", choices: [{ value: "a", name: "A" }] }], // prettier-ignore
  ["a selection without items", { type: "array" }, undefined],
  ["a type that is not known", { type: "file" }, undefined],
  ["a property that is no object", 7, undefined],
];

describe("a form of an agent", () => {
  for (const [what, property, field] of rows) {
    it(`${field === undefined ? "leaves out" : "has"} ${what}`, () => {
      const read = form({ p: property });
      assert.ok(read.type === "form");
      const expected = field === undefined ? [] : [{ name: "p", title: "p", required: false, ...(field as object) }];
      assert.deepEqual(read.form.fields, expected);
    });
  }

  it("is one form with a choice and a free text, as recorded from Claude", () => {
    const read = form({
      question_0: { type: "string", title: "Colour", oneOf: [{ const: "Red", title: "Red", description: "Warm" }] },
      question_0_custom: { type: "string", title: "Other", description: "Type your own answer." },
    });
    assert.ok(read.type === "form");
    assert.deepEqual(
      read.form.fields.map(({ name, title, type }) => [name, title, type]),
      [
        ["question_0", "Colour", "select"],
        ["question_0_custom", "Other", "text"],
      ],
    );
  });

  it("is declined with a reason if it requires a type that is not known", () => {
    const read = form({ a: { type: "string" }, f: { type: "file" } }, { required: ["a", "f"] });
    assert.ok(read.type === "declined");
    assert.equal(read.reason, "The form requires “f”, and Parley does not know its type.");
  });

  it("is declined if it requires a property that it lacks", () => {
    assert.equal(form({}, { required: ["x"] }).type, "declined");
  });

  it("keeps names that JavaScript objects use themselves", () => {
    const read = form(JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"boolean"}}') as JsonObject);
    assert.ok(read.type === "form");
    assert.deepEqual(
      read.form.fields.map(field => field.name),
      ["__proto__", "constructor"],
    );
  });

  it("belongs to a session, a tool call or a request", () => {
    const schema = { requestedSchema: {} };
    assert.deepEqual(readElicitation(request(schema)).scope, { sessionId: "s" });
    assert.deepEqual(readElicitation(request({ ...schema, toolCallId: "t" })).scope, {
      sessionId: "s",
      toolCallId: "t",
    });
    assert.deepEqual(readElicitation(request({ ...schema, sessionId: undefined, requestId: 0 })).scope, {
      requestId: 0,
    });
  });

  const text = "x".repeat(10_001);
  const many = Array.from({ length: 1001 }, (_, index) => `c${index}`);
  const refused: readonly (readonly [what: string, params: JsonObject])[] = [
    ["no session and no request", request({ sessionId: undefined, requestedSchema: {} })],
    ["no message", request({ message: undefined, requestedSchema: {} })],
    ["no schema", request({})],
    ["a mode that is not known", request({ mode: "voice", requestedSchema: {} })],
    ["a message that is too long", request({ message: text, requestedSchema: {} })],
    ["a name that is too long", request({ requestedSchema: { properties: { [text]: { type: "string" } } } })],
    [
      "a pattern that is too long",
      request({ requestedSchema: { properties: { a: { type: "string", pattern: text } } } }),
    ],
    [
      "a choice that is too long",
      request({ requestedSchema: { properties: { a: { type: "string", enum: [text] } } } }),
    ],
    ["too many choices", request({ requestedSchema: { properties: { a: { type: "string", enum: many } } } })],
    [
      "too many choices in all fields together",
      request({
        requestedSchema: {
          properties: Object.fromEntries(
            many.slice(0, 4).map(name => [name, { type: "string", enum: many.slice(0, 800) }]),
          ),
        },
      }),
    ],
    [
      "too long texts in all fields together",
      request({
        requestedSchema: {
          properties: Object.fromEntries(
            many.slice(0, 30).map(name => [name, { type: "string", description: text.slice(1) }]),
          ),
        },
      }),
    ],
    [
      "too many fields",
      request({ requestedSchema: { properties: Object.fromEntries(many.map(name => [name, { type: "string" }])) } }),
    ],
  ];
  for (const [what, params] of refused) {
    it(`is refused with ${what}`, () => {
      assert.throws(() => readElicitation(params), (error: unknown) => error instanceof Refusal && error.kind === "invalid"); // prettier-ignore
    });
  }
});

describe("a web address of an agent", () => {
  it("is what is opened, with its host", () => {
    const read = url("https://Example.org:8443\\a\tb?code=1");
    assert.ok(read.type === "url");
    assert.deepEqual(read.address, { href: "https://example.org:8443/ab?code=1", host: "example.org:8443" });
  });

  it("has its punycode decoded, also if the agent sent the letters", () => {
    for (const sent of ["https://xn--pple-43d.com/", "https://\u0430pple.com/"]) {
      const read = url(sent);
      assert.ok(read.type === "url");
      assert.equal(read.address.host, "xn--pple-43d.com");
      assert.equal(read.address.decodedHost, "\u0430pple.com");
    }
  });

  it("reports a user name that looks like a host", () => {
    const read = url("https://example.org@evil.example/");
    assert.ok(read.type === "url");
    assert.equal(read.address.host, "evil.example");
    assert.equal(read.address.hasUserName, true);
  });

  for (const address of [
    "file:///etc/passwd",
    "javascript:alert(1)",
    "vscode://a/b",
    "command:x",
    "//example.org",
    "",
    7,
  ]) {
    it(`is refused as ${JSON.stringify(address)}`, () => {
      assert.throws(() => url(address), Refusal);
    });
  }
});
