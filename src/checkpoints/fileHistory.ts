// What the records of a file, from one turn or restore to the next, tell about who changed it.
import { normalizeText } from "../base/text.ts";
import type { FileState } from "../files/fileState.ts";
import type { TurnFileRecord } from "./checkpointIndex.ts";
import { contentKey } from "./checkpointStore.ts";

/** The key of a text. Texts with the same lines have the same key. */
export const textKey = (text: string | null): string | null => (text === null ? null : contentKey(normalizeText(text)));

/** The key of a state that is no text. */
export function stateKey(state: FileState): string | null {
  if (state.kind === "missing") return null;
  return contentKey(state.kind === "link" ? `link ${state.target}` : state.bytes);
}

/**
 * The last known contents after the agent: its last text, and what it made then that is no text. A touch without a text
 * left the text as it was.
 */
export const lastKnownKeys = ({ before, after = before, afterState }: TurnFileRecord): readonly (string | null)[] =>
  [after, afterState].filter(key => key !== undefined);

/** Whether the user or another program changed the file between two touches or after the last one. */
export function wasChangedBetween(history: readonly TurnFileRecord[], now: string | null): boolean {
  return history.some((file, i) => {
    if (file.others) return true;
    const after = lastKnownKeys(file);
    const next = history[i + 1];
    if (after.length === 0) return next === undefined;
    const found = next ? next.before : now;
    return found !== undefined && !after.includes(found);
  });
}

/** Whether the file is as it was before the first touch. */
export function isUntouched(history: readonly TurnFileRecord[], now: string | null): boolean {
  return history.every(file => file.before === now && lastKnownKeys(file).every(key => key === now));
}
