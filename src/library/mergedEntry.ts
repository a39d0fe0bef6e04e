// An entry of a session that two windows change: the window that has the session open, and one whose user marks it.
import { jsonEqual } from "../base/jsonEqual.ts";
import type { SessionEntry } from "./sessionEntry.ts";

/**
 * The fields that changed here since `known`, and all others as stored. `known`: the entry as this window last read or wrote
 * it.
 */
export function mergedEntry(known: SessionEntry, here: SessionEntry, stored: SessionEntry): SessionEntry {
  const names = new Set([...Object.keys(here), ...Object.keys(stored)]) as ReadonlySet<keyof SessionEntry>;
  const fields = [...names].map(name => [name, jsonEqual(here[name], known[name]) ? stored[name] : here[name]]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as unknown as SessionEntry;
}
