// Finding the session of a message without parsing it: never another one than parsing finds.
import assert from "node:assert/strict";
import fc from "fast-check";
import { sessionOfMessage } from "../../src/agents/sessionOfMessage.ts";
import { readTranscript, transcriptNames } from "../support/fakes/transcript.ts";

const find = (text: string): string | undefined => sessionOfMessage(Buffer.from(text));

describe("the session of a message", () => {
  it("is found in every recorded update", () => {
    let found = 0;
    for (const name of transcriptNames()) {
      for (const { msg } of readTranscript(name)) {
        const { method, params } = (msg ?? {}) as { method?: string; params?: { sessionId?: string } };
        if (method !== "session/update" || typeof params?.sessionId !== "string") continue;
        assert.equal(find(JSON.stringify(msg)), params.sessionId);
        found++;
      }
    }
    assert.ok(found > 1000);
  });

  it("is found wherever it is in the parameters, and with spaces", () => {
    for (const text of [
      '{"jsonrpc":"2.0","method":"m","params":{"sessionId":"s","update":{}}}',
      ' { "params" : { "a" : [ { "b" : "\\"}" } ] , "sessionId" : "s" } , "method" : "m" }',
      '{"method":"m","id":1,"params":{"update":{"sessionId":"other","params":{"sessionId":"other"}},"sessionId":"s"}}',
    ])
      assert.equal(find(text), "s", text);
  });

  it("is none for responses, for messages without one, and beyond the beginning of a message", () => {
    const long = "x".repeat(600);
    for (const text of [
      '{"id":1,"result":{"sessionId":"s"}}',
      '{"id":1,"result":{"params":{"sessionId":"s"}}}',
      '{"id":1,"result":{},"sessionId":"s"}',
      '{"method":"m","params":{"update":{"sessionId":"s"}}}',
      '{"method":"m","params":{"sessionId":null}}',
      '{"method":"m","params":{"sessionId":["s"]}}',
      '{"method":"m","params":["sessionId","s"]}',
      '{"method":"m","params":{"text":"\\"sessionId\\":\\"s\\""}}',
      `{"method":"m","params":{"text":"${long}","sessionId":"s"}}`,
      `{"method":"m","params":{"sessionId":"${long}"}}`,
      "",
      '"',
      "[]",
    ])
      assert.equal(find(text), undefined, text);
  });

  it("is the one that parsing finds, or none, for any message", () => {
    const key = fc.constantFrom("params", "sessionId", "update", 'a"b', "\\", "{");
    const { value } = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("s", "t", "params", 'sessionId":"s', "}", "\\"),
        fc.integer(),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      ),
    }));
    let found = 0;
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.dictionary(key, value), fc.nat(2), (around, params, spaces) => {
        const message: Record<string, unknown> = { ...around, params };
        const seen = find(JSON.stringify(message, null, spaces));
        if (seen === undefined) return;
        found++;
        assert.equal(seen, (message["params"] as { sessionId?: unknown }).sessionId);
      }),
      { numRuns: 2000 },
    );
    assert.ok(found > 10, `${found} were found`);
  });
});
