// Reading a log with joined chunks leads to the same conversation.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { LoggedEvent } from "../../src/session/events.ts";
import { joinChunks } from "../../src/session/log/joinChunks.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";

/** The state with its entries as an array, because a comparison does not look into the list. */
function fold(events: Iterable<LoggedEvent>): object {
  const state: SessionState = [...events].reduce(reduce, emptySession);
  return { ...state, entries: [...state.entries] };
}
const chunk = (messageId: string, text: string, audience?: string): LoggedEvent["event"] => ({
  type: "messageChunk",
  author: "agent",
  messageId,
  content: { type: "text", text, ...(audience !== undefined && { annotations: { audience: [audience] } }) },
});

describe("the chunks of a stored session", () => {
  it("lead to the same state joined as one by one", () => {
    const plain = [chunk("a", "one "), chunk("a", "two "), chunk("b", "three"), chunk("a", "")];
    const chunks = fc.constantFrom(...plain, chunk("a", "four", "assistant"), chunk("a", "five", "user"));
    const events = fc
      .tuple(eventsArb, fc.array(chunks, { maxLength: 30 }), eventsArb)
      .map(([before, between, after]) => logged([...before, ...between, ...after]));
    fc.assert(fc.property(events, all => assert.deepEqual(fold(joinChunks(all)), fold(all))));
  });

  it("are joined from the second of a message on, and keep the number of the last", () => {
    const all = logged([chunk("a", "1"), chunk("a", "2"), chunk("a", "3"), chunk("b", "4"), chunk("a", "5")]);
    const texts = [...joinChunks(all)].map(({ seq, event }) => [
      seq,
      event.type === "messageChunk" && event.content.type === "text" ? event.content.text : "",
    ]);
    assert.deepEqual(texts, [[0, "1"], [2, "23"], [3, "4"], [4, "5"]]); // prettier-ignore
  });
});
