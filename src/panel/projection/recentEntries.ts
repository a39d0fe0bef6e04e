// The end of a long conversation: what a panel is sent first, so that it can be read before the rest has come.
import type { EntryList } from "../../session/entryList.ts";
import { toolKey, type Entry } from "../../session/state.ts";
import type { View } from "../protocol.ts";

/** A view of the entries from position `from` on. */
export interface RecentEntries {
  readonly view: View;
  readonly from: number;
}

/** A conversation of no more entries is sent at once. */
export const maxEntriesAtOnce = 80;
/** At least so many entries, and the prompt that they belong to unless it is further up than the most. */
const minRecentEntries = 24;
const maxRecentEntries = 60;

/** Where it begins: at a prompt, if one is near; 0 where the whole is short, or its end stands in cards further up. */
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
