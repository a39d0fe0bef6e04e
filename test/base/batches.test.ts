// Questions that are answered in batches.
import assert from "node:assert/strict";
import { Batches } from "../../src/base/batches.ts";

describe("Batches", () => {
  /** The batches that were answered, each with its keys. */
  let asked: (readonly string[])[];
  const fails = new Set<string>();
  const newBatches = (maxKeys: number): Batches<string, string> =>
    new Batches(async keys => {
      asked.push(keys);
      await new Promise(resolve => setImmediate(resolve));
      const wrong = keys.find(key => fails.has(key));
      if (wrong !== undefined) throw new Error(`No answer to ${wrong}`);
      return keys.map(key => key.toUpperCase());
    }, maxKeys);
  beforeEach(() => {
    asked = [];
    fails.clear();
  });

  it("answers together what is asked in one moment, and what is asked while others are answered", async () => {
    const batches = newBatches(10);
    const first = ["a", "b"].map(key => batches.get(key));
    await new Promise(resolve => setImmediate(resolve));
    const second = ["c", "a"].map(key => batches.get(key));
    assert.deepEqual(await Promise.all([...first, ...second]), ["A", "B", "C", "A"]);
    assert.deepEqual(asked, [
      ["a", "b"],
      ["c", "a"],
    ]);
    assert.equal(await batches.get("d"), "D");
  });

  it("divides more questions than the limit into several batches", async () => {
    const batches = newBatches(2);
    assert.deepEqual(await Promise.all(["a", "b", "c"].map(key => batches.get(key))), ["A", "B", "C"]);
    assert.deepEqual(asked, [["a", "b"], ["c"]]);
  });

  it("rejects only the question whose answer fails, and goes on", async () => {
    const batches = newBatches(10);
    fails.add("b");
    const outcomes = await Promise.allSettled(["a", "b", "c"].map(key => batches.get(key)));
    assert.deepEqual(
      outcomes.map(one => (one.status === "fulfilled" ? one.value : String(one.reason))),
      ["A", "Error: No answer to b", "C"],
    );
    assert.deepEqual(asked, [["a", "b", "c"], ["a"], ["b"], ["c"]]);
    assert.equal(await batches.get("d"), "D");
  });
});
