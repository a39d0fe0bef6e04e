// The ids of an agent: a new agent session reuses ids of an earlier one, and a session that continues has the same ids.
import assert from "node:assert/strict";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { ToolFields } from "../../src/session/events.ts";
import { openQuestions } from "../../src/session/state.ts";
import { SessionBench, exitedProblem, permissionQuestion } from "../support/fakes/sessionBench.ts";

describe("the conversation with a restarted agent", () => {
  let bench: SessionBench;
  beforeEach(() => {
    trackLeaks();
    bench = new SessionBench();
  });
  afterEach(() => {
    bench.session.dispose();
    bench.died.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  const turns: readonly (readonly [string, () => Promise<SessionBench>])[] = [
    ["is restarted", async () => (await bench.session.restart(), bench)],
    [
      "dies and is needed again",
      async () => {
        bench.died.fire(exitedProblem);
        bench.ended = false;
        await bench.restart();
        return bench;
      },
    ],
    [
      "works in a window that was reloaded",
      async () => {
        bench.session.dispose();
        return (bench = new SessionBench(bench.log)).openReady();
      },
    ],
  ];
  for (const [what, again] of turns) {
    it(`is kept when the agent ${what} and reuses its ids`, async () => {
      await bench.openReady();
      const work = async (text: string): Promise<void> => {
        bench.send(text);
        await bench.flushPromises();
        const { remote } = bench;
        const patch = { title: text, status: "in_progress", content: [{ type: "terminal", terminalId: "x" }] } as const;
        remote.report({ type: "tool", toolCallId: "t", patch });
        remote.report({ type: "terminal", terminalId: "x", output: text });
        remote.report({ type: "tool", toolCallId: "sub", patch: { title: "part" }, parent: "t" });
        const answer = remote.client.requestPermission(permissionQuestion, new AbortController().signal);
        bench.session.answer(openQuestions(bench.session.state)[0]?.id ?? "", "y");
        assert.deepEqual(await answer, { option: "y" });
        remote.report({ type: "messageChunk", author: "agent", messageId: "a", content: { type: "text", text } });
        remote.report({ type: "compaction", compactionId: "c", status: "completed", parent: "t" });
        remote.report({ type: "plan", planId: "p", entries: [], markdown: text, parent: "t" });
        const named: Partial<ToolFields> = { content: [{ type: "session", toolCallId: "t" }] };
        remote.report({ type: "tool", toolCallId: "link", patch: named });
        remote.end();
        await bench.flushPromises();
      };
      await work("one");
      const before = [...bench.session.state.entries];
      const asked = bench.session.state.questions.length;
      await again();
      await work("two");
      const after = [...bench.session.state.entries];
      assert.deepEqual(after.slice(0, before.length), before);
      const own = after.slice(before.length).filter(entry => entry.kind !== "notice");
      assert.deepEqual(
        own.map(entry => entry.kind),
        before.map(entry => entry.kind),
      );
      const [prompt] = own;
      assert.ok(prompt?.kind === "message" && prompt.author === "user");
      assert.deepEqual(prompt.content, [{ type: "text", text: "two" }]);
      const tool = own.find(entry => entry.kind === "tool");
      assert.deepEqual(tool?.kind === "tool" && tool.plans, [{ id: "p", entries: [], markdown: "two" }]);
      const link = own.findLast(entry => entry.kind === "tool");
      assert.deepEqual(link?.kind === "tool" && link.fields.content, [
        { type: "session", toolCallId: tool?.kind === "tool" && tool.toolCallId },
      ]);
      const summary = own.find(entry => entry.kind === "compaction");
      assert.equal(summary?.kind === "compaction" && `t:${summary.parent}`, tool?.id);
      const [shown] = tool?.kind === "tool" ? (tool.fields.content ?? []) : [];
      assert.equal(shown?.type === "terminal" && bench.session.state.terminals.get(shown.terminalId)?.output, "two");
      assert.equal(bench.session.state.questions.length, asked + 1);
      assert.equal(
        bench.session.state.questions.at(-1)?.toolCallId,
        tool?.kind === "tool" && tool.id.slice("t:".length),
      );
      assert.deepEqual(bench.session.state.pendingPrompts, []);
    });
  }

  it("belongs to the same entries after the agent session continues, and to others in a new one", async () => {
    await bench.openReady();
    const update = (title: string): void => bench.remote.report({ type: "tool", toolCallId: "t", patch: { title } });
    const titles = (): readonly unknown[] =>
      [...bench.session.state.entries].flatMap(entry => (entry.kind === "tool" ? [entry.fields.title] : []));
    update("first");
    bench.remote.report({ type: "agentSession", sessionId: "r0", continued: true });
    update("continued");
    assert.deepEqual(titles(), ["continued"]);
    // An agent can give a new session the id of an earlier one.
    bench.remote.report({ type: "agentSession", sessionId: "r0" });
    update("new");
    assert.deepEqual(titles(), ["continued", "new"]);
    assert.deepEqual(bench.session.state.agentSessions, ["r0", "r0"]);
    bench.remote.report({ type: "agentSession", sessionId: "r0", continued: true });
    update("new, continued");
    assert.deepEqual(titles(), ["continued", "new, continued"]);
    assert.equal(bench.session.state.connections, 4);
  });

  it("is kept with its title, plans and usage when the agent session continues", async () => {
    await bench.openReady();
    bench.send("go");
    await bench.flushPromises();
    const { remote } = bench;
    remote.report({ type: "info", title: "Agent's title" });
    remote.report({ type: "plan", planId: "p", entries: [{ content: "a", priority: "low", status: "pending" }] });
    remote.report({ type: "usage", used: 1, size: 2 });
    remote.end();
    const kept = (): unknown => {
      const { keepsTitle, plans, usage } = bench.session.state;
      return [keepsTitle, plans.size, usage];
    };
    remote.report({ type: "agentSession", sessionId: "r0", continued: true });
    assert.deepEqual(kept(), [false, 1, { used: 1, size: 2 }]);
    remote.report({ type: "agentSession", sessionId: "r1" });
    assert.deepEqual(kept(), [true, 0, null]);
  });
});
