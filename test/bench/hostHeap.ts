// The memory of the extension host.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Collects all garbage, and writes the bytes in use into the file. */
export async function writeHeap(file: string): Promise<void> {
  const inspector = new Session();
  inspector.connect();
  // Finalizers and timers free more.
  for (let round = 0; round < 3; round++) {
    await wait(1000);
    await inspector.post("HeapProfiler.collectGarbage");
  }
  const { heapUsed, external } = process.memoryUsage();
  inspector.disconnect();
  writeFileSync(file, `${heapUsed + external}\n`);
}
