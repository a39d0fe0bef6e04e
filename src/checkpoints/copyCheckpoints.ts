// Copies the checkpoints of a session for a branch of it, so that each of the two can be deleted or pruned alone.
import { parseIndex, serializeIndex, type TurnRecord } from "./checkpointIndex.ts";
import { isRemoved } from "./checkpointRetention.ts";
import type { CheckpointFolder } from "./checkpointStore.ts";

/**
 * The records that a branch begins with. Those of later turns stay, although the branch does not have their messages: they
 * know what the agent changed since. A restore can be undone only in the session that made it.
 */
const copiedRecords = (records: readonly TurnRecord[]): readonly TurnRecord[] =>
  records
    .filter(record => !isRemoved(record))
    .map(record => (record.kind === "restore" ? { ...record, undone: true } : record));

/** Copies what is stored of a session for a new one. Rejects, and leaves nothing behind, if that fails. */
export async function copyCheckpoints(folder: CheckpointFolder, from: string, to: string): Promise<void> {
  const text = await folder.session(from).readIndex();
  const records = text === undefined ? [] : copiedRecords(parseIndex(text));
  if (records.length > 0) await folder.copy(from, to, serializeIndex(records));
}
