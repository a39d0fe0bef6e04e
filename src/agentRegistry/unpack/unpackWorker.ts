// The entry of `dist/unpackArchive.js`: a thread of its own, because bzip2 is unpacked without a pause, and a hostile
// archive must not take the memory of the extension host.
import { parentPort, workerData } from "node:worker_threads";
import { unpackArchive } from "./unpackArchive.ts";
import type { UnpackTask } from "./unpackMessages.ts";

void unpackArchive(workerData as UnpackTask).then(
  result => parentPort?.postMessage(result),
  // An error of the thread reaches the extension with its message.
  (error: unknown) =>
    setImmediate(() => {
      throw error;
    }),
);
