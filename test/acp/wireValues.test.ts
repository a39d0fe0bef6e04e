// The values of the protocol's enumerations on their way from the agent to the panel, in both versions.
import assert from "node:assert/strict";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { ViewEntry } from "../../src/panel/protocol.ts";
import { isBusy, openQuestions } from "../../src/session/state.ts";
import { until } from "../support/fakes/until.ts";
import { WireAgent } from "../support/fakes/wireAgent.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

const text = (words: string): object => ({ type: "text", text: words });

for (const version of [1, 2] as const) {
  describe(`a value that an agent of version ${version} sends`, () => {
    let wire: WireSession;
    beforeEach(async () => {
      trackLeaks();
      wire = await new WireSession(undefined, { version }).opened();
    });
    afterEach(() => {
      wire.dispose();
      assert.deepEqual(findLeaks(), []);
    });

    /** The entry of this kind. */
    async function shown<K extends ViewEntry["kind"]>(kind: K): Promise<Extract<ViewEntry, { kind: K }>> {
      await wire.processed();
      const entry = wire.view.entries.find(each => each.kind === kind);
      assert.ok(entry, `no ${kind}`);
      return entry as Extract<ViewEntry, { kind: K }>;
    }
    /** A tool call as the version announces it. */
    const call = (fields: object): void =>
      wire.update(version === 1 ? "tool_call" : "tool_call_update", { toolCallId: "t", ...fields });

    for (const { kind, title } of [
      { kind: "read", title: "Read a.ts" },
      { kind: "edit", title: "Edit a.ts" },
      { kind: "delete", title: "Delete a.ts" },
      { kind: "move", title: "Move a.ts" },
      { kind: "search", title: "Search a.ts" },
      { kind: "execute", title: "Run a.ts" },
      { kind: "think", title: "Think about a.ts" },
      { kind: "fetch", title: "Fetch a.ts" },
      { kind: "switch_mode", title: "Switch mode to a.ts" },
      { kind: "other", title: "Use a tool" },
    ]) {
      it(`titles a tool call of the kind ${kind}`, async () => {
        // From another kind, because a call without one has the kind “other”.
        call({ kind: kind === "read" ? "edit" : "read", locations: [{ path: "/w/a.ts" }] });
        wire.update("tool_call_update", { toolCallId: "t", kind });
        const tool = await shown("tool");
        assert.deepEqual([tool.toolKind, tool.title], [kind, title]);
      });
    }

    for (const kind of ["allow_once", "allow_always", "reject_once", "reject_always"]) {
      it(`is an option of the kind ${kind}, which the user can choose`, async () => {
        const toolCall = { toolCallId: "t", title: "Run it" };
        const asked = version === 1 ? { toolCall } : { title: "Run it?", subject: { type: "tool_call", toolCall } };
        const options = [{ optionId: "o", name: "Option", kind }];
        wire.agent.send({ id: 9, method: "session/request_permission", params: { sessionId: "s", options, ...asked } });
        await until(() => openQuestions(wire.state).length > 0);
        const [question] = wire.view.head.questions;
        assert.deepEqual(question?.options, [{ id: "o", name: "Option", kind }]);
        wire.session.answer(question.id, "o");
        const { result } = await wire.agent.response(9);
        assert.deepEqual(result, { outcome: { outcome: "selected", optionId: "o" } });
      });
    }

    /** A turn of the prompt “go” that ends with the reason. */
    async function turn(stopReason: string): Promise<readonly (readonly [string, boolean])[]> {
      const request = await wire.send("go");
      if (version === 1) wire.agent.answer(request, { stopReason });
      else {
        wire.agent.answer(request, { messageId: "u" });
        wire.message("user", "u", "go");
        wire.running();
        wire.idle({ stopReason });
      }
      await until(() => !isBusy(wire.state));
      await wire.processed();
      return wire.view.entries
        .filter(({ kind }) => kind !== "notice")
        .map(entry => [entry.kind === "turnEnd" ? entry.stopReason : entry.kind, entry.excluded === true]);
    }
    for (const { stopReason, entries } of [
      // The turn has no answer, which is a problem.
      { stopReason: "end_turn", entries: [["user", false], ["problem", false]] }, // prettier-ignore
      { stopReason: "max_tokens", entries: [["user", false], ["max_tokens", false]] }, // prettier-ignore
      { stopReason: "max_turn_requests", entries: [["user", false], ["max_turn_requests", false]] }, // prettier-ignore
      { stopReason: "refusal", entries: [["user", true], ["refusal", true]] }, // prettier-ignore
      { stopReason: "cancelled", entries: [["user", false], ["cancelled", false]] }, // prettier-ignore
      ...(version === 2 ? [{ stopReason: "error", entries: [["user", false], ["problem", false]] }] : []), // prettier-ignore
    ]) {
      it(`ends a turn with the reason ${stopReason}`, async () => {
        assert.deepEqual(await turn(stopReason), entries);
      });
    }

    for (const severity of ["info", "warning", "error"]) {
      it(`is the severity ${severity} of a notice`, async () => {
        wire.update("notice", { severity, title: "Look" });
        assert.equal((await shown("notice")).severity, severity);
      });
    }

    for (const status of ["in_progress", "completed", "failed", "cancelled"]) {
      it(`is the status ${status} of a compaction`, async () => {
        wire.update("compaction_update", { compactionId: "c", status });
        assert.equal((await shown("compaction")).status, status);
      });
    }

    const plan = (entries: readonly object[]): void =>
      version === 1
        ? wire.update("plan", { entries })
        : wire.update("plan_update", { plan: { type: "items", planId: "p", entries } });
    for (const { priority, status } of [
      { priority: "high", status: "pending" },
      { priority: "medium", status: "in_progress" },
      { priority: "low", status: "completed" },
      { priority: "medium", status: "cancelled" },
    ]) {
      it(`is the priority ${priority} and the status ${status} of a step of the plan`, async () => {
        plan([{ content: "Do it", priority, status }]);
        await wire.processed();
        assert.deepEqual(
          wire.view.head.plans.map(({ entries }) => entries),
          [[{ content: "Do it", priority, status }]],
        );
      });
    }

    it("replaces the whole plan", async () => {
      for (const steps of [["One", "Two"], ["Three"]])
        plan(steps.map(content => ({ content, priority: "medium", status: "pending" })));
      await wire.processed();
      assert.deepEqual(
        wire.view.head.plans.map(({ entries }) => entries.map(({ content }) => content)),
        [["Three"]],
      );
    });

    for (const operation of ["add", "delete", "modify", "move", "copy"]) {
      it(`is the operation ${operation} on a file`, async () => {
        const changes = [{ operation, path: "/w/b.ts", oldPath: "/w/a.ts" }];
        call({ title: "Change", kind: "edit", content: [{ type: "diff", changes }] });
        const [part] = (await shown("tool")).parts;
        assert.ok(part?.type === "files");
        assert.deepEqual(
          part.files.map(file => [file.operation, file.from]),
          [[operation, "a.ts"]],
        );
      });
    }
  });
}

describe("a state that an agent of version 2 reports", () => {
  let wire: WireSession;
  beforeEach(async () => {
    trackLeaks();
    wire = await new WireSession().opened();
  });
  afterEach(() => {
    wire.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  for (const state of ["running", "requires_action", "_thinking"]) {
    it(`is ${state}, in which the next prompt waits`, async () => {
      wire.agent.answer(await wire.send("one"), { messageId: "u" });
      wire.message("user", "u", "one");
      wire.update("state_update", { state });
      await wire.processed();
      wire.session.send([{ type: "text", text: "two" }]);
      await wire.processed();
      assert.deepEqual([wire.view.head.activity.state, wire.queued, wire.sent], [state, ["two"], []]);
      wire.update("state_update", { state: "idle", stopReason: "end_turn" });
      const { params } = await wire.agent.request("session/prompt");
      assert.deepEqual(params?.["prompt"], [text("two")]);
    });
  }

  it("counts although it comes before the answer that opens the session", async () => {
    const early = new WireSession();
    const opening = early.session.open();
    const request = await early.agent.request("session/new");
    early.running();
    early.agent.answer(request, { sessionId: "s" });
    await opening;
    assert.equal(early.view.head.activity.state, "running");
    early.session.send([{ type: "text", text: "one" }]);
    await early.processed();
    assert.deepEqual([early.queued, early.sent], [["one"], []]);
    early.dispose();
  });
});

describe("an account that an agent names", () => {
  for (const { state, account } of [
    { state: "authenticated", account: "ada@example.com" },
    { state: "unauthenticated", account: undefined },
    { state: "not_required", account: undefined },
    { state: "unknown", account: undefined },
  ]) {
    it(`is ${account === undefined ? "not shown" : "shown"} in the state ${state}`, async () => {
      const agent = new WireAgent();
      const connected = await agent.ready({ agentCapabilities: { auth: { status: {} } } });
      const accounts = [{ label: "ada@example.com", active: true }];
      // From the other state, so that each is a change.
      const other = account === undefined ? "authenticated" : "unauthenticated";
      agent.answer(await agent.request("auth/status"), { state: other, accounts });
      await until(() => (connected.agent.account === undefined) === (account !== undefined));
      agent.send({ method: "auth/status_update", params: { state, accounts } });
      await until(() => connected.agent.account === account);
      connected.dispose();
    });
  }
});
