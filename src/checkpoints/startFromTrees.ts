// The files of a turn's start, from the trees that were taken then.
import { join } from "node:path";
import type { TurnStart } from "../review/turns/turnStart.ts";
import type { TreeRecord } from "./checkpointIndex.ts";
import type { CheckpointTrees } from "./checkpointTrees.ts";

/** The maximum number of differences whose texts are read. */
const maxDifferences = 5000;

/** The files as they were when the trees were taken. To compare, trees of the disk are taken again. */
export function startFromTrees(trees: CheckpointTrees, records: readonly TreeRecord[]): TurnStart {
  return {
    folders: records.map(({ folder }) => folder),
    omitted: records.flatMap(({ folder, left, ignored = [] }) => [...left, ...ignored].map(path => join(folder, path))),
    textAt: path => trees.textAt(records, path),
    stateAt: path => trees.stateAt(records, path),
    filesAt: path => trees.filesAt(records, path),
    async differences(signal) {
      const { files } = await trees.changed(records, await trees.take(signal), maxDifferences);
      return files.map(({ path, text, was, is }) => ({ path, before: text, was, is }));
    },
  };
}
