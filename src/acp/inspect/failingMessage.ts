// The message at which a failure that the chat shows began.
import type { MessageIndex, MessageRow } from "./messageIndex.ts";

/**
 * The number of the latest message of the agent's session that failed: an error, or a request that was never answered.
 * Without one, that of any session, then the last row. Undefined if there are no rows.
 */
export function failingMessage(index: MessageIndex, session: string | undefined): number | undefined {
  let other: number | undefined;
  for (let number = index.end - 1; number >= index.first; number--) {
    const row = index.rowAt(number);
    if (!row || !isFailure(row)) continue;
    if (row.session === session || session === undefined) return number;
    other ??= number;
  }
  return other ?? (index.end > index.first ? index.end - 1 : undefined);
}

const isFailure = ({ isError, faults = [] }: MessageRow): boolean =>
  isError === true || faults.some(({ kind }) => kind === "noAnswer");
