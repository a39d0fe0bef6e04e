// Framing: bytes to messages and back, for any chunk boundaries and any other output of an agent between messages.
import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import fc from "fast-check";
import type { Message } from "vscode-jsonrpc/node";
import { acpDialect } from "../../src/acp/dialect.ts";
import { NdJsonReader, NdJsonWriter, maxWaitingLines, parseLine, type BadLine } from "../../src/acp/ndjson.ts";
import { readPace } from "../../src/agents/readPace.ts";
import { LineSplitter } from "../../src/base/lineSplitter.ts";
import { ReadBudget } from "../../src/base/readBudget.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { until } from "../support/fakes/until.ts";

function split(
  chunks: readonly Uint8Array[],
  limit = Number.POSITIVE_INFINITY,
): { lines: string[]; oversized: number[] } {
  const lines: string[] = [];
  const oversized: number[] = [];
  const splitter = new LineSplitter(
    line => lines.push(line.toString("utf8")),
    bytes => oversized.push(bytes),
    limit,
  );
  for (const chunk of chunks) splitter.push(Buffer.from(chunk));
  splitter.end();
  return { lines, oversized };
}

/** The bytes, split at the given offsets. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map(place => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length));
}

const message = (text: string, id?: number): unknown => ({
  jsonrpc: "2.0",
  ...(id !== undefined && { id }),
  method: "session/update",
  params: { text },
});

interface Reading {
  readonly input: PassThrough;
  readonly reader: NdJsonReader;
  readonly messages: Message[];
  readonly bad: BadLine[];
  readonly state: { closed: number };
}

function reading(input = new PassThrough(), credit?: ReadBudget, isHidden = (_: string): boolean => false): Reading {
  const messages: Message[] = [];
  const bad: BadLine[] = [];
  const state = { closed: 0 };
  const pace = credit && readPace(credit, isHidden);
  const reader = new NdJsonReader(input, acpDialect, { onBadLine: line => bad.push(line) }, pace);
  reader.onClose(() => state.closed++);
  reader.listen(one => messages.push(one));
  return { input, reader, messages, bad, state };
}

describe("the line splitter", () => {
  it("finds the same lines for any chunk boundaries, also inside a character", () => {
    const line = fc.string({ unit: "grapheme" }).map(text => text.replace(/[\r\n]/g, "·"));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(10_000)), fc.constantFrom("\n", "\r\n"), (lines, places, end) => {
        const bytes = Buffer.from(lines.map(one => one + end).join(""), "utf8");
        assert.deepEqual(
          split(cut(bytes, places)).lines,
          lines.map(one => Buffer.from(one).toString()),
        );
      }),
    );
  });

  it("accepts a last line without a line feed", () => {
    assert.deepEqual(split([Buffer.from("one\ntwo")]).lines, ["one", "two"]);
  });

  it("drops a line over the limit, reports its size, and continues with the next line", () => {
    const bytes = Buffer.from(`short\n${"x".repeat(50)}\nafter\n`);
    for (const size of [1, 7, 1000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      assert.deepEqual(split(chunks, 20), { lines: ["short", "after"], oversized: [50] });
    }
  });

  it("keeps a line of exactly the limit", () => {
    assert.deepEqual(split([Buffer.from(`${"x".repeat(20)}\n`)], 20), { lines: ["x".repeat(20)], oversized: [] });
  });
});

describe("a line of an agent", () => {
  const taken = (text: string): Record<string, unknown> => {
    const result = parseLine(text, acpDialect);
    assert.ok(result && "message" in result, `not taken: ${text}`);
    return result.message as unknown as Record<string, unknown>;
  };
  const refused = (text: string): string => {
    const result = parseLine(text, acpDialect);
    assert.ok(result && "bad" in result, `taken: ${text}`);
    return result.bad;
  };

  it("is ignored when it is blank", () => {
    for (const text of ["", "  ", "\t\r"]) assert.equal(parseLine(text, acpDialect), undefined);
  });

  it("may lack `jsonrpc`, contain U+2028, or follow escape codes", () => {
    assert.deepEqual(taken('{"method":"m","params":{"a":"\u2028"}}'), {
      jsonrpc: "2.0",
      method: "m",
      params: { a: "\u2028" },
    });
    assert.equal(taken('\u001b[?1049h\u001b[2J{"id":1,"result":{}}')["id"], 1);
    assert.equal(taken('Enter the code: {"id":2,"result":{}}')["id"], 2);
  });

  it("becomes a null result when the response has none", () => {
    assert.deepEqual(taken('{"id":1}'), { jsonrpc: "2.0", id: 1, result: null });
    assert.deepEqual(taken('{"id":"u-1","result":null,"error":null}'), { jsonrpc: "2.0", id: "u-1", result: null });
  });

  it("becomes an error with a code and a message when the response has an error of any shape", () => {
    assert.deepEqual(taken('{"id":1,"error":"no"}')["error"], { code: -32603, message: "no" });
    assert.deepEqual(taken('{"id":1,"error":{"code":"x","data":1},"result":{}}'), {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32603, message: "The agent gave no reason.", data: 1 },
    });
  });

  it("is refused with the reason when it is not a message", () => {
    assert.match(refused("this is not JSON"), /not JSON/);
    for (const text of ["[]", "null", "1", '"a"', "[{}]"]) assert.match(refused(text), /not a JSON-RPC message/);
    assert.match(refused("{}"), /neither a method nor an id/);
    assert.match(refused('{"id":null,"error":{"code":-32700,"message":"Parse error"}}'), /answers no request/);
    assert.match(refused('{"error":{"code":-32700,"message":"Parse error"}}'), /answers no request/);
    assert.match(refused('{"id":null,"method":"m"}'), /id is null/);
    assert.match(refused('{"id":1.5,"method":"m"}'), /whole number/);
    assert.match(refused('{"id":{},"method":"m"}'), /whole number/);
    assert.match(refused('{"method":7}'), /method is not a string/);
  });

  it("is not a request of the agent when it echoes our own output", () => {
    const line = '{"jsonrpc":"2.0","id":5,"method":"authenticate","params":{"methodId":"key"}}';
    assert.match(refused(`Enter the authorization code: ${line}\r`), /echo of a message/);
    for (const method of ["initialize", "session/new", "session/prompt", "session/cancel"]) {
      assert.match(refused(JSON.stringify({ method, params: {} })), /echo of a message/);
    }
    for (const method of ["session/update", "session/request_permission", "session/newer", "fs/read_text_file"]) {
      assert.equal(taken(JSON.stringify({ id: 1, method, params: {} }))["method"], method);
    }
  });

  it("gives handlers one object as params, for any value on the wire", () => {
    for (const params of ["7", "null", '"a"', "[1,2]", "[]"]) {
      assert.deepEqual(taken(`{"id":1,"method":"m","params":${params}}`)["params"], {});
    }
    assert.deepEqual(taken('{"id":1,"method":"m"}')["params"], {});
  });

  it("becomes the cancellation that vscode-jsonrpc knows", () => {
    assert.deepEqual(taken('{"method":"$/cancel_request","params":{"requestId":"r"}}'), {
      jsonrpc: "2.0",
      method: "$/cancelRequest",
      params: { id: "r" },
    });
    for (const params of ["null", "[]", "3", "{}", '{"requestId":null}', '{"requestId":1.5}']) {
      const line = parseLine(`{"method":"$/cancel_request","params":${params}}`, acpDialect);
      assert.deepEqual(line, { bad: "It cancels a request without naming it." }, params);
    }
  });

  it("is read with the method names of the protocol that it is given", () => {
    const dialect = {
      isClientMethod: (method: string) => method === "ask",
      cancelMethod: "stop",
      cancelledIdField: "of",
    };
    const read = (method: string, params: object): unknown => {
      const result = parseLine(JSON.stringify({ method, params }), dialect);
      return result && "message" in result ? result.message : result;
    };
    assert.deepEqual(read("ask", {}), { bad: "It is an echo of a message from Parley." });
    assert.deepEqual(read("stop", { of: 3 }), { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 3 } });
    assert.deepEqual(read("session/prompt", {}), { jsonrpc: "2.0", method: "session/prompt", params: {} });
  });

  it("never throws and is either accepted or refused", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.anything().map(value => JSON.stringify(value) ?? ""),
        ),
        text => {
          const result = parseLine(text, acpDialect);
          assert.ok(result === undefined || "message" in result || "bad" in result);
        },
      ),
    );
  });
});

describe("the reader", () => {
  it("delivers every message in order for any chunk boundaries, and counts the lines that are not messages", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }).map(text => ({ text, bad: false })),
      fc.constantFrom("banner", "{", "[]").map(text => ({ text, bad: true })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(5000)), async (pieces, places) => {
        const { input, messages, bad, state } = reading();
        const rows = pieces.map(one => (one.bad ? one.text : JSON.stringify(message(one.text))));
        for (const chunk of cut(Buffer.from(rows.map(row => `${row}\n`).join("")), places)) input.write(chunk);
        input.end();
        await until(() => state.closed === 1);
        assert.deepEqual(
          messages,
          pieces.filter(one => !one.bad).map(one => JSON.parse(JSON.stringify(message(one.text))) as unknown),
        );
        assert.deepEqual(
          bad.map(line => line.text),
          pieces.filter(one => one.bad).map(one => one.text),
        );
      }),
      { numRuns: 40 },
    );
  });

  it("pauses the agent while more than about 50 messages wait, and loses none", async () => {
    const { input, messages, state } = reading();
    const count = maxWaitingLines * 5;
    let paused = 0;
    input.on("pause", () => paused++);
    for (let i = 0; i < count; i++) input.write(`${JSON.stringify(message(String(i)))}\n`);
    input.end();
    await until(() => messages.length > 0);
    // Data written after the pause waits in the stream, where an agent's writes would block.
    assert.ok(input.isPaused());
    assert.ok(input.readableLength > 0);
    await until(() => state.closed === 1);
    assert.ok(paused >= 1);
    const order = messages.map(one => Number((one as unknown as { params: { text: string } }).params.text));
    assert.deepEqual(
      order,
      Array.from({ length: count }, (_, i) => i),
    );
  });

  it("stops reading while the budget is exhausted, and continues at the same place after a reset", async () => {
    let behind = true;
    const credit = new ReadBudget({ clock: new FakeClock(), isBehind: () => behind, isPainting: () => false });
    const { input, messages, state } = reading(new PassThrough(), credit);
    const lines = Array.from({ length: 100 }, (_, n) => `${JSON.stringify(message("x".repeat(10_000), n))}\n`);
    input.end(lines.join(""));
    await until(() => credit.isExhausted);
    const { length } = messages;
    assert.ok(length > 5 && length < 50, `${length} messages`);
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
    assert.equal(messages.length, length);
    credit.reset();
    await until(() => credit.isExhausted);
    assert.ok(messages.length > length && messages.length < 100, `${messages.length} messages`);
    behind = false;
    await until(() => state.closed === 1);
    assert.deepEqual(
      messages.map(one => (one as { id?: number }).id),
      lines.map((_, n) => n),
    );
  });

  it("reads hidden sessions at once while the visible one is behind, and they leave the visible one its budget", async () => {
    const credit = new ReadBudget({ clock: new FakeClock(), isBehind: () => true, isPainting: () => false });
    const update = (sessionId: string): string => {
      const content = { type: "text", text: "x".repeat(2000) };
      return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId, content } })}\n`;
    };
    const isHidden = (session: string): boolean => session === "hidden";
    const visible = reading(new PassThrough(), credit, isHidden);
    const hidden = reading(new PassThrough(), credit, isHidden);
    hidden.input.write(update("hidden").repeat(1000));
    await until(() => hidden.messages.length === 1000);
    assert.equal(credit.isExhausted, false);
    visible.input.write(update("shown").repeat(1000));
    await until(() => credit.isExhausted);
    const { length } = visible.messages;
    assert.ok(length > 100, `${length} messages`);
    hidden.input.write(update("hidden").repeat(200));
    await until(() => hidden.messages.length === 1200);
    assert.ok(visible.messages.length < length + 300, `${visible.messages.length} messages`);
    for (const { reader } of [visible, hidden]) reader.dispose();
  });

  it("reports the end once, after the last message, also when the stream was destroyed", async () => {
    const { input, messages, state } = reading();
    input.write(`${JSON.stringify(message("a"))}\n${JSON.stringify(message("b"))}`);
    input.end();
    await until(() => state.closed > 0);
    assert.deepEqual([messages.length, state.closed], [2, 1]);
    const other = reading();
    other.input.destroy();
    await until(() => other.state.closed > 0);
    assert.equal(other.state.closed, 1);
  });

  it("delivers nothing after it is disposed, and leaves the stream flowing so that the agent does not block", async () => {
    const { input, reader, messages } = reading();
    for (let i = 0; i < maxWaitingLines * 2; i++) input.write(`${JSON.stringify(message(String(i)))}\n`);
    await until(() => messages.length > 0 && input.isPaused());
    reader.dispose();
    const had = messages.length;
    await until(() => input.readableLength === 0);
    input.write(`${JSON.stringify(message("late"))}\n`);
    input.emit("error", new Error("late"));
    await until(() => input.readableLength === 0);
    assert.equal(messages.length, had);
    assert.equal(input.isPaused(), false);
    assert.equal(input.listenerCount("data"), 0);
  });
});

describe("the writer", () => {
  it("writes one line per message and translates a cancel", async () => {
    const output = new PassThrough();
    const writer = new NdJsonWriter(output, acpDialect);
    await writer.write({ jsonrpc: "2.0", method: "m", params: { text: "a\nb\u2028" } } as Message);
    await writer.write({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 7 } } as Message);
    assert.deepEqual(String(output.read()).split("\n"), [
      '{"jsonrpc":"2.0","method":"m","params":{"text":"a\\nb\u2028"}}',
      '{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}}',
      "",
    ]);
  });

  it("waits while the pipe is full, and keeps the order", async () => {
    const taken: string[] = [];
    const held: (() => void)[] = [];
    const output = new Writable({
      highWaterMark: 10,
      write(chunk: Buffer, _encoding, done) {
        taken.push(chunk.toString());
        held.push(done);
      },
    });
    const writer = new NdJsonWriter(output, acpDialect);
    let written = 0;
    for (let i = 0; i < 3; i++) void writer.write({ jsonrpc: "2.0", method: `m${i}` } as Message).then(() => written++);
    await until(() => taken.length === 1);
    assert.equal(written, 0);
    for (let i = 0; i < 3; i++) {
      await until(() => held.length > 0);
      held.shift()?.();
    }
    await until(() => written === 3);
    assert.deepEqual(
      taken.map(line => (JSON.parse(line) as { method: string }).method),
      ["m0", "m1", "m2"],
    );
  });

  it("rejects once the pipe is closed, including pending writes", async () => {
    const output = new Writable({ highWaterMark: 1, write() {} });
    const writer = new NdJsonWriter(output, acpDialect);
    writer.onError(() => {});
    const first = writer.write({ jsonrpc: "2.0", method: "a" } as Message);
    const second = writer.write({ jsonrpc: "2.0", method: "b" } as Message);
    first.catch(() => {});
    output.destroy(new Error("EPIPE"));
    await assert.rejects(second);
    await assert.rejects(writer.write({ jsonrpc: "2.0", method: "c" } as Message), /EPIPE|closed/);
  });
});
