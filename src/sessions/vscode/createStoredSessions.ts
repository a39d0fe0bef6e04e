// Creates the index of the stored sessions, reads it when the window has started, and removes sessions beyond the limits.
import { asError } from "../../base/errors.ts";
import type { ExtensionPlatform } from "../../editor/extensionPlatform.ts";
import type { SessionLimits } from "../retention.ts";
import { StoredSessions, type StoredSessionsOptions } from "../storedSessions.ts";

/** The index is read this long after the extension starts, because the chat comes first (ms). */
const loadDelay = 2000;
const hour = 60 * 60 * 1000;

export interface StoredSessionsSources extends Pick<StoredSessionsOptions, "isOpen" | "openElsewhere"> {
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
  };
  const prune = async (): Promise<void> => {
    timer = clock.after(hour, () => void prune());
    await stored.prune(limits()).catch(failed);
  };
  const refresh = (): Promise<void> => stored.load().catch(failed);
  return { stored, refresh, flush: () => stored.flush() };
}
