// Opens a stored session: from its snapshot and the events after it, otherwise from its whole log. Logs are read in
// slices, so that the extension host stays responsive.
import type { Log } from "../../base/log.ts";
import type { LoggedEvent } from "../events.ts";
import { replayInSlices, type Replayed } from "./replay.ts";
import { parseLogLine, sessionFileName, type LogStorage } from "./sessionStore.ts";
import { parseSnapshot, serializeSnapshot, snapshotFileName, snapshotTailLength } from "./snapshot.ts";

export interface OpenLogOptions {
  readonly storage: LogStorage;
  readonly session: string;
  /** The version of Parley. It ignores snapshots of other versions. */
  readonly version: string;
  readonly log: Log;
}

export interface OpenedLog extends Replayed {
  /** The length of the log, in bytes. */
  readonly bytes: number;
  /** The number of events that were replayed. */
  readonly replayed: number;
}

/** The conversation in the log. Undefined if there is no log, or if it has no event. */
export async function openLog(options: OpenLogOptions): Promise<OpenedLog | undefined> {
  return (await openFromSnapshot(options)) ?? (await replayFrom(options));
}

async function openFromSnapshot(options: OpenLogOptions): Promise<OpenedLog | undefined> {
  const { storage, session, version } = options;
  const text = await storage.read(snapshotFileName(session));
  const snapshot = text === undefined ? undefined : parseSnapshot(text, version);
  if (!snapshot) return undefined;
  const tailBytes = Buffer.byteLength(snapshot.tail);
  const from = snapshot.bytes - tailBytes;
  const rest = from < 0 ? undefined : await storage.readSlice(sessionFileName(session), from, tailBytes);
  if (rest?.toString("utf8") !== snapshot.tail) return undefined;
  return replayFrom(options, snapshot);
}

async function replayFrom(
  { storage, session, log }: OpenLogOptions,
  snapshot?: Replayed & { readonly bytes: number },
): Promise<OpenedLog | undefined> {
  const from = snapshot?.bytes ?? 0;
  const read = await readEvents(storage, sessionFileName(session), from);
  if (!read || (!snapshot && read.events.length === 0)) return undefined;
  // The state can cover more than the length, because events are written later than they are applied.
  const fresh = snapshot ? read.events.filter(({ seq }) => seq >= snapshot.nextSeq) : read.events;
  const replayed = await replayInSlices(fresh, log, snapshot);
  return { ...replayed, bytes: read.bytes, replayed: fresh.length };
}

/** The bytes of a log that are read and parsed before other work of the extension host gets its turn. */
const bytesPerSlice = 256 * 1024;

/** The events in the log from this byte on. Lines of which `parse` makes no event are skipped. */
export async function readEvents(
  storage: Pick<LogStorage, "readSlice">,
  name: string,
  from = 0,
  parse: (line: string) => LoggedEvent | undefined = parseLogLine,
): Promise<{ readonly events: readonly LoggedEvent[]; readonly bytes: number } | undefined> {
  const events: LoggedEvent[] = [];
  let rest = Buffer.alloc(0);
  let bytes = from;
  for (;;) {
    const slice = await storage.readSlice(name, bytes, bytesPerSlice);
    if (!slice) return undefined;
    bytes += slice.length;
    // A character can be split between two slices, a line feed cannot.
    const whole = rest.length === 0 ? slice : Buffer.concat([rest, slice]);
    const end = slice.length === 0 ? whole.length : whole.lastIndexOf(0x0a) + 1;
    for (const row of whole.subarray(0, end).toString("utf8").split("\n")) {
      const logged = row === "" ? undefined : parse(row);
      if (logged) events.push(logged);
    }
    rest = Buffer.from(whole.subarray(end));
    if (slice.length === 0) return { events, bytes };
  }
}

/**
 * Writes a snapshot. `current` returns the session as it is now. It is called after the length of the log was read, so
 * that it has every event in that part of the log.
 */
export async function writeSnapshot(options: OpenLogOptions, current: () => Replayed): Promise<void> {
  const { storage, session, version } = options;
  const name = sessionFileName(session);
  const bytes = await storage.size(name);
  if (bytes === undefined) return;
  const replayed = current();
  const from = Math.max(0, bytes - snapshotTailLength);
  const end = (await storage.readSlice(name, from, bytes - from)) ?? Buffer.alloc(0);
  // The tail begins at a whole character.
  let start = 0;
  while (start < end.length && ((end[start] ?? 0) & 0xc0) === 0x80) start++;
  const tail = end.subarray(start).toString("utf8");
  await storage.write(snapshotFileName(session), serializeSnapshot({ ...replayed, bytes, tail }, version));
}
