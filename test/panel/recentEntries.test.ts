// Where the recent entries start, which a panel receives first.
import assert from "node:assert/strict";
import { maxEntriesAtOnce, recentEntriesStart } from "../../src/panel/projection/recentEntries.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { logged } from "../support/fakes/arbitraryEvents.ts";

const message = (author: "user" | "agent", messageId: string, parent?: string): SessionEvent => ({
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

describe("the recent entries of a conversation", () => {
  it("are all entries of a short conversation", () => {
    assert.equal(recentEntriesStart(entriesOf(times(maxEntriesAtOnce, at => message("agent", `m${at}`)))), 0);
  });

  it("start at the prompt before the latest entries", () => {
    const entries = entriesOf(times(200, at => message(at % 10 === 0 ? "user" : "agent", `m${at}`)));
    assert.equal(recentEntriesStart(entries), 170);
  });

  it("start inside a turn that is very long", () => {
    const entries = entriesOf(times(200, at => message(at === 0 ? "user" : "agent", `m${at}`)));
    assert.equal(recentEntriesStart(entries), 176);
  });

  it("are all entries if the end is inside a tool call further up, but not if the tool call is near or unknown", () => {
    const before = times(150, at => message("agent", `m${at}`));
    const inCard = times(40, at => message("agent", `n${at}`, "card"));
    assert.equal(recentEntriesStart(entriesOf([...before, call("card"), ...inCard])), 0);
    assert.ok(recentEntriesStart(entriesOf([...before, call("card"), ...inCard.slice(0, 10)])) > 0);
    assert.ok(recentEntriesStart(entriesOf([...before, ...inCard])) > 0);
  });
});
