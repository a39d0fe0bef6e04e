// The log of a branch: a copy of another log up to an entry.
import assert from "node:assert/strict";
import fc from "fast-check";
import { nullLog } from "../../src/base/log.ts";
import type { LoggedEvent, SessionEvent } from "../../src/session/events.ts";
import { branchEvents, promptAfter } from "../../src/session/log/branchEvents.ts";
import { attachedConversation } from "../../src/session/opening/openAgentSession.ts";
import { isBusy, isPrompt, type SessionState } from "../../src/session/state.ts";
import { eventsArb, logged } from "../support/fakes/arbitraryEvents.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";

const text = (value: string) => ({ type: "text", text: value }) as const;
const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
const turn = (id: string, answer: string): readonly SessionEvent[] => [
  { type: "promptSent", submission: id, content: [text(id), image] },
  { type: "promptSubmitted", submission: id },
  { type: "promptAccepted", submission: id, messageId: `p-${id}` },
  { type: "message", author: "user", messageId: `p-${id}`, content: [text(id), image], unnamed: true },
  { type: "activity", state: "running" },
  { type: "messageChunk", author: "agent", messageId: `a-${id}`, content: text(answer) },
  { type: "activity", state: "idle", stopReason: "end_turn" },
];
const opened: readonly SessionEvent[] = [
  { type: "opened", agent: "demo", agentName: "Demo", cwd: "/app", choices: true },
  { type: "agentSession", sessionId: "s1" },
  { type: "connection", state: "ready" },
];
const stateOf = (events: readonly LoggedEvent[]): SessionState => replayAtOnce(events, nullLog).state;
const options = (events: readonly LoggedEvent[], before?: string) => ({
  ...{ session: "branch", origin: "origin", state: stateOf(events), at: 9, log: nullLog },
  ...(before !== undefined && { before }),
});
const promptsOf = (state: SessionState): readonly string[] =>
  [...state.entries].flatMap(entry => (entry.kind === "message" && isPrompt(entry) ? (entry.submission ?? "") : []));

describe("the log of a branch", () => {
  const events = logged([...opened, ...turn("one", "1"), ...turn("two", "2"), ...turn("three", "3")]);
  const promptId = (submission: string): string => {
    const found = [...stateOf(events).entries].find(
      entry => entry.kind === "message" && entry.submission === submission,
    );
    assert.ok(found);
    return found.id;
  };

  it("ends before the entry, and its agent session needs the conversation", async () => {
    const copy = await branchEvents(events, options(events, promptId("two")));
    assert.ok(copy);
    const state = stateOf(copy);
    assert.deepEqual(promptsOf(state), ["one"]);
    assert.deepEqual(state.pendingPrompts, []);
    assert.equal(state.agentForgot, true);
    assert.deepEqual(
      state.branches.map(({ session, from }) => [session, from]),
      [["branch", "origin"]],
    );
    const next = stateOf([...copy, ...logged([{ type: "agentSession", sessionId: "s2" }])]);
    const accepts = { image: true, audio: false, embeddedContext: true };
    const attached = JSON.stringify(attachedConversation(next, [text("two")], accepts).content);
    assert.match(attached, /one/);
    assert.doesNotMatch(attached, /three/);
  });

  it("names the session that wrote the last copied part, so that a branch of the copied part parts from the first", async () => {
    const first = await branchEvents(events, options(events, promptId("three")));
    assert.ok(first);
    const more = [...first, ...logged(turn("new", "n")).map((one, at) => ({ ...one, seq: 1000 + at }))];
    const state = stateOf(more);
    const fromCopy = { ...options(more, promptId("two")), session: "second", origin: "branch", state };
    const second = await branchEvents(more, fromCopy);
    assert.deepEqual(
      stateOf(second ?? []).branches.map(({ from }) => from),
      ["origin"],
    );
    const third = await branchEvents(more, {
      ...fromCopy,
      session: "third",
      before: [...state.entries].at(-1)?.id ?? "",
    });
    assert.deepEqual(
      stateOf(third ?? []).branches.map(({ from }) => from),
      ["origin", "branch"],
    );
  });

  it("parts where the branch that is copied does if nothing of that branch is copied but notices", async () => {
    const first = await branchEvents(events, options(events, promptId("two")));
    assert.ok(first);
    const own = logged([{ type: "notice", severity: "info", title: "A new session." }, ...turn("again", "2")]);
    const more = [...first, ...own.map((one, at) => ({ ...one, seq: 1000 + at }))];
    const state = stateOf(more);
    const before = [...state.entries].find(entry => entry.kind === "message" && entry.submission === "again")?.id ?? "";
    assert.ok(before);
    const copy = await branchEvents(more, { ...options(more, before), session: "second", origin: "branch" });
    const second = stateOf(copy ?? []);
    const [start] = stateOf(first).branches;
    assert.deepEqual(
      second.branches.map(({ session, from, after }) => [session, from, after]),
      [["second", "origin", start?.after]],
    );
    assert.deepEqual(promptsOf(second), ["one"]);
  });

  it("leaves queued prompts with the session that is copied, and takes over its choices", async () => {
    const more = logged([
      ...opened,
      ...turn("one", "1"),
      { type: "promptSent", submission: "waits", content: [text("waits")] },
      { type: "chosen", choices: [{ id: "mode", value: "plan" }] },
    ]);
    const copy = await branchEvents(more, options(more));
    const state = stateOf(copy ?? []);
    assert.deepEqual([state.pendingPrompts, promptsOf(state)], [[], ["one"]]);
    assert.deepEqual(
      state.choices.map(({ id, value }) => [id, value]),
      [["mode", "plan"]],
    );
  });

  it("has exactly the entries before the message, and no open work, whatever the log has", async () => {
    const property = fc.asyncProperty(eventsArb, fc.nat(), async (anyEvents, pick) => {
      const all = logged([...opened, ...anyEvents]);
      const state = stateOf(all);
      const prompts = [...state.entries].filter(isPrompt);
      const prompt = prompts.length === 0 ? undefined : prompts[pick % prompts.length];
      const copy = await branchEvents(all, options(all, prompt?.id));
      assert.ok(copy);
      const branch = stateOf(copy);
      const left = prompt ? state.entries.position(prompt.id) : state.entries.length;
      const ids = [...branch.entries].map(({ id }) => id);
      const kept = [...state.entries].slice(0, left).map(({ id }) => id);
      // A prompt that was sent into a turn can cut what the agent wrote after it.
      assert.ok(kept.every((id, at) => ids[at] === undefined || ids[at] === id));
      assert.ok(!prompt || !ids.includes(prompt.id));
      assert.deepEqual([isBusy(branch), branch.pendingPrompts.length, branch.background], [false, 0, null]);
      // The session that is copied is as it was.
      assert.deepEqual(stateOf(all), state);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it("finds the prompt that begins the next turn", () => {
    const state = stateOf(events);
    assert.equal(promptAfter(state, promptId("one")), promptId("two"));
    assert.equal(promptAfter(state, promptId("three")), undefined);
  });
});
