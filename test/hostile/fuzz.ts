// Runs a property with a printed seed, and checks that the tests of a file leave nothing behind.
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { processTree } from "../../scripts/tools/processes.mjs";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { seed } from "../support/fakes/sample.ts";
import { until } from "../support/fakes/until.ts";

/** Checks the property for this many cases, and prints their number and the seed. `FUZZ_FACTOR` multiplies the cases. */
export async function fuzz<T>(property: fc.IAsyncProperty<T> | fc.IProperty<T>, numRuns: number): Promise<void> {
  const cases = numRuns * Number(process.env["FUZZ_FACTOR"] ?? 1);
  console.log(`      ${cases} cases, SEED=${seed}`);
  await fc.assert(property, { seed, numRuns: cases });
}

/** The memory of all objects that are in use, in bytes. */
export function memoryInUse(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Fails after the tests if a disposable, a handle or a process of theirs is left, or if a prototype was changed. */
export function leaveNothingBehind(): void {
  let handles: readonly string[] = [];
  let children: readonly number[] = [];
  const openHandles = (): readonly string[] =>
    process
      .getActiveResourcesInfo()
      .filter(kind => kind !== "Immediate")
      .sort();
  const openProcesses = (): readonly number[] =>
    processTree(process.pid)
      .slice(1)
      .map(({ pid }) => pid);
  const prototypes = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
  const inherited = prototypes.map(prototype => Object.getOwnPropertyNames(prototype).join());

  before(() => {
    handles = openHandles();
    children = openProcesses();
    trackLeaks();
  });

  after(async () => {
    assert.deepEqual(findLeaks(), [], "every disposable is disposed");
    await until(() => openHandles().length <= handles.length);
    assert.deepEqual(
      openProcesses().filter(pid => !children.includes(pid)),
      [],
      "every process has ended",
    );
    assert.deepEqual(
      prototypes.map(prototype => Object.getOwnPropertyNames(prototype).join()),
      inherited,
      "no prototype was changed",
    );
  });
}
