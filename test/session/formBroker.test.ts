// Forms and web addresses of a session: asked, answered once, kept in the log without free text, and ended in time.
import assert from "node:assert/strict";
import type { AgentClient } from "../../src/session/agent.ts";
import type { Form, FormAnswer, FormRequest } from "../../src/session/forms/form.ts";
import { openQuestions, type SessionState } from "../../src/session/state.ts";
import { SessionBench } from "../support/fakes/sessionBench.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";
import { nullLog } from "../../src/base/log.ts";

const form: Form = {
  message: "Set up the project",
  fields: [
    { type: "text", name: "key", title: "Key", required: true },
    {
      type: "select",
      name: "stack",
      title: "Stack",
      required: true,
      choices: [
        { value: "n", name: "Node.js" },
        { value: "p", name: "Python" },
      ],
    },
    { type: "boolean", name: "tests", title: "With tests", required: false },
    { type: "number", name: "port", title: "Port", integer: true, required: false },
  ],
};
const address: FormRequest = {
  type: "url",
  message: "Sign in to the service",
  elicitationId: "e1",
  address: { href: "https://example.com/x", host: "example.com" },
};
const answers = new Map<string, string | number | boolean>([
  ["key", "sk-very-secret"],
  ["stack", "n"],
  ["tests", true],
  ["port", 80],
]);

describe("a form of an agent", () => {
  let bench: SessionBench;
  let client: AgentClient;
  let signal: AbortController;
  beforeEach(async () => {
    bench = new SessionBench();
    await bench.session.open();
    client = bench.remote.client;
    signal = new AbortController();
  });
  const ask = (request: FormRequest): Promise<FormAnswer> => client.askForm(request, signal.signal);
  const open = (): string => openQuestions(bench.session.state)[0]?.id ?? "";
  const notices = (state: SessionState): readonly (readonly [string, string | undefined])[] =>
    [...state.entries].flatMap(entry => (entry.kind === "notice" ? [[entry.title, entry.description] as const] : []));

  it("is sent with its values, and the log has choices, numbers and booleans, but of free text only that it was answered", async () => {
    const answer = ask({ type: "form", form });
    assert.equal(bench.session.forms.accept(open(), new Map([["key", "x"]])), false, "incomplete");
    assert.equal(bench.session.forms.accept(open(), answers), true);
    assert.deepEqual(await answer, { action: "accept", values: answers });
    assert.ok(!JSON.stringify(bench.log).includes("sk-very-secret"));
    assert.deepEqual(bench.log.at(-1)?.event, {
      type: "askClosed",
      ask: "s1",
      answer: {
        action: "accept",
        answers: [
          { field: "key", answered: true },
          { field: "stack", value: "n" },
          { field: "tests", value: true },
          { field: "port", value: 80 },
        ],
      },
    });
    const shown = [["Answered: Set up the project", "Key: answered\nStack: Node.js\nWith tests: yes\nPort: 80"]];
    assert.deepEqual(notices(bench.session.state), shown);
    const stored = JSON.parse(JSON.stringify(bench.log)) as typeof bench.log;
    assert.deepEqual(notices(replayAtOnce(stored, nullLog).state), shown);
  });

  it("can be declined and cancelled, which are different answers, once", async () => {
    const declined = ask({ type: "form", form });
    const id = open();
    bench.session.forms.decline(id);
    bench.session.forms.cancel(id);
    assert.deepEqual(await declined, { action: "decline" });
    const cancelled = ask({ type: "form", form });
    bench.session.forms.cancel(open());
    assert.equal(await cancelled, "cancelled");
    assert.deepEqual(
      notices(bench.session.state).map(([title]) => title),
      ["Declined: Set up the project", "Not answered: Set up the project"],
    );
  });

  it("that Parley cannot show is declined with a reason, without asking", async () => {
    const reason = "The form requires “x”, and Parley does not know its type.";
    assert.deepEqual(await ask({ type: "declined", message: "Pick", reason }), { action: "decline" });
    assert.deepEqual(notices(bench.session.state), [["Declined: Pick", reason]]);
    assert.deepEqual(openQuestions(bench.session.state), []);
  });

  it("ends with its request, with its tool call, with Stop, and with the agent", async () => {
    const byRequest = ask({ type: "form", form });
    signal.abort();
    assert.equal(await byRequest, "cancelled");
    assert.equal(await ask({ type: "form", form }), "cancelled", "the request has ended before");

    signal = new AbortController();
    client.report({ type: "tool", toolCallId: "t", patch: { title: "T", status: "pending" } });
    const ofSession = ask({ type: "form", form });
    const ofTool = ask({ type: "form", form, toolCallId: "t" });
    client.report({ type: "tool", toolCallId: "t", patch: { status: "completed" } });
    assert.equal(await ofTool, "cancelled");
    assert.equal(openQuestions(bench.session.state).length, 1, "the one of the session stays open");
    client.report({ type: "activity", state: "running" });
    bench.session.stop();
    assert.equal(await ofSession, "cancelled");
    assert.equal(await ask({ type: "form", form }), "cancelled", "the turn must end");
    client.report({ type: "activity", state: "idle", stopReason: "cancelled" });

    const last = ask({ type: "form", form });
    bench.died.fire({ message: "Gone.", next: [] });
    assert.equal(await last, "cancelled");
  });

  it("is cancelled when the window is reloaded while it is open", () => {
    void ask({ type: "form", form });
    const restored = new SessionBench(bench.log);
    assert.deepEqual(openQuestions(restored.session.state), []);
    assert.ok(notices(restored.session.state).some(([title]) => title === "Not answered: Set up the project"));
    restored.session.dispose();
  });

  describe("as a web address", () => {
    it("is answered when the user opens it, stays until the agent has completed it, and opens again meanwhile", async () => {
      const answer = ask(address);
      const id = open();
      assert.equal(bench.session.forms.openAddress(id), "https://example.com/x");
      assert.deepEqual(await answer, { action: "accept" });
      assert.equal(openQuestions(bench.session.state)[0]?.opened, true);
      assert.equal(bench.session.forms.openAddress(id), "https://example.com/x");
      client.completeAddress("other");
      assert.equal(open(), id);
      client.completeAddress("e1");
      client.completeAddress("e1");
      assert.deepEqual(openQuestions(bench.session.state), []);
      assert.deepEqual(notices(bench.session.state), [["Opened: Sign in to the service", "https://example.com/x"]]);
    });

    it("that the agent completes before the user has opened it is cancelled", async () => {
      const answer = ask(address);
      client.completeAddress("e1");
      assert.equal(await answer, "cancelled");
    });
  });
});
