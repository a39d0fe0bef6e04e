// The list of messages in a problem report: it shows the order of the messages, and nothing of what they contain.
import assert from "node:assert/strict";
import { messageList } from "../../src/acp/messageList.ts";
import type { TrafficRecord } from "../../src/acp/trafficRecorder.ts";
import { readTranscript, transcriptNames } from "../support/fakes/transcript.ts";

const secret = "text that nobody else may see";

describe("the list of messages", () => {
  it("shows requests with their answers, kinds of updates, errors and sizes", () => {
    const records: TrafficRecord[] = [
      { t: 0, dir: "c>a", msg: { jsonrpc: "2.0", id: 0, method: "initialize", params: { secret } } },
      { t: 312.4, dir: "err", text: secret },
      { t: 400, dir: "a>c", msg: { jsonrpc: "2.0", id: 0, result: { secret } } },
      { t: 900, dir: "a>c", msg: { jsonrpc: "2.0", id: 0, method: "fs/read_text_file", params: { path: secret } } },
      { t: 1000, dir: "c>a", msg: { jsonrpc: "2.0", id: 0, error: { code: -32002, message: secret } } },
      {
        t: 61_000,
        dir: "a>c",
        msg: { method: "session/update", params: { update: { sessionUpdate: "agent_message_chunk", secret } } },
      },
      { t: 62_000, dir: "out", text: secret },
      { t: 63_000, dir: "a>c", msg: { jsonrpc: "2.0", id: "7f", result: null } },
    ];
    const size = (at: number): number => JSON.stringify(records[at]?.msg).length;
    assert.deepEqual(messageList(records, 100), [
      `     0.0 → initialize #0, ${size(0)}`,
      "     0.3 ← err, 29",
      `     0.4 ← answer to initialize #0, ${size(2)}`,
      `     0.9 ← fs/read_text_file #0, ${size(3)}`,
      `     1.0 → answer to fs/read_text_file #0 error -32002, ${size(4)}`,
      `    61.0 ← session/update agent_message_chunk, ${size(5)}`,
      "    62.0 ← out, 29",
      `    63.0 ← answer to (?) #(text), ${size(7)}`,
    ]);
  });

  it("shows the newest messages, also the method of a request that is not shown", () => {
    const records: TrafficRecord[] = [
      { t: 0, dir: "c>a", msg: { id: 1, method: "session/prompt", params: {} } },
      { t: 1, dir: "a>c", msg: { id: 1, result: {} } },
    ];
    assert.deepEqual(messageList(records, 1), ["     0.0 ← answer to session/prompt #1, 20"]);
  });

  for (const method of [secret, "a\nb", "x".repeat(65), "", 7, null, { secret }, "session/\u202eupdate"]) {
    it(`does not show the name ${JSON.stringify(method).slice(0, 40)}`, () => {
      const update = { method: "session/update", params: { update: { sessionUpdate: method } } };
      const lines = messageList(
        [
          { t: 0, dir: "a>c", msg: { id: 1, method, params: {} } },
          { t: 0, dir: "a>c", msg: update },
          { t: 0, dir: "c>a", msg: { id: 1, error: { code: method } } },
        ],
        10,
      );
      assert.deepEqual(
        lines.map(line => line.slice(11).replace(/, \d+$/, "")),
        [
          "(?) #1",
          "session/update (?)",
          `answer to (?) #1 error ${typeof method === "number" ? String(method) : "(?)"}`,
        ],
      );
    });
  }

  it("contains no text of a recorded session", () => {
    let texts = 0;
    for (const name of transcriptNames()) {
      const records = readTranscript(name);
      const list = messageList(records, records.length).join("\n");
      for (const { msg } of records) {
        for (const text of contentTexts(msg)) {
          texts++;
          assert.ok(!list.includes(text), `${name}: ${text.slice(0, 80)}`);
        }
      }
    }
    assert.ok(texts > 10_000, String(texts));
  });
});

/** The texts of a message, but for its names, its id, and texts that are so short that they are words of the list. */
function contentTexts(value: unknown, key = ""): readonly string[] {
  if (typeof value === "string")
    return ["method", "id", "sessionUpdate"].includes(key) || value.length < 10 ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => contentTexts(each, name));
}
