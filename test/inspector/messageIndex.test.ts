// The rows of the protocol inspector: what each message is, which request and answer belong together, and what is wrong.
import assert from "node:assert/strict";
import { failingMessage } from "../../src/inspector/failingMessage.ts";
import { MessageIndex } from "../../src/inspector/messageIndex.ts";
import { FilteredRows } from "../../src/inspector/rowFilter.ts";
import type { InspectorFilter, InspectorRow } from "../../src/panel/inspectorPage.ts";
import { maskRecord, TrafficRecorder, type TrafficRecord } from "../../src/acp/trafficRecorder.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { processesOf, readTranscript, transcriptNames } from "../support/fakes/transcript.ts";

const never = (): boolean => false;
const always = (): boolean => true;

const update = (session: string, kind: string, more: object = {}): object => ({
  method: "session/update",
  params: { sessionId: session, update: { sessionUpdate: kind, ...more } },
});
const chunk = (session: string, text: string): object =>
  update(session, "agent_message_chunk", { content: { type: "text", text } });

class Bench {
  readonly clock = new FakeClock();
  readonly recorder = new TrafficRecorder(this.clock);
  readonly index = new MessageIndex(this.recorder);

  sent(message: object): this {
    this.clock.advance(5);
    this.recorder.recordMessage("c>a", message, JSON.stringify(message).length);
    return this;
  }
  received(message: object): this {
    this.clock.advance(5);
    this.recorder.recordMessage("a>c", message, JSON.stringify(message).length);
    return this;
  }
  /** The handshake and one session. */
  opened(version = 1): this {
    this.sent({ id: 0, method: "initialize", params: { protocolVersion: version } });
    this.received({ id: 0, result: { protocolVersion: version, ...(version === 2 && { info: {} }) } });
    this.sent({ id: 1, method: "session/new", params: { cwd: "/w", mcpServers: [] } });
    return this.received({ id: 1, result: { sessionId: "s1" } });
  }
  rows(): readonly InspectorRow[] {
    this.index.advance(never);
    return Array.from({ length: this.index.end - this.index.first }, (_, at) => {
      const row = this.index.rowAt(this.index.first + at);
      assert.ok(row);
      return row;
    });
  }
  faults(): readonly string[] {
    return this.rows().flatMap(({ faults = [] }) => faults.map(({ kind, name }) => [kind, name].join(" ").trim()));
  }
  filtered(filter: InspectorFilter): FilteredRows {
    this.index.advance(never);
    const textOf = (record: TrafficRecord): string => JSON.stringify(maskRecord(record));
    const rows = new FilteredRows(this.index, filter, { ofRecord: textOf, ofName: name => name });
    rows.advance(never);
    return rows;
  }
}

const numbersOf = (rows: FilteredRows): readonly (number | undefined)[] =>
  Array.from({ length: rows.end - rows.removed }, (_, at) => rows.rowAt(rows.removed + at)?.number);

describe("the rows of the protocol inspector", () => {
  it("link a request to its answer, with the time between them and the session of both", () => {
    const rows = new Bench()
      .opened()
      .sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } })
      .received(chunk("s1", "Hi"))
      .received({ id: 2, result: { stopReason: "end_turn" } })
      .rows();
    assert.deepEqual(
      rows.map(({ kind, method, other, wait, session, id }) => [kind, method, other, wait, session, id]),
      [
        ["request", "initialize", 1, 5, undefined, "0"],
        ["answer", "initialize", 0, 5, undefined, "0"],
        ["request", "session/new", 3, 5, "s1", "1"],
        ["answer", "session/new", 2, 5, "s1", "1"],
        ["request", "session/prompt", 6, 10, "s1", "2"],
        ["notification", "session/update", undefined, undefined, "s1", undefined],
        ["answer", "session/prompt", 4, 10, "s1", "2"],
      ],
    );
    assert.equal(rows[5]?.update, "agent_message_chunk");
    assert.equal(rows[5]?.bytes, JSON.stringify(chunk("s1", "Hi")).length);
  });

  it("keep the ids of both sides apart, and the number 1 from the text 1", () => {
    const bench = new Bench().opened();
    bench
      .sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } })
      .received({ id: 2, method: "fs/read_text_file", params: { sessionId: "s1", path: "/a" } })
      .received({ id: "2", method: "fs/read_text_file", params: { sessionId: "s1", path: "/b" } })
      .sent({ id: "2", result: { content: "b" } })
      .sent({ id: 2, result: { content: "a" } })
      .received({ id: 2, result: { stopReason: "end_turn" } });
    assert.deepEqual(
      bench.rows().map(({ other }) => other),
      [1, 0, 3, 2, 9, 8, 7, 6, 5, 4],
    );
    assert.deepEqual(bench.faults(), []);
  });

  it("report that rows changed whose answer arrived later", () => {
    const bench = new Bench().sent({ id: 0, method: "initialize", params: { protocolVersion: 1 } });
    bench.rows();
    assert.deepEqual([...bench.index.takeChanged()], []);
    bench.received({ id: 0, error: { code: -32603, message: "no" } });
    assert.equal(bench.rows()[1]?.isError, true);
    assert.deepEqual([...bench.index.takeChanged()], [0]);
    assert.deepEqual([...bench.index.takeChanged()], []);
  });

  it("are made in slices", () => {
    const bench = new Bench().opened();
    assert.equal(bench.index.advance(always), false);
    assert.equal(bench.index.end, 1);
    for (let at = 0; at < 3; at++) bench.index.advance(always);
    assert.deepEqual([bench.index.end, bench.index.isComplete], [4, true]);
  });

  it("stay the same when older records are dropped, and their numbers, too", () => {
    const bench = new Bench().opened();
    bench.rows();
    for (let at = 0; at < 52_000; at++) bench.recorder.recordMessage("a>c", chunk("s1", `chunk ${at}`), 10);
    const rows = bench.rows();
    assert.deepEqual([rows.length, rows[0]?.number, bench.index.end], [50_000, 2004, 52_004]);
    assert.equal(bench.index.rowAt(2003), undefined);
    assert.deepEqual(bench.index.recordAt(2004)?.msg, chunk("s1", "chunk 2000"));
    assert.deepEqual([...bench.index.methods], ["initialize", "session/new", "session/update"]);
  });

  it("have only faults of the agents in their recordings", () => {
    const found = new Set<string>();
    const processes = transcriptNames()
      .filter(name => !name.startsWith("shapes/"))
      .flatMap(name => processesOf(readTranscript(name)));
    for (const records of processes) {
      const recorder = new TrafficRecorder(new FakeClock());
      for (const { dir, msg, text = "" } of records) {
        if (dir === "c>a" || dir === "a>c") recorder.recordMessage(dir, msg, 1);
        else recorder.recordText(dir, text);
      }
      const index = new MessageIndex(recorder);
      index.advance(never);
      for (let number = 0; number < index.end; number++) {
        const { method = "", dir, faults = [] } = index.rowAt(number) ?? {};
        for (const { kind, name } of faults) found.add([dir, method, kind, name].join(" ").trim());
      }
    }
    assert.deepEqual([...found].sort(), knownFaults);
  });
});

/** What agents did, and what the recordings tried on purpose. */
const knownFaults: readonly string[] = [
  "a>c  noRequest",
  "a>c craft/drainMidTurnQueue unknownMethod craft/drainMidTurnQueue",
  "a>c qwen/notify/session/mode-update unknownMethod qwen/notify/session/mode-update",
  "a>c qwen/notify/session/model-update unknownMethod qwen/notify/session/model-update",
  "a>c qwen/notify/session/prompt-suggestion unknownMethod qwen/notify/session/prompt-suggestion",
  "c>a initialize missingField params.protocolVersion",
  "c>a session/new missingField params.cwd",
  "c>a session/new missingField params.mcpServers",
  "c>a session/no_such_method unknownMethod session/no_such_method",
  "c>a session/prompt missingField params.prompt",
  "c>a session/set_model unknownMethod session/set_model",
  "out  notMessage",
];

describe("the faults that the protocol inspector marks", () => {
  const cases: Readonly<Record<string, readonly [(bench: Bench) => unknown, readonly string[]]>> = {
    "a method that the protocol does not have": [
      bench => bench.received({ method: "session/nonsense", params: {} }),
      ["unknownMethod session/nonsense"],
    ],
    "a method with the name of a property of every object": [
      bench => bench.received({ method: "constructor", params: {} }),
      ["unknownMethod constructor"],
    ],
    "nothing in a method of an extension": [bench => bench.received({ method: "_vendor/x", params: {} }), []],
    "a method for the other side": [
      bench => bench.received({ method: "session/cancel", params: { sessionId: "s1" } }),
      ["wrongSide"],
    ],
    "a required field of parameters that is missing": [
      bench => bench.received({ id: 9, method: "fs/read_text_file", params: { sessionId: "s1" } }),
      ["missingField params.path"],
    ],
    "a required field of a result that is missing": [
      bench =>
        bench
          .sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } })
          .received({ id: 2, result: {} }),
      ["missingField result.stopReason"],
    ],
    "a required field of an update that is missing": [
      bench => bench.received(update("s1", "tool_call", { title: "x" })),
      ["missingField params.update.toolCallId"],
    ],
    "a kind of update that the protocol does not have": [
      bench => bench.received(update("s1", "toString")),
      ["unknownUpdate toString"],
    ],
    "an error without a code": [
      bench =>
        bench
          .sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } })
          .received({ id: 2, error: { message: "x" } }),
      ["missingField error.code"],
    ],
    "an answer without a request": [bench => bench.received({ id: 77, result: {} }), ["noRequest"]],
    "an answer with neither a result nor an error": [
      bench =>
        bench.sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } }).received({ id: 2 }),
      ["noResult"],
    ],
    "a request with the id of one that waits": [
      bench => {
        const read = { id: 5, method: "fs/read_text_file", params: { sessionId: "s1", path: "/a" } };
        bench.received(read).received(read);
      },
      ["noAnswer", "duplicateId"],
    ],
    "a notification with an id": [bench => bench.received({ ...chunk("s1", "x"), id: 4 }), ["isNoRequest"]],
    "a request without an id": [
      bench => bench.received({ method: "fs/read_text_file", params: { sessionId: "s1", path: "/a" } }),
      ["isNoNotification"],
    ],
    "a line that is no message": [bench => bench.recorder.recordText("out", "Welcome!"), ["notMessage"]],
    "nothing in a line of the error output": [bench => bench.recorder.recordText("err", "warning"), []],
  };
  for (const [title, [act, expected]] of Object.entries(cases)) {
    it(`are: ${title}`, () => {
      const bench = new Bench().opened();
      act(bench);
      assert.deepEqual(bench.faults(), expected);
    });
  }

  it("depend on the version that the sides agreed on", () => {
    const prompt = { id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } };
    const answer = { id: 2, result: { messageId: "m" } };
    assert.deepEqual(new Bench().opened(1).sent(prompt).received(answer).faults(), ["missingField result.stopReason"]);
    assert.deepEqual(new Bench().opened(2).sent(prompt).received(answer).faults(), []);
    const read = { id: 5, method: "fs/read_text_file", params: { sessionId: "s1", path: "/a" } };
    assert.deepEqual(new Bench().opened(2).received(read).faults(), ["unknownMethod fs/read_text_file"]);
  });

  it("depend on the agreed version also once the message with it was dropped", () => {
    const { recorder } = new Bench().opened(2);
    for (let at = 0; at < 50_000; at++) recorder.recordText("err", "x");
    recorder.recordMessage("c>a", { id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } }, 10);
    recorder.recordMessage("a>c", { id: 2, result: { messageId: "m" } }, 10);
    const index = new MessageIndex(recorder);
    index.advance(never);
    assert.deepEqual(
      [index.rowAt(index.end - 1)?.method, index.rowAt(index.end - 1)?.faults],
      ["session/prompt", undefined],
    );
  });

  it("are requests without an answer only after the end of the connection", () => {
    const bench = new Bench().opened();
    bench.sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } });
    assert.deepEqual(bench.faults(), []);
    bench.index.takeChanged();
    bench.recorder.close();
    assert.equal(bench.index.isComplete, false);
    assert.deepEqual(bench.faults(), ["noAnswer"]);
    assert.deepEqual([...bench.index.takeChanged()], [4]);
  });

  it("are no answers whose request can be among the dropped messages", () => {
    const recorder = new TrafficRecorder(new FakeClock());
    for (let at = 0; at < 50_001; at++) recorder.recordMessage("a>c", chunk("s1", "x"), 10);
    recorder.recordMessage("a>c", { id: 1, result: {} }, 10);
    const index = new MessageIndex(recorder);
    index.advance(never);
    assert.equal(index.rowAt(index.end - 1)?.faults, undefined);
  });
});

describe("the filter of the protocol inspector", () => {
  const bench = (): Bench =>
    new Bench()
      .opened()
      .received(chunk("s1", "Hello World"))
      .received(chunk("s2", "hello again"))
      .received({ method: "session/nonsense", params: {} })
      .sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [], apiKey: "hidden-hello" } })
      .received({ id: 2, error: { code: 1, message: "overloaded" } });

  const cases: readonly (readonly [InspectorFilter, readonly number[]])[] = [
    [{}, [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    [{ method: "session/prompt" }, [7, 8]],
    [{ session: "s1" }, [2, 3, 4, 7, 8]],
    [{ text: "HELLO" }, [4, 5]],
    [{ text: "hidden-" }, []],
    [{ only: "errors" }, [8]],
    [{ only: "faults" }, [6]],
    [{ text: "hello", session: "s2" }, [5]],
    [{ text: "session/new" }, [2, 3]],
  ];
  for (const [filter, expected] of cases) {
    it(`passes the right rows with ${JSON.stringify(filter)}`, () => {
      const rows = bench().filtered(filter);
      assert.deepEqual(numbersOf(rows), expected);
      assert.deepEqual(
        expected.map(number => rows.positionOf(number)),
        expected.map((_, at) => at),
      );
    });
  }

  it("knows no position of a row that it hides", () => {
    const rows = bench().filtered({ only: "errors" });
    assert.deepEqual([rows.positionOf(7), rows.positionOf(9)], [undefined, undefined]);
  });

  it("takes new messages in, in slices, and keeps positions when older ones are dropped", () => {
    const { recorder, index } = bench();
    const rows = new FilteredRows(index, { session: "s1" }, { ofRecord: () => "", ofName: name => name });
    while (!index.advance(always) || !rows.advance(always));
    assert.deepEqual(numbersOf(rows), [2, 3, 4, 7, 8]);
    for (let at = 0; at < 50_000; at++) recorder.recordMessage("a>c", chunk(at === 9 ? "s1" : "s2", "x"), 10);
    index.advance(never);
    rows.advance(never);
    assert.deepEqual([rows.removed, rows.end, rows.rowAt(5)?.number], [5, 6, 18]);
    assert.deepEqual([rows.rowAt(4), rows.positionOf(18), rows.positionOf(8)], [undefined, 5, undefined]);
  });
});

describe("the message at which a failure began", () => {
  const prompt = (id: number, session: string): object => ({
    ...{ id, method: "session/prompt" },
    params: { sessionId: session, prompt: [] },
  });
  const error = { code: 1, message: "x" };
  const failing = (bench: Bench, session: string | undefined): number | undefined => {
    bench.rows();
    return failingMessage(bench.index, session);
  };

  it("is the latest error of the session, else the latest that is of no session", () => {
    const bench = new Bench().opened();
    bench.sent(prompt(2, "s1")).received({ id: 2, error }).sent(prompt(3, "s2")).received({ id: 3, error });
    bench.received(chunk("s1", "x"));
    assert.deepEqual(
      ["s1", "s2", undefined].map(session => failing(bench, session)),
      [5, 7, 7],
    );
    bench.sent({ id: 4, method: "authenticate", params: { methodId: "m" } }).received({ id: 4, error });
    assert.deepEqual(
      ["s1", "s2", "s3", undefined].map(session => failing(bench, session)),
      [5, 7, 10, 10],
    );
  });

  it("is none if the failure is not among the messages", () => {
    const bench = new Bench().opened();
    assert.equal(failing(bench, "s1"), undefined);
    bench.sent(prompt(2, "s2")).received({ id: 2, error });
    assert.equal(failing(bench, "s1"), undefined, "that of another session");
    assert.equal(failing(new Bench(), "s1"), undefined);
    bench.recorder.close();
    assert.equal(failing(bench, "before"), undefined, "a session of an earlier connection");
  });

  it("is the last message if the agent ended while nothing was asked", () => {
    const bench = new Bench().opened();
    bench.recorder.recordText("err", "Segmentation fault");
    bench.recorder.close();
    assert.equal(failing(bench, "s1"), 4);
  });

  it("is not an error that Parley answered to the agent", () => {
    const bench = new Bench().opened().sent(prompt(2, "s1"));
    bench.received({ id: 7, method: "fs/read_text_file", params: { sessionId: "s1", path: "/a" } });
    bench.sent({ id: 7, error }).recorder.close();
    assert.equal(failing(bench, "s1"), 4);
  });

  it("is an answer that is not as the protocol defines it", () => {
    const bench = new Bench().opened();
    bench.sent({ id: 2, method: "session/new", params: { cwd: "/w", mcpServers: [] } }).received({ id: 2, result: {} });
    assert.equal(failing(bench, undefined), 5);
  });

  it("is a request of the session that waits for its answer, if none failed", () => {
    const bench = new Bench().opened().sent(prompt(2, "s1"));
    bench.sent({ id: 3, method: "session/new", params: { cwd: "/w", mcpServers: [] } });
    bench.sent(prompt(4, "s2")).received({ id: 4, error });
    assert.deepEqual(
      ["s1", "s2", undefined].map(session => failing(bench, session)),
      [4, 7, 5],
    );
  });

  it("is the prompt that the agent did not answer before its end", () => {
    const bench = new Bench().opened();
    bench.sent({ id: 2, method: "session/prompt", params: { sessionId: "s1", prompt: [] } });
    bench.received(chunk("s1", "x")).recorder.recordText("err", "Segmentation fault");
    bench.recorder.close();
    bench.rows();
    assert.equal(failingMessage(bench.index, "s1"), 4);
  });
});
