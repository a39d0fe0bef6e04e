// Writes the log of a conversation that did not happen in this window: one that an agent had before.
import type { Clock, Log } from "../../base/log.ts";
import type { LoggedEvent, SessionEvent } from "../events.ts";
import { sessionFileName, SessionWriter, type LogStorage } from "./sessionStore.ts";

export interface WriteLogOptions {
  readonly storage: LogStorage;
  readonly session: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes the events as a new log. `at`: the time of the conversation. Rejects if they could not be stored. */
export async function writeNewLog(
  options: WriteLogOptions,
  events: readonly SessionEvent[],
  at: number,
): Promise<void> {
  await write(
    options,
    events.map((event, seq) => ({ seq, at, event })),
    true,
  );
}

/** Copies the log of a session, and adds the events. Rejects if there is no log, or if it could not be stored. */
export async function copyLog(
  options: WriteLogOptions,
  from: { readonly session: string; readonly nextSeq: number },
  events: readonly SessionEvent[],
): Promise<void> {
  const { storage, session, clock } = options;
  const text = await storage.read(sessionFileName(from.session));
  if (text === undefined) throw new Error("The session has no log.");
  await storage.append(sessionFileName(session), text);
  const at = clock.now();
  await write(
    options,
    events.map((event, index) => ({ seq: from.nextSeq + index, at, event })),
    false,
  );
}

async function write(options: WriteLogOptions, events: readonly LoggedEvent[], isNew: boolean): Promise<void> {
  let failure: string | undefined;
  const writer = new SessionWriter({ ...options, isNew, onFailed: reason => (failure = reason) });
  for (const logged of events) writer.write(logged);
  await writer.flush();
  writer.dispose();
  if (failure !== undefined) throw new Error(failure);
}
