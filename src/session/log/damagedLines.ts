// Which lines of a log cannot be read. A session opens without them, so whoever searches it must say so.
import { isFiniteNumber, isRecordWith } from "../../base/validators.ts";
import { parseLogLine, sessionFileName, type LogStorage } from "./sessionStore.ts";

/** The bytes that are checked before other work of the extension host gets its turn, a few milliseconds. */
const bytesPerSlice = 256 * 1024;

/**
 * The number of lines of a log that are neither an event nor the line of the version, from a byte on and up to another. Both
 * are at the end of a line, or at that of a line that a killed window left incomplete. Rejects if the log cannot be read.
 */
export async function countDamagedLines(
  storage: LogStorage,
  session: string,
  from: number,
  to: number,
): Promise<number> {
  let damaged = 0;
  let rest = Buffer.alloc(0);
  for (let at = from; ;) {
    const slice = await storage.readSlice(sessionFileName(session), at, Math.min(bytesPerSlice, to - at));
    const isEnd = !slice || slice.length === 0;
    const whole = slice ? Buffer.concat([rest, slice]) : rest;
    const end = isEnd ? whole.length : whole.lastIndexOf(0x0a) + 1;
    for (const row of whole.subarray(0, end).toString("utf8").split("\n")) if (isDamaged(row)) damaged++;
    if (isEnd) return damaged;
    rest = Buffer.from(whole.subarray(end));
    at += slice.length;
  }
}

const isVersion = isRecordWith({ parley: isFiniteNumber });

function isDamaged(row: string): boolean {
  if (row === "" || parseLogLine(row) !== undefined) return false;
  try {
    return !isVersion(JSON.parse(row));
  } catch {
    return true;
  }
}
