// Which messages a panel may send: exactly the intents, and nothing that only looks like one.
import assert from "node:assert/strict";
import fc from "fast-check";
import { intents, parseIntent, type Intent } from "../../src/panel/intents.ts";

const good: readonly Intent[] = [
  { type: "hello", revision: 0 },
  { type: "resync" },
  { type: "painted", revision: 3 },
  { type: "send", text: "" },
  { type: "withdraw", prompt: "s" },
  { type: "editQueued", prompt: "s", text: "x" },
  { type: "moveQueued", prompt: "s" },
  { type: "holdQueued", prompt: "s" },
  { type: "releaseQueued", prompt: "s" },
  { type: "sendNow", prompt: "s" },
  { type: "sendAnyway" },
  { type: "stop" },
  { type: "answer", question: "q", option: "y" },
  { type: "newSession" },
  { type: "rename", title: "t" },
  { type: "used" },
  { type: "openInEditor" },
  { type: "show", place: "sessionHistory" },
  { type: "follow", on: true },
  { type: "copyConversation" },
  { type: "saveTranscript" },
  { type: "sendComments" },
  { type: "reviewChanges" },
  { type: "keepChanges" },
  { type: "keepChanges", path: "/w/a.ts" },
  { type: "undoChanges", path: "/w/a.ts" },
  { type: "undoChanges" },
  { type: "selectAgent", agent: "a" },
  { type: "setOption", option: "o", value: false },
  { type: "setOption", option: "o", value: "x" },
  { type: "openFile", path: "/a" },
  { type: "openFile", path: "/a", line: 3 },
  { type: "openFile", path: "/a", line: 3, column: 5, endLine: 9 },
  { type: "openContent", entry: "m:1", part: 2 },
  { type: "saveContent", entry: "m:1", part: 2 },
  { type: "insertCode", text: "x" },
  { type: "applyCode", text: "x" },
  { type: "openDiagram", text: "graph TD" },
  { type: "openPlan", plan: "main" },
  { type: "sendActiveFile", part: "selection", isOn: true },
  { type: "openDiff", entry: "t:1", part: 0 },
  { type: "openLink", href: "https://example.com" },
  { type: "copy", text: "x" },
  { type: "find", request: 1, query: "x", matchCase: false, wholeWord: true, regex: false },
  { type: "nextStep", step: "retry" },
  { type: "report", kind: "csp", text: "x" },
];

describe("a message of a panel", () => {
  it("is accepted if it is an intent", () => {
    for (const intent of good) assert.equal(parseIntent(intent), intent);
  });

  it("is refused if a field is missing, has another type, or is unknown", () => {
    for (const intent of good) {
      const fields = Object.keys(intent).filter(key => !["type", "line", "column", "endLine"].includes(key));
      for (const field of fields) {
        const { [field as "type"]: _, ...rest } = intent;
        const isOptional = field === "path" && (intent.type === "keepChanges" || intent.type === "undoChanges");
        if (!isOptional) assert.equal(parseIntent(rest), undefined, `${intent.type} without ${field}`);
        for (const value of [null, {}, [], 1.5, -1, NaN]) {
          assert.equal(
            parseIntent({ ...intent, [field]: value }),
            undefined,
            `${intent.type}.${field} = ${String(value)}`,
          );
        }
      }
      assert.equal(parseIntent({ ...intent, extra: 1 }), undefined);
    }
  });

  it("names the session that the panel showed if it is about a session, and only then", () => {
    for (const intent of good) {
      const named = { ...intent, session: "s" };
      assert.equal(parseIntent(named), intents[intent.type].scope === "session" ? named : undefined, intent.type);
      for (const session of [null, 7, {}]) assert.equal(parseIntent({ ...intent, session }), undefined);
    }
  });

  it("is refused if its type is the name of a property that every object has", () => {
    for (const type of ["", "constructor", "toString", "__proto__", "hasOwnProperty", 7, null, undefined, ["stop"]]) {
      assert.equal(parseIntent({ type }), undefined);
    }
    for (const step of ["constructor", "toString", "rm"])
      assert.equal(parseIntent({ type: "nextStep", step }), undefined);
  });

  it("never throws in any shape, and has a known type if it is accepted", () => {
    const types = new Set<string>(good.map(intent => intent.type));
    const near = fc.dictionary(
      fc.constantFrom(
        "type",
        "text",
        "revision",
        "question",
        "option",
        "value",
        "path",
        "line",
        "part",
        "entry",
        "step",
      ),
      fc.oneof(fc.constantFrom(...types), fc.anything()),
    );
    fc.assert(
      fc.property(fc.oneof(fc.anything(), near), message => {
        const intent = parseIntent(message);
        assert.ok(intent === undefined || types.has(intent.type));
      }),
      { numRuns: 500 },
    );
  });

  it("is accepted with one changed field only if the field is still valid", () => {
    const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
      string: value => typeof value === "string",
      number: value => Number.isSafeInteger(value) && (value as number) >= 0,
      // An option's value is a string or a boolean.
      boolean: value => typeof value === "boolean" || typeof value === "string",
    };
    const optionalFields = new Set(["line", "column", "endLine", "decision", "before", "attachments", "path"]);
    const value = fc.oneof(fc.anything(), fc.constantFrom("", "constructor", "__proto__", 0, -1, 1.5, true, null));
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.nat(3), value, (intent, at, changed) => {
        const field = Object.keys(intent)[at];
        if (field === undefined || field === "type") return;
        const fits = kinds[typeof (intent as Readonly<Record<string, unknown>>)[field]]?.(changed);
        const isOptional = optionalFields.has(field) && changed === undefined;
        const isSwitch = intent.type === "setOption" && field === "value" && typeof changed === "boolean";
        const taken = parseIntent({ ...intent, [field]: changed }) !== undefined;
        assert.ok(
          !taken || fits || isOptional || isSwitch,
          `${intent.type}.${field} = ${String(JSON.stringify(changed))}`,
        );
      }),
      { numRuns: 2000 },
    );
  });
});
