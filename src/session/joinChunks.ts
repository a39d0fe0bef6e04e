// A log holds every chunk of every message. What was said is the same however it was cut, so a log is read in larger
// pieces than it was written in.
import type { Logged, SessionEvent } from "./events.ts";

type TextChunk = Extract<SessionEvent, { type: "messageChunk" }> & { readonly content: { readonly type: "text" } };

/**
 * The events with adjacent chunks of one message's text joined. The first chunk stays alone: its time is that of the
 * message's beginning, and the joined ones have the time and number of their last.
 */
export function* joinChunks(events: Iterable<Logged>): Iterable<Logged> {
  let first: TextChunk | undefined;
  let waiting: { readonly texts: string[]; last: Logged } | undefined;
  for (const logged of events) {
    const { event } = logged;
    if (first && isText(event) && event.messageId === first.messageId && event.author === first.author) {
      waiting ??= { texts: [], last: logged };
      waiting.texts.push(event.content.text);
      waiting.last = logged;
      continue;
    }
    if (first && waiting) yield joined(first, waiting);
    waiting = undefined;
    first = isText(event) ? event : undefined;
    yield logged;
  }
  if (first && waiting) yield joined(first, waiting);
}

/** Annotated text stays as it was cut: its annotations may differ from chunk to chunk. */
const isText = (event: SessionEvent): event is TextChunk =>
  event.type === "messageChunk" &&
  event.content.type === "text" &&
  event.content.text !== "" &&
  event.content.annotations === undefined;

const joined = (
  chunk: TextChunk,
  { texts, last }: { readonly texts: readonly string[]; readonly last: Logged },
): Logged => ({
  ...last,
  event: { ...chunk, content: { type: "text", text: texts.join("") } },
});
