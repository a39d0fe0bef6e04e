// Queued prompts can be edited and reordered. Prompts that the agent has received cannot.
import assert from "node:assert/strict";
import fc from "fast-check";
import { Emitter } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import type { Problem } from "../../src/base/errors.ts";
import type { ContentBlock, SessionEvent } from "../../src/session/events.ts";
import { promptText } from "../../src/session/promptQueue.ts";
import { reduce } from "../../src/session/reduce.ts";
import { Session } from "../../src/session/session.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";
import { PermissionBroker } from "../../src/permissions/permissionBroker.ts";
import { FakeClock } from "../support/fakes/fakePorts.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { questionServices } from "../support/fakes/questionRoom.ts";
import { StubAgent } from "../support/fakes/stubAgent.ts";
import { until } from "../support/fakes/until.ts";

const words = (text: string): ContentBlock => ({ type: "text", text });
const image: ContentBlock = { type: "image", mimeType: "image/png", data: "AAAA" };
const fold = (events: readonly SessionEvent[], from: SessionState = emptySession): SessionState =>
  logged(events).reduce(reduce, from);
const sent = (...ids: readonly string[]): readonly SessionEvent[] =>
  ids.map(submission => ({ type: "promptSent", submission, content: [words(submission)] }));
const ids = (state: SessionState): string => state.pendingPrompts.map(s => s.id).join("");

describe("the queue in a session's state", () => {
  const queued = fold([...sent("a", "b", "c", "d"), { type: "promptAccepted", submission: "a", messageId: "u1" }]);

  for (const { move, before, expected, why } of [
    { move: "d", before: "b", expected: "adbc", why: "before another" },
    { move: "b", before: "d", expected: "acbd", why: "before a later one" },
    { move: "b", before: undefined, expected: "acdb", why: "to the end" },
    { move: "d", before: undefined, expected: "abcd", why: "to the end, where it is already" },
    { move: "b", before: "c", expected: "abcd", why: "before the next, where it is already" },
    { move: "b", before: "b", expected: "abcd", why: "before itself" },
    { move: "b", before: "a", expected: "abcd", why: "not before one that the agent has received" },
    { move: "a", before: undefined, expected: "abcd", why: "unless the agent has received it" },
    { move: "b", before: "z", expected: "abcd", why: "not before a missing one" },
    { move: "z", before: "b", expected: "abcd", why: "unless it is missing" },
  ]) {
    it(`moves a prompt ${why}`, () => {
      const moved = fold([{ type: "promptMoved", submission: move, ...(before && { before }) }], queued);
      assert.equal(ids(moved), expected);
      if (expected === "abcd") assert.equal(moved, queued);
    });
  }

  for (const { content, text, expected, why } of [
    { content: [words("old")], text: "new", expected: [words("new")], why: "its text" },
    { content: [words("old"), image], text: "new", expected: [words("new"), image], why: "its text next to an image" },
    { content: [image], text: "new", expected: [words("new"), image], why: "a prompt without text" },
    { content: [words("old"), image], text: " ", expected: [image], why: "its text to none, next to an image" },
    { content: [words("o"), words("file")], text: "n", expected: [words("n"), words("file")], why: "its first text" },
  ]) {
    it(`edits ${why}`, () => {
      const state = fold([
        { type: "promptSent", submission: "s", content },
        { type: "promptEdited", submission: "s", text },
      ]);
      assert.deepEqual(state.pendingPrompts, [{ id: "s", content: expected }]);
    });
  }

  it("does not change prompts that the agent has received, and returns the same state for no change", () => {
    assert.equal(fold([{ type: "promptEdited", submission: "a", text: "x" }], queued), queued);
    assert.equal(fold([{ type: "promptEdited", submission: "b", text: "b" }], queued), queued);
  });

  it("never loses, duplicates or alters another prompt, for any moves, edits and holds", () => {
    const change = fc.oneof(
      fc.record({
        type: fc.constant("promptMoved" as const),
        submission: fc.constantFrom("a", "b", "c"),
        before: fc.constantFrom("a", "b", "c"),
      }),
      fc.record({
        type: fc.constant("promptEdited" as const),
        submission: fc.constantFrom("a", "b", "c"),
        text: fc.string({ minLength: 1, maxLength: 4 }),
      }),
      fc.record({
        type: fc.constant("promptOnHold" as const),
        submission: fc.constantFrom("a", "b", "c"),
        onHold: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(eventsArb, fc.array(change, { maxLength: 8 }), (events, changes) => {
        const before = fold(events);
        const after = fold(changes, before);
        assert.deepEqual([...ids(after)].sort(), [...ids(before)].sort());
        for (const old of before.pendingPrompts) {
          const now = after.pendingPrompts.find(s => s.id === old.id);
          const edits = changes.filter(one => one.type !== "promptMoved" && one.submission === old.id);
          if (old.messageId !== undefined || edits.length === 0) assert.equal(now, old);
          const attached = (content: readonly ContentBlock[]): readonly ContentBlock[] =>
            content.filter(b => b.type !== "text");
          assert.deepEqual(attached(now?.content ?? []), attached(old.content));
        }
        assert.equal(after.entries, before.entries);
      }),
    );
  });
});

describe("the queue of a session", () => {
  /** A session whose agent works on "one" while "two", "three" and "four" wait. */
  async function working(): Promise<{
    readonly session: Session;
    readonly agent: StubAgent;
    readonly died: Emitter<Problem>;
  }> {
    const agent = new StubAgent();
    const died = new Emitter<Problem>();
    let minted = 0;
    const session = new Session({
      id: "session",
      agent: { id: "stub", name: "Stub" },
      workspaceFolder: "/w",
      clock: new FakeClock(),
      log: nullLog,
      newId: () => `s${++minted}`,
      connection: {
        connect: () => Promise.resolve({ agent, onDidDie: died.event, hasEnded: () => false }),
        restart: () => Promise.resolve(),
      },
      createServices: dispatch =>
        questionServices(new PermissionBroker({ report: dispatch, newId: () => `q${++minted}` }), () => {}),
    });
    await session.open();
    for (const text of ["one", "two", "three", "four"]) session.send([words(text)]);
    await until(() => session.state.pendingPrompts.length === 3);
    return { session, agent, died };
  }
  const texts = (session: Session): readonly string[] => session.state.pendingPrompts.map(s => promptText(s.content));

  it("is sent in the order and with the text that the user set", async () => {
    const { session, agent, died } = await working();
    session.queue.move("s4", "s2");
    session.queue.edit("s2", "two, changed");
    assert.deepEqual(texts(session), ["four", "two, changed", "three"]);
    for (const count of [2, 3, 4]) {
      agent.sessions[0]?.end();
      await until(() => agent.sessions[0]?.prompts.length === count);
    }
    assert.deepEqual(agent.sessions[0]?.texts, ["one", "four", "two, changed", "three"]);
    session.dispose();
    died.dispose();
  });

  it("does not change a prompt that is being sent to the agent", async () => {
    const { session, agent, died } = await working();
    agent.sessions[0]?.end();
    await until(() => agent.sessions[0]?.prompts.length === 2);
    session.queue.edit("s2", "too late");
    session.queue.move("s2");
    session.queue.move("s3", "s2");
    assert.ok(!JSON.stringify(session.state).includes("too late"));
    assert.deepEqual(texts(session).slice(-2), ["three", "four"]);
    session.dispose();
    died.dispose();
  });

  it("drops a prompt without content", async () => {
    const { session, died } = await working();
    session.queue.edit("s3", "");
    assert.deepEqual(texts(session), ["two", "four"]);
    session.dispose();
    died.dispose();
  });
});
