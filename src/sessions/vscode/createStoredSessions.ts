// Creates the index of the stored sessions, reads it when the window has started, and removes sessions beyond the limits,
// which the user can undo.
import { asError } from "../../base/errors.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { SessionLimits } from "../retention.ts";
import { announceRemoval, unseenRemovals } from "./removedSessions.ts";
import { StoredSessions, type StoredSessionsOptions } from "../storedSessions.ts";

/** The index is read this long after the extension starts, because the chat comes first (ms). */
const loadDelay = 2000;
const hour = 60 * 60 * 1000;

export interface StoredSessionsSources extends Pick<StoredSessionsOptions, "trash" | "isOpen" | "openElsewhere"> {
  readonly limits: () => SessionLimits;
}

export interface StoredSessionsFeature {
  readonly stored: StoredSessions;
  /** Reads the entries again, because other windows on the workspace change them too. */
  refresh(): Promise<void>;
  /** Resolves when every entry is written. */
  flush(): Promise<void>;
}

/** Creates the index. */
export function createStoredSessions(
  { context, store, storage, clock, log }: ExtensionPlatform,
  { limits, ...sources }: StoredSessionsSources,
): StoredSessionsFeature {
  const { version } = context.extension.packageJSON as { readonly version: string };
  const stored = store.add(new StoredSessions({ storage, clock, log, version, ...sources }));
  let timer = clock.after(loadDelay, () => void start());
  store.add({ dispose: () => timer.dispose() });
  const failed = (error: unknown): void => log.error("The stored sessions could not be read.", asError(error).stack);
  const start = async (): Promise<void> => {
    await stored.load().catch(failed);
    await prune();
    // Also those of which an earlier window has shown no notice.
    await unseenRemovals(stored).then(announce, failed);
  };
  const prune = async (): Promise<readonly string[]> => {
    timer = clock.after(hour, () => void prune().then(announce));
    const removed = (await stored.prune(limits()).catch(failed)) ?? [];
    return removed.filter(({ reason }) => reason === "limit").map(({ id }) => id);
  };
  const announce = (ids: readonly string[]): void => void announceRemoval(stored, ids, log);
  const refresh = (): Promise<void> => stored.load().catch(failed);
  return { stored, refresh, flush: () => stored.flush() };
}
