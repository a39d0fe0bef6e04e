// The options and commands in the answer that opens a session. The same in all protocol versions.
import type { SessionEvent } from "../session/events.ts";

/**
 * The settings of the answer that count: one without options or commands leaves those that the agent reported before it.
 * `early`: the events before the answer.
 */
export const openingSettings = (
  settings: readonly SessionEvent[],
  early: readonly SessionEvent[],
): readonly SessionEvent[] =>
  settings.filter(event => isFilled(event) || !early.some(({ type }) => type === event.type));

/** Whether the event has options or commands. */
const isFilled = (event: SessionEvent): boolean =>
  (event.type === "options" && event.options.length > 0) || (event.type === "commands" && event.commands.length > 0);
