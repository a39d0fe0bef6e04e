// Agents of the earlier draft of version 2, which accept a prompt without naming its message (`{}`) and repeat it later. The
// prompt is in the conversation once, and the agent's updates of its message reach it.
import assert from "node:assert/strict";
import { findLeaks, trackLeaks } from "../../src/base/lifecycle.ts";
import { nullLog } from "../../src/base/log.ts";
import { contentToWire } from "../../src/acp/parse.ts";
import type { ContentBlock } from "../../src/session/events.ts";
import { isBusy } from "../../src/session/state.ts";
import type { SentMessage } from "../support/fakes/wireAgent.ts";
import { replayAtOnce } from "../support/fakes/wholeViews.ts";
import { WireSession } from "../support/fakes/wireSession.ts";

describe("a prompt that the agent accepts without naming its message", () => {
  let wire: WireSession;
  beforeEach(async () => {
    trackLeaks();
    wire = await new WireSession().opened();
  });
  afterEach(() => {
    assert.deepEqual([...replayAtOnce(wire.log, nullLog).state.entries], [...wire.state.entries], "the log");
    wire.dispose();
    assert.deepEqual(findLeaks(), []);
  });

  const file: ContentBlock = { type: "link", uri: "file:///w/a.ts", name: "a.ts" };
  const piece = (messageId: string, text: string): void =>
    wire.update("user_message_chunk", { messageId, content: { type: "text", text } });
  async function send(content: readonly ContentBlock[]): Promise<void> {
    wire.session.send(content);
    await accept(await wire.agent.request("session/prompt"));
  }
  async function accept(request: SentMessage): Promise<void> {
    wire.agent.answer(request, {});
    await wire.processed();
  }
  const sendText = (text: string): Promise<void> => send([{ type: "text", text }]);
  /** The agent works on a turn and says something. */
  async function work(answer: string): Promise<void> {
    wire.running();
    wire.message("agent", `says ${answer}`, answer);
    wire.idle();
    await wire.processed();
  }
  /** Sends a queued prompt into the running turn. */
  async function steer(text: string): Promise<SentMessage> {
    wire.session.send([{ type: "text", text }]);
    wire.session.sendWhileRunning(wire.state.pendingPrompts.at(-1)?.id ?? "");
    return wire.agent.request("session/prompt");
  }
  /** The agent accepts B in the turn of A, and the turn ends. */
  async function steerIntoTurn(): Promise<void> {
    await sendText("A");
    wire.message("user", "a", "A");
    wire.running();
    await wire.processed();
    await accept(await steer("B"));
    wire.idle();
    await wire.processed();
  }
  const prompts = () =>
    [...wire.state.entries].flatMap(entry => (entry.kind === "message" && entry.author === "user" ? entry : []));

  it("is in the conversation once if the agent repeats that it is idle before it repeats the prompt", async () => {
    await sendText("P");
    wire.idle();
    wire.idle({});
    await wire.processed();
    assert.deepEqual([wire.messages, wire.queued, isBusy(wire.state)], [[], ["P"], true]);
    wire.message("user", "u1", "P");
    await work("Done.");
    assert.deepEqual([wire.messages, wire.queued, isBusy(wire.state)], [["user: P", "agent: Done."], [], false]);
  });

  const echoes: Readonly<Record<string, () => void>> = {
    "as a whole": () => wire.message("user", "u1", "one two"),
    "in pieces": () => {
      for (const text of ["one", " t", "wo"]) piece("u1", text);
    },
    "in pieces, between which it says something": () => {
      piece("u1", "one ");
      wire.message("agent", "m", "Meanwhile.");
      piece("u1", "two");
    },
    "with other white space at its ends": () => wire.message("user", "u1", "\n one two\r\n"),
    "in pieces with other white space at its ends": () => {
      for (const text of ["\n", "one", " two", "\r\n"]) piece("u1", text);
    },
  };
  for (const [title, echo] of Object.entries(echoes)) {
    it(`keeps its place if the agent repeats it ${title} after its turn`, async () => {
      await sendText("one two");
      await work("Done.");
      await work("And more.");
      echo();
      await wire.processed();
      assert.deepEqual(wire.messages.slice(0, 3), ["agent: Done.", "user: one two", "agent: And more."]);
      assert.equal(prompts().length, 1);
      await work("And again.");
      wire.message("user", "u1", "one two, changed");
      await wire.processed();
      assert.equal(wire.messages[1], "user: one two, changed");
      assert.equal(prompts().length, 1);
      assert.notEqual(prompts()[0]?.submission, undefined);
    });

    it(`keeps its place if the agent repeats it ${title} after a reload of the window`, async () => {
      await sendText("one two");
      await work("Done.");
      wire = wire.reloaded();
      await wire.resumed();
      echo();
      await wire.processed();
      assert.equal(prompts().length, 1);
      wire.message("user", "u1", "changed");
      await wire.processed();
      assert.equal(wire.messages[1], "user: changed");
      assert.equal(prompts().length, 1);
    });
  }

  for (const isWhole of [true, false])
    it(`is in the conversation once if the agent sends it again after a cut, ${isWhole ? "as a whole" : "in pieces"}`, async () => {
      await wire.turn("P", "u0", "Zero.");
      await sendText("P");
      await work("Half");
      wire.running();
      wire.message("agent", "b", "Background.");
      await wire.processed();
      wire = wire.reloaded();
      const resume = await wire.resumed(() => {
        wire.message("user", "u0", "P");
        wire.message("agent", "answer to u0", "Zero.");
        if (isWhole) wire.message("user", "u1", "P");
        else for (const text of ["", "P"]) piece("u1", text);
        wire.message("agent", "says Half", "Half");
        wire.message("agent", "b", "Background work.");
        wire.idle();
      });
      assert.deepEqual(resume.params?.["replayFrom"], { type: "start" });
      const shown = ["user: P", "agent: Zero.", "agent: Half", "user: P", "agent: Background work."];
      assert.deepEqual(wire.messages, shown);
      wire.message("user", "u1", "changed");
      await wire.processed();
      assert.deepEqual(wire.messages, shown.with(3, "user: changed"));
    });

  it("is in the conversation once if the agent sends it again after a cut as its last message, with its answer", async () => {
    await wire.turn("zero", "u0", "Zero.");
    await sendText("P");
    wire.running();
    wire.idle();
    wire.running();
    await wire.processed();
    wire = wire.reloaded();
    await wire.resumed(() => {
      wire.message("user", "u0", "zero");
      wire.message("agent", "answer to u0", "Zero.");
      wire.message("user", "u1", "P");
      wire.message("agent", "a1", "Done.");
      wire.idle();
    });
    assert.deepEqual(wire.messages, ["user: zero", "agent: Zero.", "user: P", "agent: Done."]);
  });

  it("is in the conversation once if the agent inserts it after the turn into which it was sent", async () => {
    await wire.turn("zero", "u0", "Zero.");
    await steerIntoTurn();
    assert.deepEqual([wire.messages.at(-1), wire.queued, isBusy(wire.state)], ["user: A", ["B"], true]);
    await work("Done.");
    wire.message("user", "b", "B");
    await wire.processed();
    assert.deepEqual(
      wire.messages.filter(text => text.startsWith("user")),
      ["user: zero", "user: A", "user: B"],
    );
    assert.deepEqual([wire.queued, isBusy(wire.state)], [[], false]);
    wire.message("user", "b", "B, changed");
    await wire.processed();
    assert.equal(wire.messages.filter(text => text.startsWith("user")).at(-1), "user: B, changed");
  });

  it("stays apart from a message of another client, whole and in pieces", async () => {
    await sendText("one two");
    wire.message("user", "o1", "one");
    piece("o2", "one ");
    piece("o2", "too");
    wire.message("user", "o3", "one two three");
    await wire.processed();
    await work("Done.");
    wire.message("user", "o4", "one two three");
    piece("o5", "one ");
    piece("o5", "too late");
    await wire.processed();
    wire.message("user", "u1", "one two");
    await wire.processed();
    const others = ["one", "one too", "one two three"].map(text => `user: ${text}`);
    assert.deepEqual(wire.messages, [
      ...others,
      "agent: Done.",
      "user: one two",
      "user: one two three",
      "user: one too late",
    ]);
  });

  it("does not hide the message of another client that is only its beginning", async () => {
    await sendText("yes, please");
    await work("Done.");
    piece("o1", "yes");
    await wire.processed();
    await work("More.");
    assert.deepEqual(wire.messages, ["agent: Done.", "user: yes, please", "agent: More.", "user: yes"]);
    piece("o1", ", but");
    await wire.processed();
    assert.equal(wire.messages[3], "user: yes, but");
  });

  it("stays two entries if the user sends it twice, however late the agent repeats it", async () => {
    await sendText("P");
    await work("First.");
    await sendText("P");
    wire.message("user", "u1", "P");
    await wire.processed();
    assert.deepEqual([wire.messages, wire.queued], [["agent: First.", "user: P"], ["P"]]);
    await work("Second.");
    piece("u2", "P");
    await wire.processed();
    assert.equal(wire.messages.filter(text => text === "user: P").length, 2);
    wire.message("user", "u2", "second");
    wire.message("user", "u1", "first");
    await wire.processed();
    assert.deepEqual(
      wire.messages.filter(text => text.startsWith("user")),
      ["user: first", "user: second"],
    );
  });

  it("is not mistaken for one that begins like it", async () => {
    for (const text of ["prompt 1", "prompt 12"]) {
      await sendText(text);
      await work(`Did ${text}.`);
    }
    for (const text of ["prompt", " 1", "2"]) piece("u2", text);
    await wire.processed();
    wire.message("user", "u1", "prompt 1");
    wire.message("user", "u2", "changed");
    await wire.processed();
    assert.deepEqual(wire.messages, [
      "agent: Did prompt 1.",
      "user: prompt 1",
      "agent: Did prompt 12.",
      "user: changed",
    ]);
  });

  it("is not taken for a message that the agent has named before", async () => {
    await wire.turn("P", "u0", "Zero.");
    wire.message("user", "o1", "P");
    await wire.processed();
    await sendText("P");
    wire.message("user", "u0", "P");
    wire.message("user", "o1", "P");
    await wire.processed();
    assert.deepEqual(wire.queued, ["P"]);
    wire.message("user", "u1", "P");
    await work("Done.");
    assert.deepEqual(wire.messages, ["user: P", "agent: Zero.", "user: P", "user: P", "agent: Done."]);
  });

  it("may have been repeated before the agent accepts it", async () => {
    const request = await wire.send("one two");
    piece("u1", "one ");
    piece("u1", "two");
    await accept(request);
    await work("Done.");
    wire.message("user", "u1", "changed");
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: changed", "agent: Done."]);
  });

  it("may be accepted after its turn has begun, or after it has ended", async () => {
    for (const [at, isOver] of [false, true].entries()) {
      const request = await wire.send(`P${at}`);
      wire.running();
      wire.message("agent", `a${at}`, "Done.");
      if (isOver) wire.idle();
      await accept(request);
      if (!isOver) wire.idle();
      await wire.processed();
      wire.message("user", `u${at}`, `P${at}`);
      await wire.processed();
      assert.equal(prompts().filter(({ content }) => JSON.stringify(content).includes(`P${at}`)).length, 1);
      assert.deepEqual(wire.queued, []);
      // The agent may have the turn of the prompt still to come.
      if (isBusy(wire.state)) await work("It came.");
      assert.ok(!isBusy(wire.state));
    }
  });

  it("does not hold the queue for ever if the agent never repeats it and the user presses Stop", async () => {
    await steerIntoTurn();
    assert.ok(isBusy(wire.state));
    wire.session.stop();
    await wire.agent.request("session/cancel");
    await wire.processed();
    assert.deepEqual([wire.messages, wire.queued, isBusy(wire.state)], [["user: A", "user: B"], [], false]);
    wire.message("user", "b", "B");
    await wire.processed();
    assert.deepEqual(wire.messages, ["user: A", "user: B"]);
    assert.equal(wire.clock.pendingTimers, 0);
  });

  describe("with attachments", () => {
    const content: readonly ContentBlock[] = [
      { type: "text", text: "Read" },
      file,
      { type: "text", text: "and answer" },
    ];
    const texts = ["Read", "and answer"];
    const echoesOf: Readonly<Record<string, () => void>> = {
      "with them": () => wire.update("user_message", { messageId: "u1", content: content.map(contentToWire) }),
      "without them": () => wire.message("user", "u1", "Read and answer"),
      "without them, in pieces": () => {
        for (const text of texts) piece("u1", text);
      },
      "with them, in pieces": () => {
        for (const block of content)
          wire.update("user_message_chunk", { messageId: "u1", content: contentToWire(block) });
      },
      "with them as text": () => wire.message("user", "u1", "Read and answer\n<file>text of a.ts</file>"),
    };
    for (const [title, echo] of Object.entries(echoesOf))
      for (const isLate of [true, false])
        it(`keeps them if the agent repeats it ${title} ${isLate ? "after" : "before"} its turn`, async () => {
          await send(content);
          if (!isLate) echo();
          await work("Done.");
          if (isLate) echo();
          await wire.processed();
          assert.deepEqual(wire.queued, []);
          assert.equal(prompts().length, 1);
          if (title !== "with them as text" || isLate) assert.deepEqual(prompts()[0]?.content, content);
        });

    it("is in the conversation once if it has nothing else", async () => {
      await send([file]);
      await work("Done.");
      wire.message("user", "o1", "of another client");
      wire.update("user_message", { messageId: "u1", content: [contentToWire(file)] });
      await wire.processed();
      assert.deepEqual(
        prompts().map(({ content: [first] }) => first?.type),
        ["link", "text"],
      );
    });
  });
});
