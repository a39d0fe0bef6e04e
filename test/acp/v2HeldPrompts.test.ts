// A prompt that an agent of version 2 holds when the connection ends: what it repeats shows whether it inserted the prompt.
import assert from "node:assert/strict";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import { isBusy } from "../../src/session/state.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

const image: ContentBlock = { type: "image", mimeType: "image/png", data: "aGk=" };

describe("a prompt of version 2 that the agent held when the connection ended", () => {
  let wire: WireSession;
  beforeEach(async () => {
    trackLeaks();
    wire = await new WireSession(undefined, {
      capabilities: { session: { resume: {}, prompt: { image: {} } } },
    }).opened();
  });
  afterEach(() => {
    wire.dispose();
    assert.deepEqual(findLeaks(), []);
  });
  beforeEach(async () => {
    await wire.turn("one", "u1", "First.");
    await hold("held");
  });
  async function hold(...content: readonly (ContentBlock | string)[]): Promise<void> {
    wire.session.send(content.map(block => (typeof block === "string" ? { type: "text", text: block } : block)));
    const sent = wire.state.pendingPrompts.at(-1);
    if (isBusy(wire.state)) wire.session.sendWhileRunning(sent?.id ?? "");
    await wire.agent.request("session/prompt");
    await wire.processed();
  }
  const ends = () => [...wire.state.entries].filter(({ kind }) => kind === "turnEnd").length;
  function reload(): void {
    wire = wire.reloaded();
  }
  async function resumed(replay: () => void): Promise<void> {
    const resume = await wire.resumed(() => {
      wire.message("user", "u1", "one");
      wire.message("agent", "answer to u1", "First.");
      replay();
    });
    assert.deepEqual(resume.params?.["replayFrom"], { type: "start" });
  }
  for (const [title, end] of [
    ["the window reloads", reload],
    ["the agent ends", () => wire.loseAgent()],
  ] as const) {
    it(`goes on if the agent has the prompt (${title})`, async () => {
      end();
      await resumed(() => {
        wire.message("user", "u2", "held");
        wire.message("agent", "m", "Half");
        wire.running();
      });
      assert.deepEqual(wire.messages, ["user: one", "agent: First.", "user: held", "agent: Half"]);
      assert.deepEqual([wire.queued, isBusy(wire.state)], [[], true]);
      wire.idle();
      await wire.processed();
      assert.deepEqual([wire.sent, isBusy(wire.state)], [[], false]);
    });

    it(`is shown if the agent has the prompt, although the user withdrew it meanwhile (${title})`, async () => {
      end();
      wire.session.queue.withdraw(wire.state.pendingPrompts[0]?.id ?? "");
      await resumed(() => {
        wire.message("user", "u2", "held");
        wire.message("agent", "m", "Done");
        wire.idle();
      });
      assert.deepEqual(wire.messages, ["user: one", "agent: First.", "user: held", "agent: Done"]);
      assert.deepEqual([wire.queued, wire.sent, isBusy(wire.state)], [[], [], false]);
    });

    it(`begins only when the user sends the prompt again if the agent lacks it (${title})`, async () => {
      end();
      await resumed(() => wire.idle());
      assert.deepEqual(
        [wire.queued, wire.state.queuePaused, wire.sent, isBusy(wire.state)],
        [["held"], true, [], false],
      );
      wire.session.resumeQueue();
      const { params } = await wire.agent.request("session/prompt");
      assert.deepEqual(params?.["prompt"], [{ type: "text", text: "held" }]);
    });
  }

  it("goes on if the prompt of another client came after its beginning", async () => {
    wire.update("user_message_chunk", { messageId: "u2", content: { type: "text", text: "he" } });
    wire.running();
    wire.message("user", "o1", "of another client");
    await wire.processed();
    reload();
    await resumed(() => {
      wire.message("user", "u2", "held");
      wire.message("user", "o1", "of another client");
      wire.running();
    });
    const shown = ["user: one", "agent: First.", "user: held", "user: of another client"];
    assert.deepEqual([wire.messages, wire.queued], [shown, []]);
  });

  it("shows the prompt whole if only its beginning had arrived", async () => {
    wire.update("user_message_chunk", { messageId: "u2", content: { type: "text", text: "he" } });
    await wire.processed();
    reload();
    await resumed(() => {
      wire.message("user", "u2", "held");
      wire.idle();
    });
    assert.deepEqual([wire.messages, wire.queued], [["user: one", "agent: First.", "user: held"], []]);
  });

  it("waits for the user if the agent has only a longer prompt of another client", async () => {
    reload();
    await resumed(() => {
      wire.message("user", "o1", "held back");
      wire.idle();
    });
    assert.deepEqual([wire.queued, wire.state.queuePaused], [["held"], true]);
  });

  it("waits for the user if the agent has only the same prompt of another client that came before it", async () => {
    wire.message("user", "o1", "go on");
    wire.running();
    await wire.processed();
    await hold("go on");
    reload();
    await resumed(() => {
      wire.message("user", "o1", "go on");
      wire.message("user", "u2", "held");
      wire.idle();
    });
    assert.deepEqual([wire.queued, wire.state.queuePaused], [["go on"], true]);
  });

  it("waits for the user if it is only an image, because its text matches any message", async () => {
    await hold(image);
    reload();
    await resumed(() => {
      wire.message("user", "u2", "held");
      wire.message("user", "o1", "of another client");
      wire.idle();
    });
    assert.deepEqual(
      wire.state.pendingPrompts.map(({ content }) => content),
      [[image]],
    );
  });

  it("goes on if the agent repeats its attachment as text, and another prompt has the same beginning", async () => {
    await hold("fix", image);
    await hold("fix the tests");
    reload();
    await resumed(() => {
      wire.message("user", "u2", "held");
      wire.message("user", "u4", "fix the tests");
      wire.message("user", "u3", "fix [image]");
      wire.idle();
    });
    assert.deepEqual(wire.queued, []);
    const own = [...wire.state.entries].flatMap(entry =>
      entry.kind === "message" && entry.author === "user" ? [entry.submission !== undefined] : [],
    );
    assert.deepEqual(own, [true, true, true, true]);
  });

  it("ends no turn when Stop has no effect, and when the user restarts the agent", async () => {
    wire.session.stop();
    wire.clock.advance(5000);
    assert.deepEqual([ends(), wire.state.cancelling, wire.state.stopIgnored], [0, true, true]);
    await assert.rejects(wire.session.restart(), /Nothing restarts here/);
    assert.deepEqual([ends(), isBusy(wire.state), wire.state.cancelling], [0, false, false]);
  });

  it("ends no turn when the window reloads", () => {
    reload();
    assert.deepEqual([ends(), isBusy(wire.state)], [0, false]);
  });
});
