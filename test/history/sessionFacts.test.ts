// The facts of sessions: which calls, terminals and questions an agent reported.
import assert from "node:assert/strict";
import type { WindowFact } from "../../src/history/facts.ts";
import { stateFacts, toolFact } from "../../src/history/sessionFacts.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { emptySession, type SessionState, type TerminalState } from "../../src/session/state.ts";
import { FedEvents } from "../support/fakes/fedEvents.ts";

/** The facts of events of an agent. */
function factsOf(...events: readonly SessionEvent[]): readonly WindowFact[] {
  const facts: WindowFact[] = [];
  const fed = new FedEvents(() => ({
    observe: (event, _, after) => {
      const fact = toolFact(event, after, "s");
      if (fact) facts.push(fact);
    },
  }));
  for (const event of events) fed.feed(event);
  return facts;
}

const withTerminal = (one?: TerminalState) =>
  ({ ...emptySession, terminals: new Map(one && [[one.id, one]]) }) satisfies SessionState;

describe("a fact of a session", () => {
  it("has the names, the edits and the parent of a call, without other content", () => {
    const edit = { type: "diff", path: "/w/a", oldText: "1\n", newText: "2\n" } as const;
    const text = { type: "content", content: { type: "text", text: "long" } } as const;
    const [fact] = factsOf({
      type: "tool",
      toolCallId: "t",
      patch: { title: "Run git pull", kind: "edit", locations: [{ path: "/w/b" }], content: [text, edit] },
      parent: "p",
    });
    const base = { type: "toolReported", session: "s", toolCallId: "t", title: "Run git pull", kind: "edit" };
    assert.deepEqual(fact, { ...base, parent: "p", paths: ["/w/b", "/w/a"], reported: [edit], namesGit: true });
  });

  it("is a part of the edits if the call reports one more", () => {
    const edit = { type: "diff", path: "/w/a", newText: "2\n" } as const;
    const [, fact] = factsOf(
      { type: "tool", toolCallId: "t", patch: { title: "Edit", kind: "edit" } },
      { type: "toolChunk", toolCallId: "t", content: edit },
    );
    const known = { type: "toolReported", session: "s", toolCallId: "t" };
    assert.deepEqual(fact, { ...known, paths: ["/w/a"], reported: [edit], isPart: true });
  });

  it("names the beginning and the end of a terminal once each, and no output", () => {
    const running = { id: "1", command: "git pull", output: "", truncated: false };
    const fact = { type: "terminalChanged", session: "s", terminal: "1", namesGit: true };
    const begun = stateFacts(emptySession, withTerminal(running), "s");
    assert.deepEqual(begun, [{ ...fact, isRunning: true }]);
    const printed = withTerminal({ ...running, output: "more" });
    assert.deepEqual(stateFacts(withTerminal(running), printed, "s"), []);
    const ended = withTerminal({ ...running, output: "more", exit: { exitCode: 0 } });
    assert.deepEqual(stateFacts(printed, ended, "s"), [{ ...fact, isRunning: false }]);
    assert.deepEqual(stateFacts(ended, withTerminal({ ...running, exit: { exitCode: 0 } }), "s"), []);
  });
});
