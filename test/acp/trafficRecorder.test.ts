// Which messages of a connection are recorded, and which parts of them may be saved.
import assert from "node:assert/strict";
import fc from "fast-check";
import { TrafficRecorder, transcriptText } from "../../src/acp/trafficRecorder.ts";
import { maskJson } from "../../src/base/maskJson.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";

describe("the traffic recorder", () => {
  it("keeps the newest records in order, with their time, and counts the dropped records", () => {
    const clock = new FakeClock();
    clock.advance(1000);
    const tap = new TrafficRecorder(clock);
    const recorded: unknown[] = [];
    const link = tap.onDidRecord(record => recorded.push(record));
    for (let i = 0; i < 50_010; i++) {
      clock.advance(1);
      tap.recordMessage(i % 2 === 0 ? "c>a" : "a>c", { i }, 10);
    }
    link.dispose();
    assert.deepEqual([tap.records.length, tap.dropped, recorded.length], [50_000, 10, 50_010]);
    assert.deepEqual(tap.records[0], { t: 11, dir: "c>a", msg: { i: 10 } });
    // Each record keeps its number, although others are dropped.
    assert.deepEqual(tap.recordAt(10), { record: tap.records[0], bytes: 10 });
    assert.equal(tap.recordAt(9), undefined);
    assert.equal(tap.recordAt(tap.count - 1)?.record, recorded.at(-1));
    assert.equal(tap.recordAt(tap.count), undefined);
  });

  it("numbers the records also after it has removed many dropped ones at once", () => {
    const tap = new TrafficRecorder(new FakeClock());
    for (let i = 0; i < 75_000; i++) tap.recordMessage("a>c", { i }, 10);
    assert.deepEqual([tap.count, tap.dropped, tap.records.length], [75_000, 25_000, 50_000]);
    for (const number of [25_000, 40_000, 74_999]) assert.deepEqual(tap.recordAt(number)?.record.msg, { i: number });
    assert.equal(tap.recordAt(24_999), undefined);
  });

  it("also drops records by size, but never the newest", () => {
    const tap = new TrafficRecorder(new FakeClock());
    const megabyte = 1024 * 1024;
    for (let i = 0; i < 3; i++) tap.recordMessage("a>c", { i }, 20 * megabyte);
    assert.deepEqual(
      tap.records.map(record => record.msg),
      [{ i: 2 }],
    );
    assert.equal(tap.dropped, 2);
  });

  it("counts the lines that were not messages, including dropped lines", () => {
    const tap = new TrafficRecorder(new FakeClock());
    tap.recordText("out", "Welcome!");
    tap.recordText("err", "warning");
    for (let i = 0; i < 50_000; i++) tap.recordMessage("a>c", { i }, 10);
    tap.recordText("out", "Bye!");
    assert.equal(tap.badLines, 2);
  });

  it("records that a form was answered, but never the answers", () => {
    const tap = new TrafficRecorder(new FakeClock());
    const events: unknown[] = [];
    const link = tap.onDidRecord(record => events.push(record));
    const result = { action: "accept", content: { password: "hunter2", note: "hunter2" } };
    // An agent may use an id twice.
    for (let i = 0; i < 2; i++) tap.recordMessage("c>a", { jsonrpc: "2.0", id: 0, result }, 10);
    link.dispose();
    assert.ok(!JSON.stringify([tap.records, events]).includes("hunter2"));
    assert.deepEqual(tap.records[1]?.msg, {
      jsonrpc: "2.0",
      id: 0,
      result: { action: "accept", content: "[not recorded]" },
    });
    assert.deepEqual(result.content, { password: "hunter2", note: "hunter2" });
  });

  it("records the content of files that an agent reads", () => {
    const tap = new TrafficRecorder(new FakeClock());
    tap.recordMessage("c>a", { id: 0, result: { content: "text" } }, 10);
    assert.deepEqual(tap.records[0]?.msg, { id: 0, result: { content: "text" } });
  });

  it("writes one line per record", () => {
    const tap = new TrafficRecorder(new FakeClock());
    tap.recordMessage("c>a", { method: "m" }, 1);
    tap.recordText("err", "warning");
    assert.equal(
      transcriptText(tap.records),
      '{"t":0,"dir":"c>a","msg":{"method":"m"}}\n{"t":0,"dir":"err","text":"warning"}\n',
    );
  });
});

describe("a saved transcript", () => {
  const secret = "s3cr3t-value";

  it("contains no value under a name that looks like a credential, at any depth", () => {
    const names = [
      "Authorization",
      "apiKey",
      "api_key",
      "x-api-key",
      "accessToken",
      "client_secret",
      "password",
      "cookie",
      "credentials",
    ];
    const nested = fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant(secret),
        fc.array(tie("value"), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom("a", "b"), tie("value")),
      ),
    })).value;
    fc.assert(
      fc.property(fc.constantFrom(...names), nested, (name, value) => {
        const record = { t: 0, dir: "c>a", msg: { params: { list: [{ [name]: value }] } } } as const;
        assert.ok(!transcriptText([record]).includes(secret));
      }),
    );
  });

  it("contains the names of environment variables and headers, but no values, in either of their shapes", () => {
    const params = {
      mcpServers: [
        {
          name: "s",
          command: "run",
          args: ["-x"],
          env: [{ name: "KEY", value: secret }],
          headers: [{ name: "X-Auth", value: secret }],
        },
      ],
      env: { KEY: secret },
    };
    const text = transcriptText([{ t: 0, dir: "c>a", msg: { params } }]);
    assert.ok(!text.includes(secret));
    for (const kept of ["KEY", "X-Auth", '"name":"s"', '"args":["-x"]']) assert.ok(text.includes(kept), kept);
  });

  it("contains no credentials of printed text and of command lines", () => {
    const printed = (["err", "out", "note"] as const).map(dir => ({ t: 0, dir, text: `API_KEY=${secret}` }));
    const params = {
      command: `run --token ${secret}`,
      args: ["--api-key", secret, `--password=${secret}`, "--verbose"],
    };
    const text = transcriptText([...printed, { t: 0, dir: "a>c", msg: { params } }]);
    assert.ok(!text.includes(secret), text);
    for (const kept of ["API_KEY=•••", '"run --token •••"', '["--api-key","•••","--password=•••","--verbose"]'])
      assert.ok(text.includes(kept), `${kept} is not in ${text}`);
  });

  it("keeps an argument that follows a secret flag if it is a flag itself, and arguments that are not strings", () => {
    const msg = { args: ["--token", "--verbose", 7, { token: secret }], command: ["curl", "-s"] };
    assert.deepEqual(maskJson(msg), { args: ["--token", "--verbose", 7, { token: "•••" }], command: ["curl", "-s"] });
  });

  it("keeps everything else, and does not change the recording itself", () => {
    const msg = { used: 3, totalTokens: 12, text: "a token of friendship", list: [1, null, true], env: [] };
    const before = structuredClone(msg);
    assert.deepEqual(maskJson(msg), before);
    assert.deepEqual(msg, before);
    const other = { token: secret };
    maskJson(other);
    assert.equal(other.token, secret);
  });
});
