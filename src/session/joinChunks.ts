// A log holds every chunk of every message. What was said is the same however it was cut, so a log is read in larger
// pieces than it was written in.
import type { LoggedEvent, SessionEvent } from "./events.ts";

type TextChunk = Extract<SessionEvent, { type: "messageChunk" }> & { readonly content: { readonly type: "text" } };

/**
 * The events with adjacent chunks of one message's text joined. The first chunk stays alone: its time is that of the
 * message's beginning, and the joined ones have the time and number of their last.
 */
export function* joinChunks(events: Iterable<LoggedEvent>): Iterable<LoggedEvent> {
  let first: TextChunk | undefined;
  let pending: { readonly texts: string[]; last: LoggedEvent } | undefined;
  for (const logged of events) {
    const { event } = logged;
    if (first && isPlainTextChunk(event) && event.messageId === first.messageId && event.author === first.author) {
      pending ??= { texts: [], last: logged };
      pending.texts.push(event.content.text);
      pending.last = logged;
      continue;
    }
    if (first && pending) yield joinedChunk(first, pending);
    pending = undefined;
    first = isPlainTextChunk(event) ? event : undefined;
    yield logged;
  }
  if (first && pending) yield joinedChunk(first, pending);
}

/** Annotated text stays as it was cut: its annotations may differ from chunk to chunk. */
const isPlainTextChunk = (event: SessionEvent): event is TextChunk =>
  event.type === "messageChunk" &&
  event.content.type === "text" &&
  event.content.text !== "" &&
  event.content.annotations === undefined;

const joinedChunk = (
  chunk: TextChunk,
  { texts, last }: { readonly texts: readonly string[]; readonly last: LoggedEvent },
): LoggedEvent => ({
  ...last,
  event: { ...chunk, content: { type: "text", text: texts.join("") } },
});
