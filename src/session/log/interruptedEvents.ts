// What a reload of the window ends, besides the turn.
import type { SessionEvent } from "../events.ts";
import type { SessionState } from "../state.ts";

/** Commands ended with the window. Notes on files are removed, because the new window detects them again. */
export function interruptedEvents({ terminals, entries }: SessionState): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  for (const { id, own, exit } of terminals.values()) {
    if (own && !exit) events.push({ type: "terminal", terminalId: id, exit: {} });
  }
  for (const entry of entries) {
    const files = entry.kind === "tool" || entry.kind === "notice" ? (entry.files ?? []) : [];
    for (const { path } of files) events.push({ type: "file", path, note: null });
  }
  return events;
}
