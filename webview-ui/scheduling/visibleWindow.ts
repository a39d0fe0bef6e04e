// How much of a conversation is painted: the page stays bounded however long the conversation gets.
import type { ViewEntry } from "../../src/panel/protocol.ts";

/** Lines that are painted when a conversation is opened. */
const maxInitialLines = 200;
/** Characters of messages that are painted when it is opened; the last line is painted whatever its length. */
const maxInitialCharacters = 400_000;
/** It may grow to so many times that before the beginning is taken off the page. */
const growthFactor = 1.5;

/** Where the painted part of so many lines begins. `lengthAt` tells a line's characters. */
export function windowStart(lines: number, lengthAt: (line: number) => number): number {
  let start = lines;
  let characters = 0;
  while (start > 0 && lines - start < maxInitialLines && characters < maxInitialCharacters)
    characters += lengthAt(--start);
  return start;
}

/** Whether what is painted from `start` on has grown so much that it should begin at {@link windowStart} again. */
export function exceedsWindow(lines: number, start: number, lengthAt: (line: number) => number): boolean {
  if (lines - start > maxInitialLines * growthFactor) return true;
  let characters = 0;
  for (let line = start; line < lines; line++) characters += lengthAt(line);
  return characters > maxInitialCharacters * growthFactor;
}

/** The characters of a message. Cards are folded: what they hold is not painted. */
export function messageLength(entry: ViewEntry | undefined): number {
  if (entry?.kind !== "user" && entry?.kind !== "agent") return 0;
  return entry.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
