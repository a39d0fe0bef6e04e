// Joins the chunks of messages when a log is read. A log contains every chunk, but the messages do not depend on how they
// were split, and fewer events are faster to reduce.
import type { LoggedEvent, SessionEvent } from "../events.ts";

type TextChunk = Extract<SessionEvent, { type: "messageChunk" }> & { readonly content: { readonly type: "text" } };

/**
 * The events, with adjacent text chunks of one message joined. The first chunk is not joined, because its time is when
 * the message began. Joined chunks have the time and the number of the last one.
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

/** Annotated text is not joined, because its annotations may differ from chunk to chunk. */
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
