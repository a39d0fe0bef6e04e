// The text before an agent's change: the last text seen, the agent's report reversed, or the start of the turn. Pure.
import type { FileRecord } from "./fileRecord.ts";
import { startTurnOf, type FileTurns } from "./fileTurns.ts";

/** The text before a change. Null: there was no file. Undefined: it is not known. */
export interface Base {
  readonly text: string | null | undefined;
}

/** The text before the agent's change to `after`, as {@link Base}, or the turn whose start must be read to know it. */
export function baseOf(
  { text, isFollowed, difference, starts }: FileRecord,
  after: string | null | undefined,
  turn: string,
  turns: Pick<FileTurns, "first" | "containsEdit" | "before">,
): Base | string {
  // A text that a followed file has is compared with that before the agents' earlier changes.
  if (text !== undefined && isFollowed) return { text };
  // An agent can write before it reports, so a text that was seen can have the edit already.
  if (text !== undefined && text !== after && !turns.containsEdit(text)) return { text };
  if (after === undefined) return { text: undefined };
  const reversed = turns.before(after);
  if (reversed !== undefined) return { text: reversed };
  if (difference?.text !== undefined) return { text: difference.text };
  const start = startTurnOf(turn, turns);
  const known = starts[start];
  // Something else than a file was there, such as a link.
  if (difference?.isGone && known?.text === null) return { text: undefined };
  return known ?? start;
}
