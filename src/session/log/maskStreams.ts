// The events of a session as they are stored: without the secrets that Parley knows, also if a secret came in pieces.
import { maskKnownPieces, unfinishedSecretLength } from "../../base/secrets/knownSecrets.ts";
import type { LoggedEvent, SessionEvent } from "../events.ts";

/** The events, without the secrets that the texts of several of them contain together. */
export function maskStreams(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  return streamsIn(events).flatMap(({ stream, logged }) => {
    const texts = stream === undefined ? [] : maskKnownPieces(logged.map(({ event }) => textOf(event)));
    return texts.length === 0 ? logged : logged.map((one, i) => withText(one, texts[i] ?? ""));
  });
}

/** How many events at the end may contain the beginning of a secret whose rest has not arrived. */
export function unfinishedEvents(events: readonly LoggedEvent[]): number {
  const last = streamsIn(events).at(-1);
  if (last?.stream === undefined) return 0;
  const texts = last.logged.map(({ event }) => textOf(event));
  let rest = unfinishedSecretLength(texts.join(""));
  let count = 0;
  while (rest > 0) rest -= texts.at(-1 - count++)?.length ?? rest;
  return count;
}

interface Stream {
  /** What the texts of the events are parts of. Undefined for another event. */
  readonly stream: string | undefined;
  readonly logged: LoggedEvent[];
}

function streamsIn(events: readonly LoggedEvent[]): readonly Stream[] {
  const streams: Stream[] = [];
  for (const logged of events) {
    const stream = streamOf(logged.event);
    const last = streams.at(-1);
    if (last && stream !== undefined && last.stream === stream) last.logged.push(logged);
    else streams.push({ stream, logged: [logged] });
  }
  return streams;
}

function streamOf(event: SessionEvent): string | undefined {
  if (event.type === "terminalOutput") return JSON.stringify([event.type, event.terminalId]);
  if (event.type !== "messageChunk" || event.content.type !== "text") return undefined;
  return JSON.stringify([event.type, event.author, event.messageId]);
}

function textOf(event: SessionEvent): string {
  if (event.type === "terminalOutput") return event.text;
  return event.type === "messageChunk" && event.content.type === "text" ? event.content.text : "";
}

function withText(logged: LoggedEvent, text: string): LoggedEvent {
  const { event } = logged;
  if (textOf(event) === text) return logged;
  if (event.type === "terminalOutput") return { ...logged, event: { ...event, text } };
  if (event.type !== "messageChunk" || event.content.type !== "text") return logged;
  return { ...logged, event: { ...event, content: { ...event.content, text } } };
}
