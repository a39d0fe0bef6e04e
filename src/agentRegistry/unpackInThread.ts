// Unpacks an archive in the thread `dist/unpackArchive.js`, and puts what is wrong with the archive into words.
import { Worker } from "node:worker_threads";
import { asError } from "../base/errors.ts";
import { visibleName } from "../base/inertText.ts";
import { t } from "../base/l10n.ts";
import type { ArchiveFault } from "./archiveEntry.ts";
import type { UnpackResult, UnpackTask } from "./unpack/unpackMessages.ts";

/** Enough for the blocks of bzip2, which become lists of numbers (MB). */
const maxMemory = 2048;

/** Unpacks with the script of the thread. Rejects with a sentence; the folder can then contain some files. */
export function unpackInThread(script: string, task: UnpackTask, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(asError(signal.reason));
    const worker = new Worker(script, { workerData: task, resourceLimits: { maxOldGenerationSizeMb: maxMemory } });
    let isSettled = false;
    const settle = (end: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener("abort", onAbort);
      // The thread may still write, so it ends before the folder can be removed.
      void worker.terminate().then(end, end);
    };
    const onAbort = (): void => settle(() => reject(asError(signal.reason)));
    signal.addEventListener("abort", onAbort, { once: true });
    worker.once("message", ({ fault }: UnpackResult) =>
      settle(fault ? () => reject(new Error(archiveFaultText(fault))) : resolve),
    );
    worker.once("error", error =>
      settle(() => reject(new Error(t("The archive could not be unpacked: {0}", asError(error).message)))),
    );
    worker.once("exit", () => settle(() => reject(new Error(t("The archive could not be unpacked.")))));
  });
}

/** Why an archive is refused, as a sentence. */
function archiveFaultText(found: ArchiveFault): string {
  const name = "name" in found ? visibleName(found.name, 100) : "";
  switch (found.fault) {
    case "name":
      return t(
        "The archive was refused: the name “{0}” leads out of its folder, or is not allowed on every system.",
        name,
      );
    case "link":
      return t("The archive was refused: “{0}” is a link.", name);
    case "special":
      return t("The archive was refused: “{0}” is neither a file nor a folder.", name);
    case "twice":
      return t("The archive was refused: it contains “{0}” twice.", name);
    case "encrypted":
      return t("The archive was refused: “{0}” is encrypted.", name);
    case "tooMany":
      return t("The archive was refused: it contains too many files.");
    case "tooLarge":
      return t("The archive was refused: its files are too large.");
    case "ratio":
      return t("The archive was refused: its files are far larger than the archive.");
    case "empty":
      return t("The archive is empty.");
    case "noProgram":
      return t("The archive does not contain the program “{0}” of the registry.", name);
    case "damaged":
      return t("The archive is damaged ({0}).", found.reason);
  }
}
