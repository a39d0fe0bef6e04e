// Limits how much of a conversation is painted, so that the page stays small however long the conversation gets.
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { growthFactor, maxInitialCharacters, maxInitialLines } from "./limits.ts";

/** The first line to paint of this many. `lengthAt` returns the number of characters of a line. */
export function windowStart(lines: number, lengthAt: (line: number) => number): number {
  let start = lines;
  let characters = 0;
  while (start > 0 && lines - start < maxInitialLines && characters < maxInitialCharacters)
    characters += lengthAt(--start);
  return start;
}

/** Whether the part painted from `start` has grown so much that it should begin at {@link windowStart} again. */
export function exceedsWindow(lines: number, start: number, lengthAt: (line: number) => number): boolean {
  if (lines - start > maxInitialLines * growthFactor) return true;
  let characters = 0;
  for (let line = start; line < lines; line++) characters += lengthAt(line);
  return characters > maxInitialCharacters * growthFactor;
}

/** The number of characters of a message. Other entries are folded, so their content is not painted. */
export function messageLength(entry: ViewEntry | undefined): number {
  if (entry?.kind !== "user" && entry?.kind !== "agent") return 0;
  return entry.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
