// What an agent's error says, from the shapes that agents use.
import assert from "node:assert/strict";
import fc from "fast-check";
import { ResponseError } from "vscode-jsonrpc/node";
import { errorReason } from "../../src/acp/errorReason.ts";

const reason = (message: string, data?: unknown, code = -32603): ReturnType<typeof errorReason> =>
  errorReason(new ResponseError(code, message, data));

describe("the reason for an agent's error", () => {
  const rows: readonly (readonly [what: string, message: string, data: unknown, sentence: string, detail?: string])[] = [
    ["data as a string", "Internal error", "No credit left", "No credit left"],
    ["`data.message`", "Internal error", { message: "No credit left", info: "other" }, "No credit left"],
    ["`data.details`", "Internal error", { details: "400 Bad model" }, "400 Bad model"],
    ["`data.error.message`", "Internal error", { error: { message: "No credit left" } }, "No credit left"],
    ["the message after the title of its code", "Internal error: The disk is full", undefined, "The disk is full"],
    ["the message after another title", "Invalid params: Unknown mode: x", { id: 1 }, "Unknown mode: x", '{\n  "id": 1\n}'],
    ["the message itself", "Session not found: s1", undefined, "Session not found: s1"],
    ["only the title, if there is nothing else", "Internal error", undefined, "Internal error"],
    ["the message, if data is blank", "Overloaded", { message: " ", details: 3 }, "Overloaded", '{\n  "message": " ",\n  "details": 3\n}'],
    ["JSON in data", "Internal error", { message: '{"error":{"message":"Overloaded"}}' }, "Overloaded"],
    ["JSON in the message", '{"error":{"code":400,"message":"Bad model"}}', undefined, "Bad model"],
    ["JSON in a list", '[{"error":{"message":"Bad model"}}]', undefined, "Bad model"],
    ["JSON after other words", '400 {"error":"Bad model"}', undefined, "400 Bad model"],
    ["JSON in JSON only once", JSON.stringify({ message: '{"message":"x"}' }), undefined, '{"message":"x"}'],
    ["text that only begins like JSON", "{oops", undefined, "{oops"],
    ["JSON without a reason", '{"a":1}', undefined, '{"a":1}'],
    ["the first line, with the rest as the detail", "Internal error", "One.\n  Two.", "One.", "One.\n  Two."],
    ["data, with a message of its own as the detail", "Could not compact", "Overloaded", "Overloaded", "Could not compact"],
    ["nothing, if there is none", "", undefined, ""],
  ]; // prettier-ignore
  for (const [what, message, data, sentence, detail] of rows) {
    it(`is ${what}`, () => {
      const found = reason(message, data);
      assert.deepEqual([found.sentence, found.detail, found.isAuthentication], [sentence, detail, false]);
    });
  }

  it("has a bounded size for any error", () => {
    const huge = "x".repeat(100_000);
    for (const data of [undefined, huge, { message: huge }, { huge }]) {
      const { sentence, detail = "" } = reason(huge, data);
      assert.ok(sentence.length <= 500 && detail.length <= 4000);
    }
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (message, data) => {
        assert.equal(typeof reason(message, data).sentence, "string");
      }),
    );
  });
});

describe("an authentication failure", () => {
  for (const [message, data] of [
    ["Internal error", { details: "401 Incorrect key" }],
    ["Internal error", { details: "Request failed with status code 401" }],
    ['{"error":{"code":401,"message":"no","status":"UNAUTHENTICATED"}}', undefined],
    ["Internal error: Unauthorized", undefined],
    ["Internal error", { error: { type: "authentication_error", message: "invalid x-api-key" } }],
    ["Internal error", { message: "Missing environment variable: `ROBO_API_KEY`." }],
    ["Internal error", "ROBO_API_KEY is not set"],
    ["Internal error", { details: "Missing API key for robo auth. Provide an API key." }],
    ["Internal error: X or Y is not set", { envVars: ["X", "Y"] }],
    ["You are not logged in", undefined],
    ["Please log in first", undefined],
    ["Authentication failed", undefined],
  ] as const) {
    it(`is recognized in ${JSON.stringify([message, data])}`, () => {
      assert.ok(reason(message, data).isAuthentication);
    });
  }

  for (const [message, data] of [
    ["Internal error", { details: "400 Bad request" }],
    ["Internal error", { details: "429 Too Many Requests" }],
    ["The answer has 401 tokens", undefined],
    ["The price is 3.401", undefined],
    ["Read 401 lines", undefined],
    ["Unexpected token in JSON", undefined],
    ["Connection dropped. Check the gateway set in ROBO_BASE_URL", undefined],
    ["The author of the commit is missing", undefined],
    ["Resource not found: /w/api_key.txt", undefined],
  ] as const) {
    it(`is not recognized in ${JSON.stringify([message, data])}`, () => {
      assert.ok(!reason(message, data).isAuthentication);
    });
  }

  it("is recognized by its code, and by a variable of the agent's sign-in methods", () => {
    assert.ok(reason("No", undefined, -32000).isAuthentication);
    const error = new ResponseError(-32603, "ROBO_ACCOUNT?");
    assert.ok(errorReason(error, ["ROBO_ACCOUNT"]).isAuthentication);
    assert.ok(!errorReason(error).isAuthentication);
  });

  it("names the variables in question", () => {
    assert.deepEqual(reason("Internal error: X or Y is not set", { envVars: ["X", "Y", 3] }).variables, ["X", "Y"]);
    assert.deepEqual(reason("Internal error", "ROBO_API_KEY is not set. Set ROBO_API_KEY.").variables, [
      "ROBO_API_KEY",
    ]);
  });
});
