// The files of a data folder, read while VS Code writes there.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The paths of all files below the folder, relative to it. What is removed meanwhile is left out. */
export function filesBelow(folder: string): readonly string[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap(entry =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)).map(path => join(entry.name, path)) : [entry.name],
  );
}

/** The text of a file. Undefined if it was removed or renamed meanwhile. */
export const textOf = (path: string): string | undefined => unlessGone(() => readFileSync(path, "utf8"));

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
