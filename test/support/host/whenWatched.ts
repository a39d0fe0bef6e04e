// Waits until VS Code reports what changes in a folder.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileEvents } from "../../../src/files/vscode/fileEvents.ts";
import { until } from "../fakes/until.ts";

/**
 * VS Code's watcher reports a burst of changes after a pause of 50 ms, or after 500 ms. A file that is written all the
 * time is such a burst, so it is written again only after this time (ms).
 */
const writeInterval = 150;

/** Resolves once changes in the folder are reported. In a new folder the first changes are not. */
export async function whenWatched(folder: string, fileEvents: FileEvents): Promise<void> {
  const file = join(folder, "watched");
  let isNoticed = false;
  let writtenAt = 0;
  const watching = fileEvents.watchFolder(folder, ({ path }) => (isNoticed ||= path === file));
  await until(async () => {
    if (Date.now() - writtenAt < writeInterval) return isNoticed;
    writtenAt = Date.now();
    await writeFile(file, `${writtenAt}`);
    return isNoticed;
  });
  watching.dispose();
}
