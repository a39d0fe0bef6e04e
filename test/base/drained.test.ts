// Waiting for a stream that cannot take more now.
import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { drained } from "../../src/base/drained.ts";

describe("waiting for a stream", () => {
  const listeners = (stream: Writable): number => stream.listenerCount("drain") + stream.listenerCount("close");

  it("ends when the stream takes data again, and leaves no listener after many chunks", async () => {
    const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => setImmediate(done) });
    const before = listeners(stream);
    for (let chunk = 0; chunk < 50; chunk++) {
      assert.equal(stream.write("two"), false);
      await drained(stream);
    }
    assert.equal(listeners(stream), before);
  });

  it("ends when the stream closes, and leaves no listener", async () => {
    const stream = new Writable({ highWaterMark: 1, write: () => {} });
    const before = listeners(stream);
    assert.equal(stream.write("two"), false);
    const waiting = drained(stream);
    stream.destroy();
    await waiting;
    assert.equal(listeners(stream), before);
  });
});
