// The events for the extension that has opened a session: each part of a message once, tool calls when they change, and ends.
import assert from "node:assert/strict";
import { SessionReports, type SessionReport } from "../../src/api/sessionReports.ts";
import { Secret } from "../../src/base/secrets/secret.ts";
import { maskKnownSecrets, unfinishedSecretLength } from "../../src/base/secrets/knownSecrets.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { FakeOpenSession } from "../support/fakes/fakeOpenSession.ts";

describe("the events of a session", () => {
  const reportsOf = (...events: readonly SessionEvent[]): readonly SessionReport[] => {
    const session = new FakeOpenSession("s");
    const reporter = new SessionReports({ hide: maskKnownSecrets, unfinished: unfinishedSecretLength });
    let before = session.state;
    const reports: SessionReport[] = [];
    session.onDidChange(after => {
      reports.push(...reporter.between(before, after));
      before = after;
    });
    for (const event of events) session.dispatch(event);
    return reports;
  };
  const chunk = (text: string, more: object = {}): SessionEvent => ({
    type: "messageChunk",
    author: "agent",
    messageId: "a",
    content: { type: "text", text },
    ...more,
  });
  const id = "m:agent:a";

  it("have each part of the agent's messages once, and nothing of its thoughts, its sub-agents and the user", () => {
    const whole: SessionEvent = {
      type: "message",
      author: "agent",
      messageId: "a",
      content: [{ type: "text", text: "Other." }],
    };
    assert.deepEqual(
      reportsOf(
        chunk("One, "),
        chunk("two."),
        chunk("Hm.", { author: "thought", messageId: "t" }),
        chunk("Sub.", { messageId: "b", parent: "call" }),
        chunk("Mine.", { author: "user", messageId: "u" }),
        whole,
      ),
      [
        { type: "text", message: id, text: "One, " },
        { type: "text", message: id, text: "two." },
        { type: "text", message: id, text: "Other.", replaces: true },
      ],
    );
  });

  it("have tool calls when their title, kind or status changes, also by a question", () => {
    const tool = (patch: object): SessionEvent => ({ type: "tool", toolCallId: "t1", patch }) as SessionEvent;
    const options = [{ id: "y", name: "Yes", kind: "allow_once" }];
    const report = (status: string, title = "Run the tests"): object => ({
      ...{ type: "toolCall", id: "t1", title, kind: "execute", status },
    });
    assert.deepEqual(
      reportsOf(
        { type: "activity", state: "running" },
        tool({ title: "Run the tests", kind: "execute", status: "pending" }),
        tool({ content: [] }),
        { type: "askOpened", ask: "q", title: "May I?", toolCallId: "t1", options } as SessionEvent,
        { type: "askClosed", ask: "q", answer: { option: "y" } } as SessionEvent,
        tool({ status: "completed" }),
        { type: "activity", state: "idle", stopReason: "end_turn" },
        { type: "activity", state: "idle", stopReason: "end_turn" },
      ),
      [
        report("pending"),
        report("waiting"),
        report("running"),
        report("done"),
        { type: "turnEnd", stopReason: "end_turn" },
      ],
    );
  });

  it("have no secrets that Parley knows, also if they arrive in parts", () => {
    void new Secret("s3cr3t-of-the-test");
    const tool: SessionEvent = { type: "tool", toolCallId: "t", patch: { title: "Push with s3cr3t-of-the-test" } };
    assert.deepEqual(
      reportsOf(
        { type: "activity", state: "running" },
        tool,
        chunk("The key is s3cr"),
        chunk("3t-of-the-test, and s3cr"),
        { type: "activity", state: "idle", stopReason: "end_turn" },
      ),
      [
        { type: "toolCall", id: "t", title: "Push with •••", status: "pending" },
        { type: "text", message: id, text: "The key is " },
        { type: "text", message: id, text: "•••, and " },
        { type: "toolCall", id: "t", title: "Push with •••", status: "cancelled" },
        { type: "text", message: id, text: "s3cr" },
        { type: "turnEnd", stopReason: "end_turn" },
      ],
    );
  });

  it("have the end of a message that looked like a secret, also if a tool call follows the message", () => {
    void new Secret("s3cr3t-of-the-test");
    const reports = reportsOf(
      { type: "activity", state: "running" },
      chunk("It is s3cr"),
      { type: "tool", toolCallId: "t", patch: { title: "Look", status: "completed" } },
      { type: "activity", state: "idle", stopReason: "end_turn" },
    );
    assert.deepEqual(
      reports.filter(({ type }) => type !== "toolCall"),
      [
        { type: "text", message: id, text: "It is " },
        { type: "text", message: id, text: "s3cr" },
        { type: "turnEnd", stopReason: "end_turn" },
      ],
    );
  });
});
