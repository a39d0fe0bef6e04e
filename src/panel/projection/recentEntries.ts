// The end of a long conversation. It is sent to a panel first, so that the user can read it before the rest has
// arrived.
import type { EntryList } from "../../session/entryList.ts";
import { toolKey, type Entry } from "../../session/state.ts";
import type { View } from "../protocol.ts";

/** A view of the entries from position `from` on. */
export interface RecentEntries {
  readonly view: View;
  readonly from: number;
}

/** A conversation with at most this many entries is sent at once. */
export const maxEntriesAtOnce = 80;
/** The minimum number of entries. The prompt that they belong to is included, unless that exceeds the maximum. */
const minRecentEntries = 24;
const maxRecentEntries = 60;

/**
 * The position where the recent entries start: at a prompt if one is near. 0 if the conversation is short, or if its
 * last entries are inside cards of earlier entries.
 */
export function recentEntriesStart(entries: EntryList<Entry>): number {
  if (entries.length <= maxEntriesAtOnce) return 0;
  const latest = entries.length - minRecentEntries;
  let start = latest;
  while (start > entries.length - maxRecentEntries && !isPrompt(entries.at(start))) start--;
  if (!isPrompt(entries.at(start))) start = latest;
  for (let at = start; at < entries.length; at++) {
    const entry = entries.at(at);
    const parent = entry && "parent" in entry ? entry.parent : undefined;
    if (parent !== undefined && entries.position(toolKey(parent)) < start) return 0;
  }
  return start;
}

const isPrompt = (entry: Entry | undefined): boolean =>
  entry?.kind === "message" && entry.author === "user" && entry.parent === undefined;
