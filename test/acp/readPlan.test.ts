// Plans with ids, in each of their forms.
import assert from "node:assert/strict";
import { planRemoved, planUpdate } from "../../src/acp/readPlan.ts";
import { V1Updates } from "../../src/acp/v1/v1Updates.ts";
import type { JsonObject } from "../../src/acp/parse.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, type SessionState } from "../../src/session/state.ts";

const step = { content: "One", priority: "medium", status: "pending" };
const update = (plan: JsonObject): JsonObject => ({ sessionUpdate: "plan_update", plan });
const after = (...updates: readonly JsonObject[]): SessionState => {
  const reader = new V1Updates();
  return updates
    .flatMap(each => reader.update(each))
    .reduce<SessionState>((state, event, seq) => reduce(state, { seq, at: seq, event }), emptySession);
};

describe("a plan with an id", () => {
  for (const [plan, expected] of [
    [{ type: "items", entries: [{ content: "One" }] }, { entries: [step] }],
    [
      { type: "markdown", content: "# Do it" },
      { entries: [], markdown: "# Do it" },
    ],
    [
      { type: "file", uri: "file:///w/plan.md" },
      { entries: [], uri: "file:///w/plan.md" },
    ],
    [
      { type: "_future", anything: 1 },
      { entries: [], kind: "_future" },
    ],
  ] as const) {
    it(`is read as ${plan.type}`, () => {
      assert.deepEqual(planUpdate(update({ ...plan, planId: "p" })), { type: "plan", planId: "p", ...expected });
    });
  }

  for (const plan of [
    { type: "items", planId: "p" },
    { type: "markdown", planId: "p" },
    { type: "file", planId: "p" },
    {},
  ]) {
    it(`is not read from ${JSON.stringify(plan)}`, () => assert.equal(planUpdate(update(plan)), undefined));
  }

  for (const [path, expected] of [
    ["/w/plan.md", "/w/plan.md"],
    ["C:\\w\\plan.md", "C:\\w\\plan.md"],
    ["plan.md", undefined],
    ["//host/share/plan.md", undefined],
    ["/\\host\\share\\plan.md", undefined],
    ["\\\\host\\share\\plan.md", undefined],
    ["file:///w/plan.md", undefined],
    [7, undefined],
  ] as const) {
    it(`names ${expected === undefined ? "no file" : "its file"} with the path ${JSON.stringify(path)}`, () => {
      for (const plan of [
        { type: "items", entries: [] },
        { type: "markdown", content: "x" },
      ]) {
        const event = planUpdate(update({ ...plan, planId: "p", path }));
        assert.equal(event?.path, expected);
      }
    });
  }

  it("of a sub-agent that updates name in their metadata is in the card of its call, if there is one", () => {
    const _meta = { vendor: { parentToolUseId: "t" } };
    const call = { sessionUpdate: "tool_call", toolCallId: "t", title: "Helper" };
    const own = { sessionUpdate: "plan", entries: [{ content: "One" }] };
    const plans = ({ entries, plans: all }: SessionState): unknown => {
      const [entry] = entries;
      return [[...all], entry?.kind === "tool" ? entry.plans : undefined];
    };
    const text = { ...update({ type: "markdown", planId: "a", content: "x" }), _meta };
    const both = [call, { ...own, _meta }, text];
    const expected = [
      { id: "plan", entries: [step] },
      { id: "a", entries: [], markdown: "x" },
    ];
    assert.deepEqual(plans(after(...both)), [[], expected]);
    const removed = { sessionUpdate: "plan_removed", planId: "a", _meta };
    assert.deepEqual(plans(after(...both, removed)), [[], expected.slice(0, 1)]);
    assert.deepEqual(plans(after({ ...own, _meta })), [[["plan", { entries: [step] }]], undefined]);
  });

  it("replaces the plan with the same id, and only that one, until it is removed", () => {
    const first = update({ type: "markdown", planId: "a", content: "First" });
    const other = update({ type: "items", planId: "b", entries: [{ content: "One" }] });
    const second = update({ type: "file", planId: "a", uri: "file:///w/a.md" });
    const both = after(first, other, second);
    assert.deepEqual(Object.fromEntries(both.plans), {
      a: { entries: [], uri: "file:///w/a.md" },
      b: { entries: [step] },
    });
    const removed = after(first, other, { sessionUpdate: "plan_removed", planId: "a" });
    assert.deepEqual([...removed.plans.keys()], ["b"]);
  });

  it("is not removed by a malformed update or an unknown id", () => {
    assert.equal(planRemoved({}), undefined);
    const state = after(update({ type: "markdown", planId: "a", content: "x" }));
    assert.equal(reduce(state, { seq: 9, at: 9, event: { type: "planRemoved", planId: "b" } }), state);
  });

  it("stays while the next turn begins if it is a text, because a text does not say whether it is finished", () => {
    const state = after(
      update({ type: "markdown", planId: "text", content: "x" }),
      update({ type: "items", planId: "done", entries: [{ content: "One", status: "completed" }] }),
    );
    const next = reduce(state, { seq: 9, at: 9, event: { type: "activity", state: "running" } });
    assert.deepEqual([...next.plans.keys()], ["text"]);
  });
});
