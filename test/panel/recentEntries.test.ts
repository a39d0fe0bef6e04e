// Where the end of a conversation begins that a panel is sent first.
import assert from "node:assert/strict";
import { maxEntriesAtOnce, recentEntriesStart } from "../../src/panel/projection/recentEntries.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";

const says = (author: "user" | "agent", messageId: string, parent?: string): SessionEvent => ({
  type: "message",
  author,
  messageId,
  content: [{ type: "text", text: messageId }],
  ...(parent !== undefined && { parent }),
});
const call = (toolCallId: string): SessionEvent => ({ type: "tool", toolCallId, patch: { title: toolCallId } });
const entriesOf = (events: readonly SessionEvent[]): SessionState["entries"] =>
  logged(events).reduce(reduce, emptySession).entries;
const times = (count: number, event: (at: number) => SessionEvent): readonly SessionEvent[] =>
  Array.from({ length: count }, (_, at) => event(at));

describe("the end of a conversation", () => {
  it("is all of one that is short", () => {
    assert.equal(recentEntriesStart(entriesOf(times(maxEntriesAtOnce, at => says("agent", `m${at}`)))), 0);
  });

  it("begins at the prompt before its latest entries", () => {
    const entries = entriesOf(times(200, at => says(at % 10 === 0 ? "user" : "agent", `m${at}`)));
    assert.equal(recentEntriesStart(entries), 170);
  });

  it("begins somewhere in a turn that is very long", () => {
    const entries = entriesOf(times(200, at => says(at === 0 ? "user" : "agent", `m${at}`)));
    assert.equal(recentEntriesStart(entries), 176);
  });

  it("is all of it where its end stands in a card that is further up, and not where the card is at hand or unknown", () => {
    const before = times(150, at => says("agent", `m${at}`));
    const inCard = times(40, at => says("agent", `n${at}`, "card"));
    assert.equal(recentEntriesStart(entriesOf([...before, call("card"), ...inCard])), 0);
    assert.ok(recentEntriesStart(entriesOf([...before, call("card"), ...inCard.slice(0, 10)])) > 0);
    assert.ok(recentEntriesStart(entriesOf([...before, ...inCard])) > 0);
  });
});
