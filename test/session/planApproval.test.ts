// Plans that wait for the approval of the user: found in the tool call of the question, or in the session.
import assert from "node:assert/strict";
import type { PermissionQuestion } from "../../src/session/agent.ts";
import type { SessionEvent } from "../../src/session/events.ts";
import { planAddressOfUri, planQuery } from "../../src/session/planAddress.ts";
import { planApproval, planApprovals, planOf } from "../../src/session/planApproval.ts";
import { reduce } from "../../src/session/reduce.ts";
import { emptySession, openQuestions, type SessionState } from "../../src/session/state.ts";

const plan = "# The plan\n\n1. Look\n2. Write";
const text = (words: string) => ({ type: "content", content: { type: "text", text: words } }) as const;
const options: PermissionQuestion["options"] = [
  { id: "yes", name: "Yes, edit", kind: "allow_once" },
  { id: "never", name: "Never", kind: "reject_always" },
  { id: "no", name: "No, keep planning", kind: "reject_once" },
];
const ask = { type: "askOpened", ask: "q", title: "Approve Plan", toolCallId: "t", options } as const;
const tool = (patch: Extract<SessionEvent, { type: "tool" }>["patch"]): SessionEvent => ({
  type: "tool",
  toolCallId: "t",
  patch: { title: "Approve Plan", kind: "switch_mode", status: "pending", ...patch },
});
const steps = (planId: string, ...entries: readonly string[]): SessionEvent => ({
  type: "plan",
  planId,
  entries: entries.map(content => ({ content, status: "pending", priority: "medium" })),
});

const after = (...events: readonly SessionEvent[]): SessionState =>
  events.map((event, seq) => ({ seq, at: seq, event })).reduce(reduce, emptySession);

/** The id of the plan that the open question asks to approve. */
function wanted(state: SessionState): string | undefined {
  const [question] = openQuestions(state);
  assert.ok(question);
  return planApproval(state, question)?.plan;
}

describe("a plan that waits for approval", () => {
  it("is the content of the tool call of the question", () => {
    const state = after(steps("main", "Look"), tool({ content: [text(plan)] }), ask);
    assert.equal(wanted(state), "tool:t");
    assert.equal(planOf(state, "tool:t")?.markdown, `${plan}\n`);
    assert.deepEqual(planApprovals(state), [{ plan: "tool:t", question: "q", keepPlanning: options[2] }]);
  });

  it("is the argument “plan” of a tool call without content", () => {
    const state = after(tool({ content: [], rawInput: { plan } }), ask);
    assert.equal(planOf(state, wanted(state) ?? "")?.markdown, `${plan}\n`);
  });

  it("is the only text or file that the session has as a plan if the tool call has none, and never a list of steps", () => {
    const text: SessionEvent = { type: "plan", planId: "text", entries: [], markdown: plan };
    const file: SessionEvent = { type: "plan", planId: "file", entries: [], path: "/w/plan.md" };
    for (const [written, id] of [
      [text, "text"],
      [file, "file"],
    ] as const)
      assert.equal(wanted(after(steps("main", "Look"), written, tool({ rawInput: { plan: 1 } }), ask)), id);
    assert.equal(wanted(after(text, file, tool({}), ask)), undefined);
    assert.equal(wanted(after(steps("main", "Look"), tool({}), ask)), undefined);
  });

  it("stays a document after the answer, but no question waits then", () => {
    const state = after(tool({ content: [text(plan)] }), ask, {
      type: "askClosed",
      ask: "q",
      answer: { option: "yes" },
    });
    assert.equal(planOf(state, "tool:t")?.markdown, `${plan}\n`);
    assert.deepEqual(planApprovals(state), []);
  });

  it("is not approved by questions of other kinds, and has no answer if none rejects once", () => {
    const edit = after(tool({ kind: "edit", content: [text(plan)] }), ask);
    assert.equal(wanted(edit), undefined);
    assert.equal(planOf(edit, "tool:t"), undefined);
    const form = after(tool({ content: [text(plan)] }), { ...ask, kind: "form" });
    assert.equal(wanted(form), undefined);
    const only = after(tool({ content: [text(plan)] }), { ...ask, options: options.slice(0, 2) });
    assert.equal(wanted(only), undefined);
  });
});

describe("the address of a plan as text", () => {
  it("is read as VS Code writes it", () => {
    const address = { session: "a&b", plan: "tool:t=1" };
    // VS Code encodes the query as a whole.
    const uri = `parley-plan:/Plan.md?${encodeURIComponent(planQuery(address))}`;
    assert.deepEqual(planAddressOfUri(uri), address);
    assert.deepEqual(planAddressOfUri(`${uri}#L3`), address);
  });

  it("is none of another scheme, without a query, or with a damaged one", () => {
    for (const uri of ["file:///w/Plan.md?session=a&plan=b", "parley-plan:/Plan.md", "parley-plan:/Plan.md?%E0%A4%A"])
      assert.equal(planAddressOfUri(uri), undefined);
  });
});
